// `recover list` in a state folder that is partly unreadable: it names every file that is not a whole journal, and no
// run deletes one.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createClosingJournals } from "../support/closing-journals.ts";
import { inFull } from "../support/soak.ts";
import { makeFolder, makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { startTruthService } from "../support/truth-service.ts";

const processes = { pid: process.pid, bootId: null, scope: null, isRunning: () => false };

describe("recover list names", () => {
  test.each([
    ["a folder", (path: string): void => mkdirSync(path)],
    ["a pipe", (path: string): void => void execFileSync("mkfifo", [path])],
    ["a file of another program", (path: string): void => writeFileSync(path, "not a journal\n")],
  ])("%s instead of a journal", async (_, make) => {
    const state = makeStateFolder();
    mkdirSync(state.path, { mode: 0o700 });
    make(join(state.path, "20260101-000000-abcdef.journal"));
    const listed = await runMain(["recover", "list", "--json", "id,state"], {
      environment: state.environment,
    });
    expect(JSON.parse(listed.stdout)).toEqual([{ id: "20260101-000000-abcdef", state: "damaged" }]);
  });

  test.runIf(process.geteuid?.() !== 0)("a journal that may not be read", async () => {
    const state = makeStateFolder();
    mkdirSync(state.path, { mode: 0o700 });
    const path = join(state.path, "20260101-000000-abcdef.journal");
    writeFileSync(path, "");
    chmodSync(path, 0);
    const listed = await runMain(["recover", "list", "--json", "state"], { environment: state.environment });
    expect(JSON.parse(listed.stdout)).toEqual([{ state: "damaged" }]);
  });
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
