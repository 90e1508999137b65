// `grantctl authorization rotate`: creates, delivers and verifies a new token before it deletes the old one. After any
// failure at least one of them is active, and --resume continues.
import { readFileSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { makeStateFolder, type StateFolder } from "../../support/state-folder.ts";
import { runMain } from "../../support/test-host.ts";
import {
  type FaultPlan,
  on,
  rewriting,
  startTruthService,
  type TruthOperation,
  type TruthService,
} from "../../support/truth-service.ts";

let service: TruthService;
let state: StateFolder;
let environment: Readonly<Record<string, string>>;

const personal = { app: { name: "personal", url: "", client_id: "0".repeat(20) } };
const now = (): number => Date.parse("2026-11-21T10:00:00Z");
const rotate = (words: readonly string[], input = "", variables = {}) =>
  runMain(["authorization", "rotate", "--yes", ...words], {
    environment: { ...environment, ...variables },
    input,
    now,
  });
const add = (note: string, more = {}): string =>
  service.addToken({ ...personal, note, note_url: null, fingerprint: null, scopes: ["repo"], ...more });
const did = (): readonly TruthOperation[] => service.writes.map(({ operation }) => operation);
const made = (): readonly string[] =>
  service.writes.filter(({ operation }) => operation === "create").map(({ value }) => value ?? "");

/** Creates tokens with these scopes regardless of the request. */
const granting = (...scopes: readonly string[]): FaultPlan =>
  on("create", {
    rewrite: (answer) => {
      const [head = "", body = ""] = answer.toString("utf8").split("\r\n\r\n");
      const text = JSON.stringify({ ...(JSON.parse(body) as object), scopes });
      return Buffer.from(
        `${head.replace(/Content-Length: \d+/, `Content-Length: ${text.length}`)}\r\n\r\n${text}`,
      );
    },
  });

beforeEach(async () => {
  service = await startTruthService();
  state = makeStateFolder();
  environment = { ...service.environment, ...state.environment };
});

describe("one token", () => {
  test("is replaced with the same scopes, delivered and verified; the new one takes the note", async () => {
    const old = add("ci", { note_url: "https://n.test/", fingerprint: "web-1", scopes: ["repo", "gist"] });
    const run = await rotate(["1001"]);
    expect(run).toEqual({ code: 0, stdout: `${made()[0]}\n`, stderr: "" });
    const changes = service.requests.filter(({ operation }) => operation !== "view");
    expect(changes.map(({ operation }) => operation)).toEqual(["create", "user", "delete", "update"]);
    const sent = JSON.parse(changes[0]?.body ?? "") as Readonly<Record<string, unknown>>;
    // Random, because another machine may rotate the same token in the same second.
    const mark = / [0-9a-f]{6}\)$/.exec(String(sent["note"]))?.[0] ?? "none";
    expect(sent).toEqual({
      scopes: ["repo", "gist"],
      note_url: "https://n.test/",
      note: `ci (rotated 2026-11-21 10:00:00${mark}`,
      fingerprint: `web-1 (rotated 2026-11-21 10:00:00${mark}`,
    });
    expect(service.isLive(old)).toBe(false);
    expect(service.fieldsOf(made()[0] ?? "")).toMatchObject({ note: "ci", fingerprint: "web-1" });
    expect(state.journals()).toEqual([]);
  });

  describe("with scopes that the server does not grant", () => {
    test("keeps the old one, deletes the new one, and leaves no record", async () => {
      const old = add("ci", { scopes: ["repo", "gist", "read:org"] });
      service.plan(granting("repo"));
      const run = await rotate(["1001"]);
      expect([run.code, run.stdout, state.ids()]).toEqual([1, "", []]);
      expect(run.stderr).toContain("less than the old one has: no gist, read:org; the new one was deleted");
      expect(did()).toEqual(["create", "delete"]);
      expect([service.isLive(old), service.isLive(made()[0] ?? "")]).toEqual([true, false]);
    });

    test("deletes the new one with --resume if that failed, and delivers nothing", async () => {
      const old = add("ci", { scopes: ["repo", "gist"] });
      const no = { instead: { status: 403, body: { message: "no" } } };
      service.plan((...request) => (request[0].operation === "delete" ? no : granting("repo")(...request)));
      const run = await rotate(["1001"]);
      expect([run.code, run.stdout]).toEqual([9, ""]);
      service.plan(() => undefined);
      const again = await rotate(["1001", "--resume", state.ids()[0] ?? "none"]);
      expect([again.code, again.stdout, state.ids()]).toEqual([1, "", []]);
      expect([service.isLive(old), service.isLive(made()[0] ?? "")]).toEqual([true, false]);
    });

    test("keeps the old one if the new one was delivered by recover show", async () => {
      const old = add("ci", { scopes: ["repo", "gist"] });
      const no = { instead: { status: 403, body: { message: "no" } } };
      service.plan((...request) => (request[0].operation === "delete" ? no : granting("repo")(...request)));
      await rotate(["1001"]);
      service.plan(() => undefined);
      const id = state.ids()[0] ?? "none";
      await runMain(["recover", "show", id, "--to-command", "true"], { environment });
      const again = await rotate(["1001", "--resume", id]);
      expect(again).toMatchObject({ code: 9, stderr: expect.stringContaining("no gist") as string });
      expect(service.isLive(old)).toBe(true);
    });
  });

  test("with unreported scopes is rejected: the new one would have none", async () => {
    const old = add("ci", { scopes: null });
    for (const words of [["1001"], ["1001", "--dry-run"]]) {
      const run = await rotate(words);
      expect([run.code, run.stdout]).toEqual([1, words.length > 1 ? "failed\t1001\n" : ""]);
      expect(run.stderr).toContain("the server does not report which scopes authorization 1001 has");
    }
    expect([did(), service.isLive(old)]).toEqual([[], true]);
  });
});

