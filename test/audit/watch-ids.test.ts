// Identifiers that come twice are told, in whatever order they come and however many digits they have.
import { array, assert, constantFrom, integer, oneof, property } from "fast-check";
import { LosslessNumber } from "lossless-json";
import { expect, test } from "vitest";
import { textOf } from "../../src/printing/presentation.ts";
import { watchIds } from "../../src/audit/watch-ids.ts";

const id = oneof(
  integer({ min: -3, max: 9 }),
  constantFrom("9007199254740993", "9007199254740992", "-9007199254740993").map(
    (digits) => new LosslessNumber(digits),
  ),
);

test("an identifier that came before is told", () => {
  assert(
    property(
      array(id, { maxLength: 12 }),
      array(integer({ min: 0, max: 5 }), { maxLength: 4 }),
      (ids, steps) => {
        // Many lists begin in their order, and some keep it.
        const ordered = steps.map((step, index) => index * 6 + step - 100);
        const isRepeated = watchIds();
        const seen = new Set<string>();
        for (const one of [...ordered, ...ids]) {
          expect(isRepeated(one)).toBe(seen.has(textOf(one)));
          seen.add(textOf(one));
        }
      },
    ),
  );
});
