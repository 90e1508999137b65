// The entry of an item, after all its records.
import { expect, test } from "vitest";
import { mustBeKept, laterVersion, readContents } from "../../src/journal/entries.ts";

const head = {
  version: 1,
  operation: "get-or-create",
  address: "https://service.test/",
  requester: "hash",
  created_at: "2026-01-31T12:00:00.000Z",
  total: 1,
  list: "hash",
};

test.each([
  [{}, "failed", false],
  // While grantctl waits for a rate limit, the deletion is already done.
  [{ replaces: { id: "1" } }, "sent", true],
])("the entry of a rejected creation with %j is %s", (more, state, isToBeTold) => {
  const records = [head, { item: "a", state: "sent", ...more }, { item: "a", state: "failed" }];
  const contents = readContents({ records, isDamaged: false }, null);
  if (contents === null || contents === laterVersion) throw new Error("these are the records of a journal");
  expect(contents.items.get("a")).toMatchObject({ state });
  expect(mustBeKept(contents)).toBe(isToBeTold);
});
