// The journals of a user: their contents, the secrets they must never contain, and the processes that may use them.
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Head } from "../../src/journal/entries.ts";
import { hashOf, hashOfList } from "../../src/journal/hashes.ts";
import { createClosingJournals } from "../support/closing-journals.ts";
import type { ProcessTable } from "../../src/files/lock.ts";
import { makeFolder, makeStateFolder } from "../support/state-folder.ts";

const alive: ProcessTable = {
  pid: process.pid,
  bootId: null,
  scope: null,
  isRunning: (pid) => pid === process.pid,
};
/** The same machine after this process has ended. */
const later: ProcessTable = { pid: process.pid, bootId: null, scope: null, isRunning: () => false };

const value = "0123456789abcdef0123456789abcdef01234567";

function headOf(items: readonly string[]): Head {
  return {
    version: 1,
    operation: "reset",
    address: "https://service.test",
    requester: hashOf("client"),
    created_at: "2026-01-31T12:00:00.000Z",
    total: items.length,
    list: hashOfList(items.map(hashOf)),
  };
}

function answerWith(token: string): string {
  return Buffer.from(JSON.stringify({ id: 1, token })).toString("base64");
}

describe("a journal", () => {
  test("and its folder are private, even if the folder was not", async () => {
    const folder = join(makeFolder(), "state");
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const before = process.umask(0);
    try {
      const journal = await createClosingJournals(folder, alive).create(headOf(["a", "b"]));
      await journal.mark({ item: hashOf("a"), state: "sent" });
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      expect(statSync(journal.path).mode & 0o777).toBe(0o600);
      expect(statSync(`${journal.path}.lock`).mode & 0o777).toBe(0o600);
      await journal.mark({ item: hashOf("a"), state: "answered", body: answerWith(value) });
      await journal.mark({ item: hashOf("a"), state: "done" });
      await journal.close();
      expect(statSync(journal.path).mode & 0o777).toBe(0o600);
    } finally {
      process.umask(before);
    }
  });

  test("that is kept contains every undelivered value, and no delivered one", async () => {
    const state = makeStateFolder();
    const journal = await createClosingJournals(state.path, alive).create(headOf(["a", "b", "c"]));
    for (const [item, token] of [
      ["a", value],
      ["b", value.replaceAll("0", "f")],
    ] as const) {
      await journal.mark({ item: hashOf(item), state: "sent" });
      await journal.mark({ item: hashOf(item), state: "answered", body: answerWith(token) });
    }
    await journal.mark({ item: hashOf("a"), state: "done" });
    await journal.close();
    expect(state.content()).not.toContain(answerWith(value));
    expect(state.content()).toContain(answerWith(value.replaceAll("0", "f")));
    const { journal: again } = await createClosingJournals(state.path, alive).reopen(journal.path);
    expect(again.initialEntries.get(hashOf("a"))).toEqual({ item: hashOf("a"), state: "done" });
    expect(again.initialEntries.get(hashOf("b"))?.state).toBe("answered");
    expect(again.initialEntries.has(hashOf("c"))).toBe(false);
  });

  test("is locked by one process at a time, and unlocked when that process has ended", async () => {
    const state = makeStateFolder();
    const journals = createClosingJournals(state.path, alive);
    const journal = await journals.create(headOf(["a", "b"]));
    await journal.mark({ item: hashOf("a"), state: "sent" });
    const before = readFileSync(journal.path);
    await expect(journals.reopen(journal.path)).rejects.toMatchObject({ kind: "usage" });
    expect(await journals.leftovers()).toEqual([]);
    const leftover = (await createClosingJournals(state.path, later).leftovers())[0];
    expect(leftover?.id).toBe(journal.id);
    if (leftover === undefined) return;
    await expect(journals.forget(leftover)).rejects.toMatchObject({ kind: "usage" });
    expect(readFileSync(journal.path).equals(before)).toBe(true);
    const { journal: taken } = await createClosingJournals(state.path, later).reopen(journal.path);
    expect(taken.initialEntries.get(hashOf("a"))?.state).toBe("sent");
  });
});

describe("a file that is not a journal", () => {
  test.each([
    ["a list of tokens", `${value}\n${value.replaceAll("0", "f")}\n`],
    ["an output file", `{"token_last_eight_before":"01234567","id":1,"token":"${value}","status":"reset"}\n`],
    ["a file without a line", "precious"],
    ["a file of another program", Buffer.from([0, 1, 2, 255, 10, 0, 7])],
  ])("%s is rejected and stays unchanged", async (_, content) => {
    const folder = makeFolder();
    const path = join(folder, "precious.txt");
    writeFileSync(path, content);
    await expect(createClosingJournals(folder, alive).reopen(path)).rejects.toMatchObject({ kind: "usage" });
    expect(readFileSync(path, "latin1")).toBe(Buffer.from(content).toString("latin1"));
  });
});
