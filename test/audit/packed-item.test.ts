// What was packed comes out as it went in, whatever characters are in it.
import { array, assert, constant, constantFrom, integer, oneof, property, record, string } from "fast-check";
import { expect, test } from "vitest";
import { breadthOf } from "../../src/audit/breadth.ts";
import type { Item } from "../../src/audit/item.ts";
import { createPacker } from "../../src/audit/packed-item.ts";

const text = oneof(
  string({ unit: "binary", minLength: 1 }),
  constantFrom("\0", "a\0b", "\ud800", "na\u00efve", "\u6f22", "2026-01-31T10:20:30Z", "x".repeat(300_000)),
);
const textOrNull = oneof(text, constant(null));
const item = record<Item>({
  resource: constantFrom("grant", "authorization", "credential"),
  id: integer(),
  name: text,
  application: textOrNull,
  clientId: textOrNull,
  note: textOrNull,
  fingerprint: textOrNull,
  scopes: constant(["repo"]),
  breadth: constant(breadthOf(["repo"])),
  createdAt: textOrNull,
  updatedAt: textOrNull,
  expiresAt: textOrNull,
  usedAt: textOrNull,
  hash: textOrNull,
  lastEight: textOrNull,
});
const names: readonly (keyof Item)[] = [
  "resource",
  "id",
  "name",
  "application",
  "clientId",
  "note",
  "fingerprint",
  "scopes",
  "breadth",
  "createdAt",
  "updatedAt",
  "expiresAt",
  "usedAt",
  "hash",
  "lastEight",
];

test("an item says the same packed as before, in any order", () => {
  assert(
    property(array(item, { maxLength: 6 }), (items) => {
      const pack = createPacker();
      const packed = items.map(pack);
      for (const name of names) {
        expect(packed.map((each) => each[name])).toEqual(items.map((each) => each[name]));
        expect(packed.toReversed().map((each) => each[name])).toEqual(
          items.toReversed().map((each) => each[name]),
        );
      }
    }),
  );
});
