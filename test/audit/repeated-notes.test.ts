// Notes that come again are counted by their text, also where the numbers of different notes are the same.
import { array, assert, constantFrom, property, record } from "fast-check";
import { expect, test } from "vitest";
import { breadthOf } from "../../src/audit/breadth.ts";
import type { Item } from "../../src/audit/item.ts";
import { keepItems } from "../../src/audit/item-page.ts";
import { countNotes, hashOf } from "../../src/audit/repeated-notes.ts";

/** Two texts of one number. */
const twins = ["costarring", "liquid"] as const;

const note = constantFrom(null, "a", "b", "c", ...twins);
const resource = constantFrom<Item["resource"]>("authorization", "authorization", "grant", "credential");

test("a note is counted by its text", () => {
  expect(hashOf(twins[0])).toBe(hashOf(twins[1]));
  assert(
    property(array(record({ resource, note }), { maxLength: 20 }), (wanted) => {
      const items = wanted.flatMap((each) => keepItems([{ ...draft, ...each }]));
      const countOf = countNotes(items);
      for (const [index, { note: own }] of wanted.entries()) {
        const count = wanted.filter((each) => each.resource === "authorization" && each.note === own).length;
        expect(countOf(items[index] as Item)).toBe(own === null || count < 2 ? 0 : count);
      }
    }),
  );
});

const draft = {
  id: 1,
  name: "name",
  app: { application: null, clientId: null },
  fingerprint: null,
  reach: { scopes: [], breadth: breadthOf([]) },
  createdAt: null,
  updatedAt: null,
  expiresAt: null,
  usedAt: null,
  hash: null,
  lastEight: null,
} as const;
