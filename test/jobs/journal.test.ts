// A record: the room for values, marks ahead of their turn, other versions, and what damage leaves.
import { appendFileSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Records, type Head } from "../../src/jobs/journal.ts";
import { entriesOf, leftOf } from "../../src/jobs/leftover.ts";
import { createLineFile, openLineFile } from "../../src/system/line-file.ts";
import { makeFolder } from "../support/state-folder.ts";

const head: Head = {
  version: 2,
  operation: "reset",
  argv: ["token", "reset"],
  server: "https://ghe.example.com/api/v3",
  requester: "r",
  created_at: "2026-01-31T12:00:00.000Z",
  keys: ["a", "b"],
};
const body = Buffer.from('{"token":"0123456789abcdef0123456789abcdef01234567"}').toString("base64");

const opened = async (operation: Head["operation"] = "reset") => {
  const folder = join(makeFolder(true), "state");
  const records = new Records(folder, { userId: null, named: [] });
  return { folder, records, journal: await records.create({ ...head, operation }) };
};

test("each request in flight that makes a value has room for its answer", async () => {
  const { journal } = await opened();
  for (let key = 0; key < 30; key += 1) await journal.mark({ key: `${key}`, state: "sent" });
  const text = readFileSync(journal.path, "latin1");
  expect(text.length - text.trimEnd().length).toBeGreaterThanOrEqual(30 * 16 * 1024);
  await journal.close();
});

test("an item that is marked ahead is sent on disk before its turn, and unchanged if that never comes", async () => {
  const { records, journal } = await opened("revoke");
  journal.markAhead({ key: "a" });
  journal.markAhead({ key: "b" });
  await journal.mark({ key: "a", state: "sent" });
  const states = async () => [...(await records.read(journal.id)).entries.values()].map(({ state }) => state);
  expect(await states()).toEqual(["sent", "sent"]);
  expect([...journal.contents.entries.keys()]).toEqual(["a"]);
  await journal.close();
  expect(await states()).toEqual(["sent", "unchanged"]);
});

test("a record of another version is listed, and no head is read", async () => {
  const { folder, records } = await opened();
  const old = await createLineFile(join(folder, "20250101-000000-abcdef.journal"), { version: 1 });
  await old?.close();
  const [found] = await records.all();
  expect(found).toMatchObject({ id: "20250101-000000-abcdef", contents: { head: null } });
  expect(found && leftOf(found.contents)).toBe("other-version");
  await records.close();
});

test("a record with strange or broken lines is damaged, and keeps its values", async () => {
  const { journal, records } = await opened();
  await journal.mark({ key: "a", state: "answered", body });
  await journal.close();
  const bytes = readFileSync(journal.path);
  truncateSync(journal.path, bytes.indexOf("\n\n") + 1);
  const broken = 'xxxxxxxxxxxxxxxx {"key":"b"}\n';
  appendFileSync(journal.path, broken);
  const file = await openLineFile(journal.path);
  expect(file?.read.isDamaged).toBe(true);
  await file?.file.append({ strange: true });
  await file?.file.close();
  expect(readFileSync(journal.path, "utf8")).toContain(broken);
  const contents = await records.read(journal.id);
  expect([leftOf(contents), entriesOf(contents, "kept").length]).toEqual(["damaged", 1]);
});