/** The response of a server that limits the rate, without a wait. */
const slowDown = {
  instead: { status: 429, headers: { "Retry-After": "0" }, body: { message: "slow down" } },
};

/** Rejects the first request of each operation. */
function throttleOnce(): void {
  const refused = new Set<TruthOperation>();
  service.plan(({ operation }) => {
    if (refused.has(operation)) return undefined;
    refused.add(operation);
    return slowDown;
  });
}

/** Fails at one step, so that the rotation can be resumed. */
async function broken(
  operation: TruthOperation,
  status: number,
): Promise<{ readonly old: string; readonly code: number; readonly stderr: string; readonly id: string }> {
  const old = add("ci");
  service.plan(on(operation, { instead: { status, body: { message: "no" } } }));
  const { code, stderr } = await rotate(["1001"]);
  service.plan(() => undefined);
  return { old, code, stderr, id: state.ids()[0] ?? "" };
}

describe("failures during a rotation", () => {
  test.each([
    ["user", 401, "could not be verified", true],
    ["user", 404, "could not be verified", true],
    ["delete", 403, "could not be deleted", true],
    ["update", 403, "its note could not be transferred", false],
    ["update", 404, "its note could not be transferred", false],
  ] as const)(
    "%s with response %i exits with code 9, and --resume continues",
    async (operation, status, message, isOldAlive) => {
      const { old, code, stderr, id } = await broken(operation, status);
      const [value = ""] = made();
      expect([code, stderr]).toEqual([9, expect.stringContaining(message)]);
      expect(stderr).toContain(`authorization rotate --yes 1001 --resume ${id}`);
      expect([service.isLive(old), service.isLive(value)]).toEqual([isOldAlive, true]);
      const shown = await runMain(["recover", "show", id], { environment });
      expect([shown.code, shown.stdout]).toEqual([0, `${value}\n`]);
      expect(shown.stderr).toContain(`--resume ${id}`);
      // A script that stops on the failure discards the value, and a `>` redirection truncates the file again.
      const again = await rotate(["1001", "--resume", id]);
      expect(again).toMatchObject({ code: 0, stdout: `${value}\n` });
      expect([service.isLive(old), service.fieldsOf(value)["note"]]).toEqual([false, "ci"]);
      expect(did()).toEqual(["create", "delete", "update"]);
      expect(state.journals()).toEqual([]);
    },
  );

  test("--resume requires confirmation to delete an old token after delivery", async () => {
    const { old, id } = await broken("user", 401);
    const words = ["authorization", "rotate", "1001", "--resume", id];
    const unasked = await runMain(words, { environment });
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining("--yes was not given")]);
    expect(service.isLive(old)).toBe(true);
    expect((await runMain([...words, "--yes"], { environment })).code).toBe(0);
    expect(service.isLive(old)).toBe(false);
  });

  test.each([
    ["is lost", { cutAt: 0 }],
    ["is a 500 without an effect", { instead: { status: 500, body: {} } }],
  ])("--resume leaves a note that the user changed after a rename whose response %s", async (_, fault) => {
    add("ci", { fingerprint: "web-1" });
    service.plan(on("update", fault));
    expect((await rotate(["1001"])).code).toBe(13);
    service.plan(() => undefined);
    const [value = ""] = made();
    await runMain(["authorization", "update", "1002", "--note", "mine"], { environment });
    const again = await rotate(["1001", "--resume", state.ids()[0] ?? ""]);
    expect(again).toMatchObject({ code: 0, stdout: `${value}\n` });
    expect(service.fieldsOf(value)).toMatchObject({ note: "mine", fingerprint: "web-1" });
    expect(state.journals()).toEqual([]);
  });

  test("a lost create response exits with code 13 and a hint; --resume creates another token", async () => {
    const old = add("ci");
    service.plan(on("create", { cutAt: 0 }));
    const run = await rotate(["1001"]);
    service.plan(() => undefined);
    const [id = ""] = state.ids();
    expect([run.code, service.isLive(old)]).toEqual([13, true]);
    const shown = await runMain(["recover", "show", id], { environment });
    expect(shown.code).toBe(13);
    expect(shown.stderr).toContain("the outcome of 1 is unknown");
    const again = await rotate(["1001", "--resume", id]);
    expect(again).toMatchObject({ code: 0, stdout: `${made()[1]}\n` });
    expect(again.stderr).toMatch(
      /"ci \(rotated 2026-11-21 10:00:00 [0-9a-f]{6}\)" was created by an interrupted run/,
    );
    expect(service.isLive(made()[0] ?? "")).toBe(false);
    expect(service.isLive(old)).toBe(false);
    expect(service.fieldsOf(made()[1] ?? "")["note"]).toBe("ci");
  });

  test("with a damaged record, nothing is created a second time", async () => {
    const old = add("ci");
    service.plan(on("create", { cutAt: 0 }));
    await rotate(["1001"]);
    service.plan(() => undefined);
    const [journal = ""] = state.journals();
    writeFileSync(journal, readFileSync(journal, "latin1").replaceAll('"key"', '"kez"'), "latin1");
    const [id = ""] = state.ids();
    const again = await rotate(["1001", "--resume", id]);
    expect([again.code, did(), service.isLive(old)]).toEqual([13, ["create"], true]);
    expect(again.stderr).toContain(`run \`grantctl recover forget ${id}\``);
  });

  test("what a lost create response made is deleted, also if the old token is gone meanwhile", async () => {
    add("ci");
    service.plan(on("create", { cutAt: 0 }));
    await rotate(["1001"]);
    service.plan(() => undefined);
    await runMain(["authorization", "delete", "1001", "--yes"], { environment });
    const again = await rotate(["1001", "--resume", state.ids()[0] ?? ""]);
    expect([again.code, service.isLive(made()[0] ?? ""), state.journals()]).toEqual([3, false, []]);
  });

  test.each<[string, (answer: string) => string]>([
    ["is cut off behind it", (answer) => answer.slice(0, -3)],
    ["is that of a failure", (answer) => answer.replace(/^HTTP\/1.1 \d+/, "HTTP/1.1 500")],
  ])("a value whose response %s is not reported as lost, and no hint deletes it", async (_, rewrite) => {
    const old = add("ci");
    service.plan(on("create", { rewrite: (answer) => Buffer.from(rewrite(answer.toString())) }));
    const run = await rotate(["1001"]);
    expect([run.code, service.isLive(old)]).toEqual([13, true]);
    expect(run.stderr).not.toMatch(/not saved|authorization delete/);
    const again = await rotate(["1001", "--resume", state.ids()[0] ?? "none"]);
    expect([again.code, again.stdout, service.isLive(old)]).toEqual([0, `${made()[0]}\n`, false]);
  });

  test("a value whose response has no ID is kept, and nothing is deleted", async () => {
    const old = add("ci");
    service.plan(on("create", rewriting('"id":1002', '"ix":1002')));
    const run = await rotate(["1001"]);
    const [id = "none"] = state.ids();
    const again = await rotate(["1001", "--resume", id]);
    expect([run.code, again.code, again.stdout]).toEqual([13, 13, ""]);
    expect([did(), service.isLive(old)]).toEqual([["create"], true]);
    expect((await runMain(["recover", "show", id], { environment })).stdout).toBe(`${made()[0]}\n`);
  });

  test("does not trust a false 404 about the old token, and --resume deletes it", async () => {
    const old = add("ci");
    let isIll = false;
    service.plan(({ operation, subject }) => {
      if (operation === "delete" || operation === "update") isIll = operation === "delete";
      return isIll && subject === "1001"
        ? { instead: { status: 404, body: { message: "Not Found" } } }
        : undefined;
    });
    const run = await rotate(["1001"]);
    service.plan(() => undefined);
    expect([run.code, service.isLive(old)]).toEqual([9, true]);
    expect(run.stderr).toContain("the old one could not be deleted: authorization 1001 is still there");
    const [id = ""] = state.ids();
    expect((await rotate(["1001", "--resume", id])).code).toBe(0);
    expect(service.isLive(old)).toBe(false);
    expect(service.fieldsOf(made()[0] ?? "")["note"]).toBe("ci");
  });

  test("--resume stops before it deletes the old token if it cannot print the value", async () => {
    const { old, id } = await broken("user", 401);
    const run = await rotate(["1001", "--resume", id, "--jq", ".id"]);
    expect([run.code, run.stdout, service.isLive(old)]).toEqual([12, "", true]);
    expect((await rotate(["1001", "--resume", id])).stdout).toBe(`${made()[0]}\n`);
  });

  test("--resume does not report a deleted old token as active if it cannot print the value", async () => {
    const { old, id } = await broken("update", 403);
    const run = await rotate(["1001", "--resume", id, "--jq", ".id"]);
    expect([run.code, run.stdout, service.isLive(old)]).toEqual([12, "", false]);
    expect(run.stderr).not.toContain("is still active");
    expect((await rotate(["1001", "--resume", id])).stdout).toBe(`${made()[0]}\n`);
  });

  test("a 429 at any step creates nothing twice and prints each value once", async () => {
    for (const note of ["a", "b"]) add(note);
    throttleOnce();
    const run = await rotate(["1001", "1002", "--concurrency", "1"]);
    expect(run.code).toBe(0);
    expect(rows(run.stdout).map(({ token }) => token)).toEqual(made());
    expect(did()).toEqual(["create", "delete", "update", "create", "delete", "update"]);
  });
});

