// Cached lists contain later changes, but not those that were rolled back.
import { expect, test } from "vitest";
import { createRecordCache } from "../../src/sandbox/store/access.ts";
import { authorizationsOf } from "./resource-shapes.ts";
import { type Reply, startTestSandbox, type TestSandbox } from "./sandbox-client.ts";

type Change = (sandbox: TestSandbox) => Promise<Reply>;

const tokenPath = (
  { description: { client_id: id, tokens } }: TestSandbox,
  kind: "tokens" | "grants",
): string => `/applications/${id}/${kind}/${tokens[0]?.token ?? ""}`;

const changes: readonly (readonly [what: string, change: Change])[] = [
  ["a new token", ({ asAccount }) => asAccount("POST", "/authorizations", { note: "new", scopes: [] })],
  ["a changed note", ({ asAccount }) => asAccount("PATCH", "/authorizations/2", { note: "été" })],
  ["an added scope", ({ asAccount }) => asAccount("PATCH", "/authorizations/2", { add_scopes: ["gist"] })],
  ["a deletion", ({ asAccount }) => asAccount("DELETE", "/authorizations/3")],
  ["a reset", (sandbox) => sandbox.asApplication("POST", tokenPath(sandbox, "tokens"))],
  ["a revoked token", (sandbox) => sandbox.asApplication("DELETE", tokenPath(sandbox, "tokens"))],
  ["a revoked grant", (sandbox) => sandbox.asApplication("DELETE", tokenPath(sandbox, "grants"))],
];

/** The same authorizations, requested one by one. */
async function oneByOne({ asAccount }: TestSandbox): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  for (let id = 1; id <= 8; id += 1) {
    const reply = await asAccount("GET", `/authorizations/${id}`);
    if (reply.status === 200) items.push(reply.json());
  }
  return items;
}

test.each(changes)("the list shows %s, in the same format", async (_, change) => {
  const sandbox = await startTestSandbox();
  const before = await sandbox.asAccount("GET", "/authorizations");
  expect((await change(sandbox)).status).toBeLessThan(300);
  const after = await sandbox.asAccount("GET", "/authorizations");
  expect(after.text).not.toBe(before.text);
  expect(after.text).toBe(`${JSON.stringify(await oneByOne(sandbox), null, 2)}\n`);
  expect(after.headers["content-length"]).toBe(String(Buffer.byteLength(after.text)));
});

test("a rejected change is not in the list", async () => {
  const sandbox = await startTestSandbox();
  const before = await sandbox.asAccount("GET", "/authorizations");
  const taken = authorizationsOf(before)[0]?.note;
  const refused = await sandbox.asAccount("POST", "/authorizations", { note: taken, scopes: [] });
  expect(refused.status).toBe(422);
  const after = await sandbox.asAccount("GET", "/authorizations");
  expect(after.text).toBe(before.text);
});

test("an empty list has the same format", async () => {
  const sandbox = await startTestSandbox();
  const reply = await sandbox.asAccount("GET", "/authorizations?page=99");
  expect(reply.text).toBe("[]\n");
});

test("a record is read once, until its row changes", () => {
  const reads: (readonly number[])[] = [];
  let isInTransaction = false;
  const records = createRecordCache(
    (ids) => {
      reads.push(ids);
      return ids.filter((id) => id < 9000).map((id) => ({ id }));
    },
    () => isInTransaction,
  );
  const [first] = records.get([1, 2]);
  expect(records.get([2, 3, 1])).toEqual([{ id: 2 }, { id: 3 }, { id: 1 }]);
  expect(records.get([1])[0]).toBe(first);
  expect(reads).toEqual([[1, 2], [3]]);
  records.forget(1);
  expect(records.get([1, 2])[0]).not.toBe(first);
  expect(reads.at(-1)).toEqual([1]);
  records.forgetAll();
  isInTransaction = true;
  records.get([1]);
  records.get([1]);
  expect(reads.slice(-2)).toEqual([[1], [1]]);
  expect(records.get([9000])).toEqual([]);
});

/** The IDs of a page of a hundred. */
function page(number: number): readonly number[] {
  return Array.from({ length: 100 }, (_, at) => number * 100 + at);
}

test("the cache is bounded", () => {
  let read = 0;
  const records = createRecordCache(
    (ids) => {
      read += ids.length;
      return ids.map((id) => ({ id }));
    },
    () => false,
  );
  for (let number = 0; number <= 50; number += 1) records.get(page(number));
  records.get(page(50));
  expect(read).toBe(5100);
  records.get(page(0));
  expect(read).toBe(5200);
});
