// The file of lines: what survives a cut at any byte, zeros, and damage; and what a record says of it.
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Records, type Head } from "../../src/jobs/journal.ts";
import { entriesOf, leftOf } from "../../src/jobs/leftover.ts";
import { createLineFile, openLineFile, readLines } from "../../src/system/line-file.ts";
import { makeFolder } from "../support/state-folder.ts";

const lines = [
  { head: "x".repeat(300) },
  { item: "a", state: "sent" },
  { item: "a", state: "done", text: "ä\n" },
];

async function written(): Promise<string> {
  const path = join(makeFolder(true), "file");
  const [head, ...more] = lines;
  const file = await createLineFile(path, head ?? {});
  await file?.reserve();
  for (const record of more) await file?.append(record);
  await file?.close();
  return path;
}

const headOf = (operation: Head["operation"]): Head => ({
  version: 2,
  operation,
  argv: [],
  server: "http://127.0.0.1:1/",
  requester: "x",
  created_at: "2026-01-01T00:00:00Z",
  items: [],
});

test("each request in flight that makes a value has room for its answer", async () => {
  const journal = await new Records(join(makeFolder(true), "state")).create(headOf("reset"));
  for (let item = 0; item < 30; item += 1) await journal.mark({ item: `${item}`, state: "sent" });
  const text = readFileSync(journal.path, "latin1");
  expect(text.length - text.trimEnd().length).toBeGreaterThanOrEqual(30 * 16 * 1024);
  await journal.close();
});

test("an item that is marked ahead is sent on disk before its turn, and unchanged if that never comes", async () => {
  const records = new Records(join(makeFolder(true), "state"));
  const journal = await records.create(headOf("revoke"));
  journal.markAhead({ item: "a" });
  journal.markAhead({ item: "b" });
  await journal.mark({ item: "a", state: "sent" });
  const states = async () => [...(await records.read(journal.id)).entries.values()].map(({ state }) => state);
  expect(await states()).toEqual(["sent", "sent"]);
  expect([...journal.contents.entries.keys()]).toEqual(["a"]);
  await journal.close();
  expect(await states()).toEqual(["sent", "unchanged"]);
});

describe("a file of lines", () => {
  test("is private, has all lines, and room that does not count", async () => {
    const path = await written();
    expect((await readLines(path)).objects).toEqual(lines);
    expect([statSync(path).mode & 0o777, statSync(path).size > 100_000]).toEqual([0o600, true]);
  });

  test("cut at any byte has the whole lines before it, is not damaged, and goes on from there", async () => {
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
          const reopened = await openLineFile(path);
          expect(reopened?.read).toMatchObject({ objects: lines.slice(0, kept), isDamaged: false });
          await reopened?.file.append({ more: 1 });
          await reopened?.file.close();
          expect((await readLines(path)).objects).toEqual([...lines.slice(0, kept), { more: 1 }]);
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
    expect(await readLines(path)).toMatchObject({ objects: [lines[0], lines[2]], isDamaged: true });
  });

  test("is not opened twice", async () => {
    const path = await written();
    const first = await openLineFile(path);
    expect(await openLineFile(path)).toBeNull();
    await first?.file.close();
  });
});

const head: Head = {
  version: 2,
  operation: "reset",
  argv: ["token", "reset"],
  server: "https://ghe.example.com/api/v3",
  requester: "r",
  created_at: "2026-01-31T12:00:00.000Z",
  items: ["a", "b"],
};
const body = Buffer.from('{"token":"0123456789abcdef0123456789abcdef01234567"}').toString("base64");

const opened = async () => {
  const folder = join(makeFolder(), "state");
  const records = new Records(folder);
  return { folder, records, journal: await records.create(head) };
};

describe("a journal", () => {
  test("of another version is listed, and no head is read", async () => {
    const { folder, records } = await opened();
    const old = await createLineFile(join(folder, "20250101-000000-abcdef.journal"), { version: 1 });
    await old?.close();
    const [found] = await records.all();
    expect(found).toMatchObject({ id: "20250101-000000-abcdef", contents: { head: null } });
    expect(found && leftOf(found.contents)).toBe("other-version");
    await records.close();
  });

  test("with strange or broken lines is damaged, and keeps its values", async () => {
    const { journal, records } = await opened();
    await journal.mark({ item: "a", state: "answered", body });
    await journal.close();
    const bytes = readFileSync(journal.path);
    truncateSync(journal.path, bytes.indexOf("\n\n") + 1);
    const broken = 'xxxxxxxxxxxxxxxx {"item":"b"}\n';
    appendFileSync(journal.path, broken);
    const file = await openLineFile(journal.path);
    expect(file?.read.isDamaged).toBe(true);
    await file?.file.append({ strange: true });
    await file?.file.close();
    expect(readFileSync(journal.path, "utf8")).toContain(broken);
    const contents = await records.read(journal.id);
    expect([leftOf(contents), entriesOf(contents, "kept").length]).toEqual(["damaged", 1]);
  });
});
