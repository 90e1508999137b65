// The order of a list: how fields compare, and what comes last.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LosslessNumber } from "lossless-json";
import { createSorter } from "../../src/lists/filters.ts";
import { unicode } from "../support/unicode.ts";

const sorted = <T extends object>(items: readonly T[], sort: string, reverse = false): readonly T[] =>
  createSorter({ sort, reverse }, ["id", "app", "app.name", "note", "created_at"])?.(items) ?? [];

const ids = ["9", "10", "9007199254740992", "9007199254740993", "12345678901234567890"];
const names = ["\u00c4hre", "alpha", "beta", "host2", "host10", "Zeta", "z\u00fcrich"];
const dates =
  "2025-01-01T00:00:00Z 2025-01-01T00:00:00.5Z 2026-01-02T00:00:00+05:00 2026-01-01T23:00:00Z".split(" ");

test.each<readonly [sort: string, inOrder: readonly unknown[], last: readonly unknown[]]>([
  ["id", ids.map((id) => new LosslessNumber(id)), []],
  ["note", names, [null, ""]],
  ["created_at", dates, ["never", null]],
  ["app.name", [{ name: "A" }, { name: "b" }], [null]],
])("sorts by %s in both directions: %j, then %j", (sort, inOrder, last) => {
  const field = sort.replace(".name", "");
  const items = [...inOrder, ...last].map((value) => ({ [field]: value }));
  const shuffled = [...items.slice(2).toReversed(), ...items.slice(0, 2)];
  const values = (isReverse: boolean): readonly unknown[] =>
    sorted(shuffled, sort, isReverse).map((item) => item[field]);
  const lastFound = shuffled.map((item) => item[field]).filter((value) => last.includes(value));
  expect(values(false)).toEqual([...inOrder, ...lastFound]);
  expect(values(true)).toEqual([...inOrder.toReversed(), ...lastFound]);
});

test("keeps all items, and the order of equal ones in both directions", () => {
  const note = fc.option(fc.oneof(fc.constantFrom("a", "A", "b", "", "1", "01"), unicode()));
  fc.assert(
    fc.property(fc.array(note), fc.boolean(), (values, isReverse) => {
      const items = values.map((text, position) => ({ note: text, position }));
      const once = sorted(items, "note", isReverse);
      expect(once.map(({ position }) => position).toSorted((a, b) => a - b)).toEqual([...items.keys()]);
      expect(sorted(once, "note", isReverse)).toEqual(once);
      const isMoved = (item: (typeof items)[0], index: number): boolean =>
        once
          .slice(index)
          .some(({ note: other, position }) => other === item.note && position < item.position);
      expect(once.filter(isMoved)).toEqual([]);
    }),
  );
});