describe("many tokens", () => {
  test.each([
    // jq's output for the status lines of both failures.
    [".nothing", "null\nnull\n"],
    [".status", "failed\nnot-tried\n"],
  ])("keep the old token if --jq %s does not print the value", async (jq, stdout) => {
    const old = [add("a"), add("b")];
    const flags = ["--concurrency", "1", "--format", "ndjson", "--jq", jq];
    const run = await rotate(["-", ...flags], "1001\n1002\n");
    expect(run).toMatchObject({ code: 12, stdout });
    expect(did()).toEqual(["create"]);
    expect(old.map((token) => service.isLive(token))).toEqual([true, true]);
    const kept = await runMain(["recover", "show", state.ids()[0] ?? ""], { environment });
    expect(kept.stdout).toContain(made()[0]);
  });

  test("whose deletion fails have a row with the value, and another without it", async () => {
    for (const note of ["a", "b"]) add(note);
    service.plan(on("delete", { instead: { status: 403, body: { message: "no" } } }));
    const run = await rotate(["1001", "1002", "--json", "id_before,token,status"]);
    expect(run.code).toBe(9);
    const told = (JSON.parse(run.stdout) as readonly Row[]).map(({ token, status }) => [token, status]);
    const failed = [null, "failed"];
    expect(told).toEqual(expect.arrayContaining([...made().map((value) => [value, "rotated"]), failed]));
    expect(told).toHaveLength(4);
  });

  test("--resume without the --keep-old of the job keeps the old one", async () => {
    const old = add("a");
    const first = await rotate(["1001", "--keep-old", "--to-command", "false"]);
    expect(first.code).toBe(12);
    const run = await rotate(["1001", "--to-command", "true", "--resume", state.ids()[0] ?? ""]);
    expect([run.code, service.isLive(old)]).toEqual([0, true]);
  });
});

type Row = Record<string, unknown>;

function rows(text: string): readonly Row[] {
  return (text.match(/.+/g) ?? []).map((line) => JSON.parse(line) as Row);
}

test("a create response with the old token's id deletes nothing", async () => {
  const old = add("ci");
  service.plan(on("create", rewriting("1002", "1001")));
  const run = await rotate(["1001"]);
  expect([run.code, service.isLive(old)]).toEqual([13, true]);
  expect(did()).toEqual(["create"]);
});

test("a create response with the old token's value deletes nothing; a later run begins again", async () => {
  const old = add("ci");
  service.plan(on("create", rewriting(/"token":"[^"]+"/g, `"token":"${old}"`)));
  const run = await rotate(["1001"]);
  expect([run.code, service.isLive(old)]).toEqual([13, true]);
  expect(did()).toEqual(["create"]);
  service.plan(() => undefined);
  expect((await rotate(["1001", "--resume", state.ids()[0] ?? ""])).code).toBe(0);
  expect([old, ...made()].map((value) => service.isLive(value))).toEqual([false, false, true]);
});
