// `recover list` on state folders that are partly unreadable, or that hold more than the job in question: it never
// exits with code 0, and names every unexpected file.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createClosingJournals } from "../support/closing-journals.ts";
import { inFull } from "../support/soak.ts";
import { makeFolder, makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { on, startTruthService } from "../support/truth-service.ts";

const processes = { pid: process.pid, bootId: null, scope: null, isRunning: () => false };

/** A state folder with the finished shards of one job, and a function that runs one of them again. */
async function finishShards(total = 1, now?: () => number) {
  const service = await startTruthService();
  const state = makeStateFolder();
  const input = Array.from({ length: 4 }, () => service.addToken()).join("\n");
  const environment = { ...service.environment, ...state.environment };
  const proof = join(makeFolder(), "active.txt");
  writeFileSync(proof, service.addToken());
  const run = (index: number) => {
    const words = ["token", "revoke", "--yes", "--proof-token-file", proof, "--shard", `${index}/${total}`];
    return runMain(words, { environment, input, ...(now && { now }) });
  };
  for (let index = 1; index <= total; index += 1) expect((await run(index)).code).toBe(0);
  return { service, state, environment, run };
}

const list = (environment: Readonly<Record<string, string>>, folder: string) =>
  runMain(["recover", "list", "--state-dir", folder, "--json", "id,state"], { environment });

test("recover list exits with 0 if all shards are finished", async () => {
  const { state, environment } = await finishShards();
  expect((await list(environment, state.path)).code).toBe(0);
});

describe("recover list does not exit with 0 and names", () => {
  test.each([
    ["a folder", (path: string): void => mkdirSync(path)],
    ["a pipe", (path: string): void => void execFileSync("mkfifo", [path])],
    ["a file of another program", (path: string): void => writeFileSync(path, "not a journal\n")],
  ])("%s instead of a journal", async (_, make) => {
    const { state, environment } = await finishShards();
    make(join(state.path, "20260101-000000-abcdef.journal"));
    const row = { id: "20260101-000000-abcdef", state: "damaged" };
    const listed = await list(environment, state.path);
    expect(listed.code).toBe(9);
    expect(JSON.parse(listed.stdout)).toContainEqual(row);
    const own = await runMain(["recover", "list", "--json", "id,state"], { environment });
    expect(JSON.parse(own.stdout)).toContainEqual(row);
  });

  test.runIf(process.geteuid?.() !== 0)("a journal that may not be read", async () => {
    const { state, environment } = await finishShards();
    const path = join(state.path, "20260101-000000-abcdef.journal");
    writeFileSync(path, "");
    chmodSync(path, 0);
    expect((await list(environment, state.path)).code).toBe(9);
  });

  test("a single reset of unknown outcome beside a finished job", async () => {
    const { service, state, environment } = await finishShards();
    service.plan(on("reset", { cutAt: 0 }));
    const reset = await runMain(["token", "reset", "--yes"], { environment, input: service.addToken() });
    expect(reset.code).toBe(13);
    expect((await list(environment, state.path)).code).toBe(9);
  });

  test("a single reset of unknown outcome, and no shard that was started", async () => {
    const service = await startTruthService(() => ({ cutAt: 0 }));
    const state = makeStateFolder();
    const environment = { ...service.environment, ...state.environment };
    await runMain(["token", "reset", "--yes"], { environment, input: service.addToken() });
    expect((await list(environment, state.path)).code).toBe(9);
  });

  test("a shard of one item of unknown outcome", async () => {
    const service = await startTruthService(() => ({ cutAt: 0 }));
    const state = makeStateFolder();
    const environment = { ...service.environment, ...state.environment };
    const words = ["token", "revoke", "--yes", "--shard", "1/1"];
    expect((await runMain(words, { environment, input: service.addToken() })).code).toBe(13);
    expect((await list(environment, state.path)).code).toBe(9);
  });

  test("the shard whose finished file is a pipe", async () => {
    const { state, environment } = await finishShards(2);
    const [name = ""] = readdirSync(state.path).filter((each) => each.endsWith("1of2.finished"));
    execFileSync("rm", [join(state.path, name)]);
    execFileSync("mkfifo", [join(state.path, name)]);
    expect((await list(environment, state.path)).code).toBe(9);
  });
});

test("finished shards of an earlier job do not count for a new job", async () => {
  const night = 24 * 3_600_000;
  let now = Date.parse("2026-01-31T02:00:00Z");
  const { state, environment, run } = await finishShards(3, () => (now += 60_000));
  expect((await list(environment, state.path)).code).toBe(0);
  now = Date.parse("2026-01-31T02:00:00Z") + night;
  for (const [index, code] of [
    [2, 9],
    [1, 9],
    [3, 0],
  ] as const) {
    expect((await run(index)).code).toBe(0);
    expect((await list(environment, state.path)).code).toBe(code);
  }
});

test("a journal is kept if any bit of the record after the head is flipped", { tags: "soak" }, async () => {
  const folder = join(makeFolder(), "state");
  const journals = createClosingJournals(folder, processes);
  const journal = await journals.create({
    version: 1,
    operation: "reset",
    address: "https://api.example.com",
    requester: "0",
    created_at: "2026-01-31T12:00:00.000Z",
    total: 1,
    list: "0",
  });
  await journal.mark({
    item: "1",
    state: "answered",
    body: Buffer.from('{"token":"x"}').toString("base64"),
  });
  await journal.close();
  const whole = readFileSync(journal.path);
  const head = whole.indexOf(0x0a);
  const end = whole.indexOf(0x0a, head + 1);
  // One bit of each byte; every bit in a soak.
  for (let bit = head * 8; bit < end * 8; bit += inFull(7, 1)) {
    const bytes = Buffer.from(whole);
    bytes[Math.floor(bit / 8)] = (bytes[Math.floor(bit / 8)] ?? 0) ^ (1 << (bit % 8));
    writeFileSync(journal.path, bytes);
    const left = await journals.leftovers();
    expect(left.map(({ contents }) => contents.isDamaged)).toEqual([true]);
    const reopened = await journals.reopen(journal.path).catch(() => null);
    await reopened?.journal.remove();
    expect(readFileSync(journal.path).subarray(0, bytes.length).equals(bytes)).toBe(true);
    expect((await journals.leftovers()).length).toBe(1);
  }
});

test("a pipe instead of a journal is not resumed, and the error names the pipe, not the folder", async () => {
  const state = makeStateFolder();
  const { environment } = await startTruthService();
  const path = join(makeFolder(), "a.journal");
  execFileSync("mkfifo", [path]);
  const run = await runMain(["grant", "delete", "--yes", "--resume", path], {
    environment: { ...environment, ...state.environment },
  });
  expect(run.code).toBe(2);
  expect(run.stderr).toContain("not a plain file");
});
