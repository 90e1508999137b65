// Sealed values that wait for their output: the data on disk, the processes that can read it, and behaviour without the
// key.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { summarize, undeliveredValues, unknownEntries } from "../../src/journal/leftover.ts";
import type { Head } from "../../src/journal/entries.ts";
import { hashOf, hashOfList } from "../../src/journal/hashes.ts";
import type { Journals } from "../../src/journal/journals.ts";
import { createClosingJournals } from "../support/closing-journals.ts";
import { createVault } from "../../src/journal/kept-values.ts";
import { failureOf } from "../support/failure-of.ts";
import { makeStateFolder } from "../support/state-folder.ts";

const alive = {
  pid: process.pid,
  bootId: null,
  scope: null,
  isRunning: (pid: number) => pid === process.pid,
};
const later = { pid: process.pid, bootId: null, scope: null, isRunning: () => false };
const key = randomBytes(32);
const value = "0123456789abcdef0123456789abcdef01234567";
const body = Buffer.from(JSON.stringify({ id: 1, token: value })).toString("base64");
const [first, second] = [hashOf("a"), hashOf("b")];

const head: Head = {
  version: 1,
  operation: "reset",
  address: "https://service.test",
  requester: hashOf("client"),
  created_at: "2026-01-31T12:00:00.000Z",
  total: 2,
  list: hashOfList([first, second]),
};

function journalsIn(folder: string, processes = alive, vaultKey: Buffer | null = key): Journals {
  return createClosingJournals(folder, processes, () =>
    Promise.resolve(vaultKey === null ? null : createVault(vaultKey)),
  );
}

test("sealed text is opened only with the same key and item", () => {
  const vault = createVault(key);
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(200), (text, at) => {
      const sealed = vault.seal(text, first);
      expect(vault.open(sealed, first)).toBe(text);
      expect(vault.open(sealed, second)).toBeNull();
      expect(createVault(randomBytes(32)).open(sealed, first)).toBeNull();
      const bytes = Buffer.from(sealed, "base64");
      bytes.writeUInt8(bytes.readUInt8(at % bytes.length) ^ 1, at % bytes.length);
      expect(vault.open(bytes.toString("base64"), first)).toBeNull();
      const shorter = bytes.subarray(0, at % bytes.length).toString("base64");
      expect(vault.open(shorter, first)).toBeNull();
    }),
  );
});

describe("a journal of values", () => {
  test("has no readable value on disk, and is opened by recover and --resume", async () => {
    const { path: folder } = makeStateFolder();
    const journal = await journalsIn(folder).create(head);
    await journal.mark({ item: first, state: "sent" });
    await journal.mark({ item: first, state: "answered", body });
    const text = readFileSync(journal.path, "utf8");
    expect(text).toContain('"sealed":');
    expect(text).not.toContain(body);
    expect(text).not.toContain(value);

    const [leftover] = await journalsIn(folder, later).leftovers();
    if (leftover === undefined) throw new Error("nothing was left");
    expect(summarize(leftover)).toMatchObject({ state: "value kept", values: 1, unknown: 0 });
    expect(unknownEntries(leftover)).toEqual([]);
    expect(undeliveredValues(await journalsIn(folder, later).unseal(leftover))).toMatchObject([
      { token: value },
    ]);

    const { journal: again } = await journalsIn(folder, later).reopen(journal.path);
    expect(again.initialEntries.get(first)).toMatchObject({ state: "answered", body });
    await again.mark({ item: second, state: "answered", body });
    await again.mark({ item: first, state: "done" });
    await again.close();
    // Delivered tokens are removed, and the others are still sealed.
    const rewritten = readFileSync(journal.path, "utf8");
    expect(rewritten.match(/"sealed":/g)).toHaveLength(1);
    expect(rewritten).not.toContain(body);
    const { journal: third } = await journalsIn(folder, later).reopen(journal.path);
    expect(third.initialEntries.get(second)).toMatchObject({ state: "answered", body });
    expect(third.initialEntries.get(first)).toEqual({ item: first, state: "done" });
    await third.remove();
  });

  test.each([
    ["no key can be had", null, /encrypted.*is not available/],
    ["the key is another one", randomBytes(32), /encrypted with another key/],
  ])("reports that %s, and stays unchanged", async (_, otherKey, message) => {
    const { path: folder } = makeStateFolder();
    const journal = await journalsIn(folder).create(head);
    await journal.mark({ item: first, state: "answered", body });
    const before = readFileSync(journal.path);
    const others = journalsIn(folder, later, otherKey);
    const [leftover] = await others.leftovers();
    if (leftover === undefined) throw new Error("nothing was left");
    expect(summarize(leftover).values).toBe(1);
    for (const attempt of [() => others.unseal(leftover), () => others.reopen(journal.path)]) {
      expect(await failureOf(attempt)).toMatchObject({
        kind: "authentication",
        message: expect.stringMatching(message) as string,
      });
    }
    expect(readFileSync(journal.path).equals(before)).toBe(true);
    expect(undeliveredValues(await journalsIn(folder, later).unseal(leftover))).toMatchObject([
      { token: value },
    ]);
  });

  test("of an operation without values needs no key", async () => {
    const { path: folder } = makeStateFolder();
    const journals = createClosingJournals(folder, alive, () =>
      Promise.reject(new Error("nobody needs a key")),
    );
    const journal = await journals.create({ ...head, operation: "revoke" });
    await expect(journal.mark({ item: first, state: "done" })).resolves.toBeUndefined();
    await journal.remove();
  });
});
