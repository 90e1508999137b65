// What is kept of a page says the same as what was put into it, whatever characters are in it.
import { array, assert, constant, constantFrom, integer, oneof, property, record } from "fast-check";
import { expect, test } from "vitest";
import { breadthOf } from "../../src/audit/breadth.ts";
import { keepItems, type Draft } from "../../src/audit/item-page.ts";
import { hashOf } from "../../src/audit/repeated-notes.ts";
import { parseInstant } from "../../src/lists/age.ts";
import { unicode } from "../support/unicode.ts";

const text = oneof(
  unicode({ minLength: 1 }),
  constantFrom("\0", "a\0b", "\ud800", "\udc00", "na\u00efve", "\u6f22", "2026-01-31T10:20:30Z"),
);
const textOrNull = oneof(text, constant(null));
const moment = oneof(textOrNull, constantFrom("2026-01-31T10:20:30Z", "2026-02-30T00:00:00Z"));
const draft = record<Draft>({
  resource: constantFrom<Draft["resource"]>("grant", "authorization", "credential"),
  id: integer(),
  name: oneof(text, constant("same")),
  app: constantFrom(
    { application: "same", clientId: "c" },
    { application: null, clientId: null },
    { application: null, clientId: "d" },
  ),
  note: oneof(textOrNull, constant("same")),
  fingerprint: textOrNull,
  reach: constantFrom(
    { scopes: ["repo"], breadth: breadthOf(["repo"]) },
    { scopes: null, breadth: breadthOf(null) },
  ),
  createdAt: moment,
  updatedAt: moment,
  expiresAt: moment,
  usedAt: moment,
  hash: textOrNull,
  lastEight: textOrNull,
});

test("an item says what was kept of it", () => {
  assert(
    property(array(draft, { maxLength: 6 }), (drafts) => {
      const items = keepItems(drafts);
      expect(items).toHaveLength(drafts.length);
      for (const [index, { app, reach, ...own }] of drafts.entries()) {
        expect(items[index]).toMatchObject({
          ...own,
          ...app,
          ...reach,
          noteHash: own.note === null ? null : hashOf(own.note),
          created: parseInstant(own.createdAt),
          updated: parseInstant(own.updatedAt),
          expires: parseInstant(own.expiresAt),
          used: parseInstant(own.usedAt),
        });
      }
    }),
  );
});
