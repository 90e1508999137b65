// A leftover is continued with its own operator, even if another one is configured meanwhile.
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder, makeStateFolder, type StateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { startTruthService, type TruthOperator, type TruthService } from "../support/truth-service.ts";

/** The configuration that a later run finds. */
const later = { service: "github", github: "service" } as const;

interface Left {
  readonly service: TruthService;
  readonly state: StateFolder;
  readonly tokens: readonly string[];
  readonly run: (words: readonly string[], operator: string, input?: string) => ReturnType<typeof runMain>;
}

/** A server that closes the connection after it has processed the third token, and an interrupted job. */
async function leaveBehind(operator: TruthOperator, words: readonly string[], count = 5): Promise<Left> {
  const service = await startTruthService(undefined, operator);
  const state = makeStateFolder();
  const tokens = Array.from({ length: count }, () => service.addToken());
  const input = `${tokens.join("\n")}\n`;
  const hit = tokens.at(-1);
  service.plan(({ operation, subject }) =>
    subject === hit && operation !== "check" ? { cutAt: 0 } : undefined,
  );
  const run: Left["run"] = (typed, configured, given = input) =>
    runMain(typed, {
      environment: { ...service.environment, ...state.environment, GRANTCTL_SERVER_TYPE: configured },
      input: given,
    });
  const first = await run(words, operator);
  expect([first.code, first.stderr]).toEqual([13, expect.stringContaining("unknown")]);
  service.plan(() => undefined);
  return { service, state, tokens, run };
}

test.each(["service", "github"] as const)(
  "a job of %s is resumed with its own operator",
  async (operator) => {
    const left = await leaveBehind(operator, ["token", "revoke", "--yes", "--concurrency", "1"]);
    expect(left.state.content()).toContain(`"server_type":"${operator}"`);
    const resumed = await left.run(
      ["token", "revoke", "--yes", "--debug", "--resume", left.state.ids()[0] ?? ""],
      later[operator],
    );
    expect(left.service.requests.filter((request) => request.operation === "no such route")).toEqual([]);
    expect(left.tokens.some((token) => left.service.isLive(token))).toBe(false);
    for (const token of left.tokens) expect(resumed.stderr).not.toContain(token);
  },
);

test.each(["service", "github"] as const)(
  "recover show checks a reset of %s with its own operator",
  async (operator) => {
    const left = await leaveBehind(operator, ["token", "reset", "--yes"], 1);
    const before = left.service.requests.length;
    const shown = await left.run(["recover", "show", left.state.ids()[0] ?? ""], later[operator]);
    expect(shown.code).toBe(13);
    expect(shown.stderr).toContain("the server does not find the old token now");
    expect(left.service.requests.slice(before).map((request) => request.operation)).toEqual(["check"]);
  },
);

test("--resume with a missing journal uses the configured operator", async () => {
  const service = await startTruthService(undefined, "github");
  const path = join(makeFolder(), "nothing.journal");
  const finished = await runMain(["token", "revoke", "--yes", "--resume", path], {
    environment: { ...service.environment, ...makeStateFolder().environment },
    input: service.addToken(),
  });
  expect(finished.code).toBe(2);
  expect(finished.stderr).toContain("no unfinished job nothing; it may be finished");
  expect(service.requests).toEqual([]);
});
