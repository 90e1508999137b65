// A signal before the only item of a run has started: nothing is sent, nothing is reported as done, and the process
// exits by the signal.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Host } from "../../src/system/host.ts";
import { main } from "../../src/main.ts";
import { makeFolder, makeStateFolder, type StateFolder } from "../support/state-folder.ts";
import { createTestHost } from "../support/test-host.ts";
import { startTruthService, type TruthService } from "../support/truth-service.ts";

let service: TruthService;
let state: StateFolder;

beforeEach(async () => {
  service = await startTruthService();
  state = makeStateFolder();
});

/** A run with this command line, which gets a signal when `stop` is called, or as soon as it listens for one. */
function prepareStoppable(argv: readonly string[], input = "", isStoppedAtOnce = false) {
  const environment = { ...service.environment, ...state.environment };
  const recorded = createTestHost({ argv, environment, input });
  const listening: Parameters<Host["onStopSignal"]>[0][] = [];
  const stop = (): void => {
    for (const handle of listening) handle("SIGTERM");
  };
  const host: Host = {
    ...recorded.host,
    onStopSignal(handle) {
      listening.push(handle);
      if (isStoppedAtOnce) handle("SIGTERM");
      return () => undefined;
    },
  };
  return { recorded, environment, host, stop };
}

describe("stopped before the request was sent", () => {
  test.each([
    [["authorization", "rotate", "--yes", "1001"], ""],
    [["authorization", "rotate", "--yes", "1001", "--to-command", "true"], ""],
    [["authorization", "delete", "--yes", "1001"], "not-tried\t1001\n"],
    [["token", "revoke", "--yes"], "not-tried\t00000001\n"],
  ])("%j", async (words, rows) => {
    const token = service.addToken({ app: null, note: "ci", fingerprint: null });
    const { host, recorded } = prepareStoppable(words, words[0] === "token" ? token : "", true);
    expect([await main(host), recorded.stdout()]).toEqual([143, rows]);
    expect(recorded.stderr()).toContain("stopped before the request was sent");
    expect(recorded.stderr()).toContain("run the same command again");
    expect(service.writes).toEqual([]);
    expect(service.isLive(token)).toBe(true);
    expect(state.journals()).toEqual([]);
  });
});

test("unstarted items are pending, not failed", async () => {
  const input = Array.from({ length: 30 }, () => service.addToken()).join("\n");
  const words = ["token", "revoke", "--yes", "--concurrency", "1"];
  const { host, stop, environment, recorded } = prepareStoppable(words, input);
  service.plan((_, position) => {
    if (position === 4) stop();
    return undefined;
  });
  expect(await main(host)).toBe(143);
  expect(recorded.stderr()).toContain("4 revoked, 26 not tried");
  const list = createTestHost({ argv: ["recover", "list", "--json", "left,items"], environment });
  expect(await main(list.host)).toBe(0);
  expect(JSON.parse(list.stdout())).toEqual([{ left: "unfinished", items: 30 }]);
});

// Without Retry-After, the signal interrupts grantctl's own pause.
test.each([{ "Retry-After": "30" }, {}])(
  "a run stopped after the deletion of a replaced authorization reports it: %j",
  async (headers) => {
    const words = ["authorization", "get-or-create", "--fingerprint", "here", "--replace-existing", "--yes"];
    const environment = { ...service.environment, ...state.environment };
    const first = createTestHost({ argv: words, environment });
    expect(await main(first.host)).toBe(0);
    const { host, stop, recorded } = prepareStoppable(words);
    let creations = 0;
    service.plan(({ operation }) => {
      if (operation !== "get-or-create") return undefined;
      creations += 1;
      if (creations === 1) return undefined;
      stop();
      return { instead: { status: 429, headers, body: { message: "slow" } } };
    });
    expect(await main(host)).toBe(143);
    expect(recorded.stdout()).toBe("");
    expect(recorded.stderr()).toContain("authorization 1001 was deleted");
    expect(recorded.stderr()).not.toContain("nothing was changed");
  },
);

test("rotations that wait for a limit send nothing after a signal, and say which tokens exist", async () => {
  const tokens = ["a", "b"].map((note) => service.addToken({ app: null, note, fingerprint: null }));
  const words = ["authorization", "rotate", "--yes", "--json", "token,status,reason", "1001", "1002"];
  const { host, stop, recorded } = prepareStoppable(words);
  const [areBoth, isWaiting] = ["both", "waiting"].map((name) => join(makeFolder(), name)) as [
    string,
    string,
  ];
  let verified = 0;
  service.plan(({ operation }) => {
    if (operation !== "user") return undefined;
    verified += 1;
    const limit = { status: 429, headers: { "Retry-After": "30" }, body: {} };
    if (verified === 1) return { afterFile: areBoth, instead: limit };
    writeFileSync(areBoth, "");
    return { afterFile: isWaiting };
  });
  const setTimer: Host["setTimer"] = () => {
    writeFileSync(isWaiting, "");
    void service.quiet().then(stop);
    return () => undefined;
  };
  expect(await main({ ...host, setTimer })).toBe(143);
  expect(service.writes.map(({ operation }) => operation)).toEqual(["create", "create"]);
  const rows = JSON.parse(recorded.stdout()) as readonly { status: string; reason: string | null }[];
  const reasons = rows.flatMap(({ status, reason }) => (status === "failed" ? [reason ?? ""] : []));
  expect(reasons.toSorted()).toEqual([
    "the new token could not be verified, and the old one was not deleted: stopped before the next request was sent",
    "the new token works, and the old one could not be deleted: stopped before the next request was sent",
  ]);
  expect(tokens.every((token) => service.isLive(token))).toBe(true);
});

test("the pause before a witness is asked again ends with a signal", async () => {
  const { host, stop } = prepareStoppable(["authorization", "delete", "--yes", "9998", "9999"]);
  service.plan(({ operation }) =>
    operation === "list" ? { instead: { status: 500, body: {} } } : undefined,
  );
  const setTimer: Host["setTimer"] = (milliseconds, call) => {
    if (milliseconds !== 5000) return host.setTimer(milliseconds, call);
    stop();
    return () => undefined;
  };
  expect(await main({ ...host, setTimer })).toBe(143);
});
