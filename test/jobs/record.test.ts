// The file of records: what survives a cut at any byte, zeros, and damage; and what a journal says of it.
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createJournals, otherVersion, type Contents, type Head } from "../../src/jobs/journal.ts";
import { keptValues, leftOf } from "../../src/jobs/leftover.ts";
import { createRecordFile, readRecords, reopenRecordFile } from "../../src/jobs/record.ts";
import { makeFolder } from "../support/state-folder.ts";

const records = [
  { head: "x".repeat(300) },
  { item: "a", state: "sent" },
  { item: "a", state: "done", text: "ä\n" },
];

async function written(): Promise<string> {
  const path = join(makeFolder(true), "file");
  const file = await createRecordFile(path, records.slice(0, 1));
  await file?.reserve();
  for (const record of records.slice(1)) await file?.append(record);
  await file?.close();
  return path;
}

describe("a file of records", () => {
  test("is private, has all records, and room that does not count", async () => {
    const path = await written();
    expect((await readRecords(path)).records).toEqual(records);
    expect([statSync(path).mode & 0o777, statSync(path).size > 100_000]).toEqual([0o600, true]);
  });

  test("cut at any byte has the whole records before it, is not damaged, and goes on from there", async () => {
    const whole = readFileSync(await written());
    const ends = [...whole.keys()].filter((at) => whole[at] === 0x0a).slice(0, 3);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: (ends[0] ?? 0) + 1, max: (ends[2] ?? 0) + 5 }),
        fc.constantFrom("", "\0".repeat(100), "\n".repeat(100)),
        async (cut, tail) => {
          const path = join(makeFolder(true), "file");
          writeFileSync(path, Buffer.concat([whole.subarray(0, cut), Buffer.from(tail)]));
          const kept = ends.filter((end) => end < cut || (end === cut && tail.startsWith("\n"))).length;
          const reopened = await reopenRecordFile(path, (read) => read);
          expect(reopened?.checked).toMatchObject({ records: records.slice(0, kept), isDamaged: false });
          await reopened?.file.append({ more: 1 });
          await reopened?.file.close();
          expect((await readRecords(path)).records).toEqual([...records.slice(0, kept), { more: 1 }]);
        },
      ),
      { numRuns: 100 },
    );
  });

  test("with a changed byte in an earlier record is damaged, and keeps the others", async () => {
    const path = await written();
    const bytes = readFileSync(path);
    const at = bytes.indexOf('"sent"');
    bytes[at + 1] = 0x58;
    writeFileSync(path, bytes);
    expect(await readRecords(path)).toMatchObject({ records: [records[0], records[2]], isDamaged: true });
  });

  test("is not opened twice", async () => {
    const path = await written();
    const first = await reopenRecordFile(path, () => null);
    expect(await reopenRecordFile(path, () => null)).toBeNull();
    await first?.file.close();
  });
});

const head: Head = {
  version: 2,
  operation: "reset",
  argv: ["token", "reset"],
  server: "https://ghe.example.com/api/v3",
  server_type: "service",
  requester: "r",
  created_at: "2026-01-31T12:00:00.000Z",
  items: ["a", "b"],
};
const body = Buffer.from('{"token":"0123456789abcdef0123456789abcdef01234567"}').toString("base64");

const opened = async (more: Partial<Head> = {}) => {
  const folder = join(makeFolder(), "state");
  const journals = createJournals(folder);
  return { folder, journals, journal: await journals.create({ ...head, ...more }) };
};

const contentsOf = async ({ journals, journal }: Awaited<ReturnType<typeof opened>>): Promise<Contents> => {
  const contents = await journals.read(journal.path);
  if (contents === otherVersion) throw new Error("of another version");
  return contents;
};

describe("a journal", () => {
  test("says what is left: nothing, an unknown outcome, a value, unfinished work", async () => {
    const state = await opened();
    const left = async () => leftOf(await contentsOf(state));
    expect(await left()).toBeNull();
    await state.journal.mark({ item: "a", state: "sent" });
    expect(await left()).toBe("unknown");
    await state.journal.mark({ item: "a", state: "answered", body });
    expect(await left()).toBe("value");
    state.journal.note({ item: "a", state: "done" });
    expect(await left()).toBe("unfinished");
    state.journal.note({ item: "b", state: "done" });
    expect(await left()).toBeNull();
    await state.journal.close();
  });

  test("of another version is listed, and neither read nor changed", async () => {
    const state = await opened();
    await state.journal.close();
    const old = await createRecordFile(join(state.folder, "20250101-000000-abcdef.journal"), [
      { version: 1 },
    ]);
    await old?.close();
    const [ref] = await state.journals.all();
    expect(ref?.id).toBe("20250101-000000-abcdef");
    expect(await state.journals.read(ref?.path ?? "")).toBe(otherVersion);
    await expect(state.journals.reopen(ref?.path ?? "")).rejects.toMatchObject({ kind: "usage" });
  });

  test("with strange or broken lines is damaged, and is not removed", async () => {
    const state = await opened();
    await state.journal.mark({ item: "a", state: "answered", body });
    await state.journal.close();
    const bytes = readFileSync(state.journal.path);
    truncateSync(state.journal.path, bytes.indexOf("\n\n") + 1);
    appendFileSync(state.journal.path, 'xxxxxxxxxxxxxxxx {"item":"b"}\n');
    const file = await reopenRecordFile(state.journal.path, (read) => read);
    expect(file?.checked.isDamaged).toBe(false);
    await file?.file.append({ strange: true });
    await file?.file.close();
    expect(leftOf(await contentsOf(state))).toBe("damaged");
    const { journal } = await state.journals.reopen(state.journal.path);
    await journal.remove();
    expect(await state.journals.all()).toHaveLength(1);
    expect(keptValues(await contentsOf(state))).toHaveLength(1);
  });
});
