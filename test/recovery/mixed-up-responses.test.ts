// A server or proxy that mixes up responses, and outputs that lose delivered values: no token is reported as another,
// nothing is deleted based on an earlier run alone, and a lost value is delivered again.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { program, runBinary, runProgram, writeScript } from "../support/binary.ts";
import { makeFolder, makeStateFolder, type StateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import {
  on,
  rewriting,
  startTruthService,
  type TruthOperation,
  type TruthService,
} from "../support/truth-service.ts";

const personal = { app: { name: "personal", url: "", client_id: "0".repeat(20) }, fingerprint: null };

let service: TruthService;
let state: StateFolder;
let environment: Readonly<Record<string, string>>;
let folder: string;

beforeEach(async () => {
  service = await startTruthService();
  state = makeStateFolder();
  environment = { ...service.environment, ...state.environment };
  folder = makeFolder();
});

const run = (words: readonly string[], input = "") => runMain(words, { environment, input });
const made = (): readonly string[] =>
  service.writes.flatMap(({ operation, value }) => (operation === "create" ? (value ?? []) : []));
const add = (note: string): string =>
  service.addToken({ ...personal, note, note_url: null, scopes: ["repo"] });

/** Returns the first response for each of these requests. */
function repeatFirst(...wanted: readonly TruthOperation[]): void {
  let first: Buffer | null = null;
  const fault = { rewrite: (answer: Buffer) => (first ??= answer) };
  service.plan(({ operation }) => (wanted.includes(operation) ? fault : undefined));
}

function proofFlag(): readonly string[] {
  writeFileSync(join(folder, "proof"), service.addToken(), { mode: 0o600 });
  return ["--proof-token-file", join(folder, "proof")];
}

test("rotates only the first item if every creation returns the same token, and the other one in a later run", async () => {
  const olds = [add("a"), add("b")];
  repeatFirst("create");
  const words = ["authorization", "rotate", "--yes", "--concurrency", "1", "1001", "1002"];
  expect((await run(words)).code).toBe(13);
  expect(olds.map((old) => service.isLive(old))).toEqual([false, true]);
  service.plan(() => undefined);
  const again = await run([...words, "--resume", state.ids()[0] ?? ""]);
  // The token that nobody has is deleted.
  expect([again.code, made().map((value) => service.isLive(value))]).toEqual([0, [true, false, true]]);
  expect([olds.map((old) => service.isLive(old)), state.ids()]).toEqual([[false, false], []]);
});

test("delivers one value for eight resets once and reports the others as unknown, and in a later run as lost", async () => {
  const input = Array.from({ length: 8 }, () => service.addToken()).join("\n");
  repeatFirst("reset");
  const words = ["token", "reset", "--yes", "--concurrency", "1", ...proofFlag()];
  const first = await run(words, input);
  expect(first.code).toBe(13);
  expect(first.stdout.match(/"status":"reset"/g)).toHaveLength(1);
  service.plan(() => undefined);
  const again = await run([...words, "--resume", state.ids()[0] ?? ""], input);
  // Untried items are reset now, and standard output gets all values again, each once.
  const [value = "none"] = service.writes.map((write) => write.value ?? "");
  expect([again.code, again.stdout.split(`"token":"${value}"`).length]).toEqual([9, 2]);
  expect([again.stdout.match(/"status":"lost"/g)?.length, state.ids()]).toEqual([5, []]);
});

test("a reset does not take the proof token for a new value", async () => {
  repeatFirst("check", "reset");
  const ended = await run(["token", "reset", "--yes", ...proofFlag()], service.addToken());
  expect([ended.code, ended.stdout]).toEqual([13, ""]);
});

test("rotates nothing if the response is another authorization; a later run deletes that one and begins again", async () => {
  const old = add("ci");
  service.plan(on("create", rewriting('"note":"ci', '"note":"xy')));
  const words = ["authorization", "rotate", "--yes", "1001"];
  expect((await run(words)).code).toBe(13);
  expect(service.writes.map(({ operation }) => operation)).toEqual(["create"]);
  const show = ["recover", "show", state.ids()[0] ?? "", "--output-file", join(folder, "shown")];
  expect(await run(show)).toMatchObject({ code: 0, stderr: expect.stringContaining("--resume") as string });
  service.plan(() => undefined);
  expect((await run([...words, "--resume", state.ids()[0] ?? ""])).code).toBe(0);
  expect([service.isLive(old), made().map((value) => service.isLive(value))]).toEqual([false, [false, true]]);
});

test("does not delete a token of another machine that has the note of a lost one", async () => {
  const old = add("ci");
  const words = ["authorization", "rotate", "--yes", "1001"];
  service.plan(on("create", { cutAt: 10 }));
  expect((await run(words)).code).toBe(13);
  service.plan(on("list", rewriting('["repo"],"fingerprint":""', '["org"],"fingerprint":"m"')));
  expect((await run([...words, "--resume", state.ids()[0] ?? ""])).code).toBe(9);
  expect([old, ...made()].map((value) => service.isLive(value))).toEqual([true, true]);
});

test.each<[what: string, flag: string, from: string | RegExp, to: string]>([
  ["fingerprint", "--fingerprint=mine", '"fingerprint":"mine"', '"fingerprint":"them"'],
  ["application", "--client-id=0123456789abcdef0123", "0123456789abcdef0123", "9123456789abcdef0123"],
  ["hash", "--scope=repo", /"hashed_token":"\w{8}/g, '"hashed_token":"01234567'],
])("create exits with 13 and keeps the value if the response has another %s", async (_, flag, from, to) => {
  service.plan(on("create", rewriting(from, to)));
  const ended = await run(["authorization", "create", "--note", "n", flag]);
  expect([ended.code, ended.stdout]).toEqual([13, ""]);
  const shown = await run(["recover", "show", state.ids()[0] ?? ""]);
  expect(shown).toMatchObject({ code: 0, stdout: `${made()[0]}\n` });
});

const down = (): void => service.plan(on("delete", { instead: { status: 503 } }));
const line = (words: readonly string[], redirection: string) =>
  runProgram("sh", ["-c", `"$@" ${redirection}`, "sh", process.execPath, program, ...words], { environment });

const beginResets = async (flags: readonly string[], redirection: string) => {
  const tokens = Array.from({ length: 3 }, () => service.addToken());
  const list = join(folder, "tokens");
  writeFileSync(list, tokens.join("\n"));
  const words = ["token", "reset", "--yes", "--concurrency", "1", "--token-file", list];
  const refuseLast = (): void =>
    service.plan(({ operation, subject }) =>
      operation === "reset" && subject === tokens[2]
        ? { instead: { status: 429, headers: { "Retry-After": "100000" }, body: {} } }
        : undefined,
    );
  refuseLast();
  expect((await line([...words, ...flags], redirection)).code).toBe(9);
  service.plan(() => undefined);
  return { words: [...words, "--resume", state.ids()[0] ?? ""], refuseLast, list, tokens };
};
const resetValues = (): readonly string[] => service.writes.flatMap(({ value }) => value ?? []);

describe("a job of resets with one rejected item", () => {
  test("resumed with the same `> out` writes every value to the file once", async () => {
    const out = join(folder, "out");
    const { words } = await beginResets([], `> ${out}`);
    expect((await line(words, `> ${out}`)).code).toBe(0);
    expect(resetValues()).toHaveLength(3);
    for (const value of resetValues()) expect(readFileSync(out, "utf8").split(value)).toHaveLength(2);
    expect(state.journals()).toEqual([]);
  });

  test("resumed twice with another --output-file after the first was removed", async () => {
    const [first, second] = [join(folder, "first"), join(folder, "second")];
    const { words, refuseLast } = await beginResets(["--output-file", first], "");
    rmSync(first);
    refuseLast();
    const again = [...words, "--output-file", second];
    const hint = expect.stringContaining(`--output-file ${second} --force --resume`) as string;
    expect(await line(again, "")).toMatchObject({ code: 9, stderr: hint });
    service.plan(() => undefined);
    expect((await line([...again, "--force"], "")).code).toBe(0);
    for (const value of resetValues()) expect(readFileSync(second, "utf8").split(value)).toHaveLength(2);
  });

  test("resumed without the item that is done writes its value again, and recover show prints it", async () => {
    const out = join(folder, "out");
    const { words, list, tokens } = await beginResets(["--output-file", out], "");
    const shown = await run(["recover", "show", state.ids()[0] ?? ""]);
    expect(shown.stderr).toContain(` --force --resume ${state.ids()[0] ?? ""}`);
    // The first is kept for the end, to vouch for the others.
    writeFileSync(list, [tokens[0], tokens[2]].join("\n"));
    expect((await run(words)).code).toBe(0);
    const lines = readFileSync(out, "utf8").trim().split("\n");
    expect(lines).toHaveLength(3);
    for (const value of resetValues()) expect(lines.join()).toContain(value);
    expect(state.ids()).toEqual([]);
    expect(shown.stdout).toContain(resetValues()[0]);
  });
});

describe("a rotation with deletions that failed with 503", () => {
  test.each([1, 3])("of %i, resumed with the same `> out`, writes every value to the file", async (count) => {
    const olds = Array.from({ length: count }, (_, index) => add(`note ${index}`));
    const out = join(folder, "out");
    const ids = olds.map((_, index) => String(1001 + index));
    const words = ["authorization", "rotate", "--yes", ...ids];
    down();
    expect((await line(words, `> ${out}`)).code).not.toBe(0);
    for (const value of made()) expect(readFileSync(out, "utf8")).toContain(value);
    service.plan(() => undefined);
    expect((await line([...words, "--resume", state.ids()[0] ?? ""], `> ${out}`)).code).toBe(0);
    expect(made()).toHaveLength(count);
    for (const value of made()) expect(readFileSync(out, "utf8").split(value)).toHaveLength(2);
    expect(olds.some((old) => service.isLive(old))).toBe(false);
  });

  test("keeps the old token if the new one was revoked meanwhile", async () => {
    const old = add("a");
    const words = ["authorization", "rotate", "--yes", "1001"];
    down();
    await run(words);
    service.plan(on("user", { instead: { status: 401, body: {} } }));
    const again = await run([...words, "--resume", state.ids()[0] ?? ""]);
    expect([again.code, service.isLive(old)]).toEqual([9, true]);
    service.plan(() => undefined);
    expect((await run([...words, "--resume", state.ids()[0] ?? ""])).code).toBe(0);
  });
});

test("a command that was killed with its run gets no value twice that it had taken", async () => {
  const tokens = Array.from({ length: 5 }, () => service.addToken());
  const list = join(folder, "list");
  // The first is absent, so that the outcomes of the others are held, and delivered together.
  writeFileSync(list, ["0".repeat(40), ...tokens].join("\n"));
  const taker = join(folder, "taker");
  writeScript(taker, '#!/bin/sh\ncat >> taken\n[ "$(wc -l < taken)" -ne 3 ] || kill -9 $PPID\n');
  const flags = ["--token-file", list, "--to-command", taker];
  const words = ["token", "reset", "--yes", "--concurrency", "1", ...flags];
  expect(await runBinary(words, { environment, folder })).toMatchObject({ signal: "SIGKILL" });
  const resumed = await runBinary([...words, "--resume", state.ids()[0] ?? ""], { environment, folder });
  const taken = readFileSync(join(folder, "taken"), "utf8").trim().split("\n");
  expect([resumed.code, new Set(taken).size]).toEqual([9, 5]);
  // Only of the third, whose command did not end, nobody knows whether it has it.
  expect(taken.filter((value, index) => taken.indexOf(value) !== index)).toEqual([taken[2]]);
});
