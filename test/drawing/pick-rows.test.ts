// Rows of a picker: aligned, inside the window, and safe to show whatever they contain.
import * as fc from "fast-check";
import displayWidth from "string-width";
import { expect, test } from "vitest";
import { layOutRows } from "../../src/drawing/pick-rows.ts";
import { unicode } from "../support/unicode.ts";

const columns = [
  { title: "APP", isWhole: false, priority: 1 },
  { title: "SCOPES", isWhole: false, priority: 2 },
  { title: "LONG AGO", isWhole: true, priority: 3 },
];

test("columns are aligned with wide characters, long cells are cut, and the age is complete", () => {
  const rows = layOutRows(
    [
      ["漢字ノート", "repo", "3 days"],
      ["Harbour", "repo,notifications,admin:repo_hook,user", "12 months"],
    ],
    columns,
  );
  expect(rows.draw(0, 100)).toBe("漢字ノート  repo                                     3 days");
  expect(rows.draw(0, 40)).toBe("漢字ノート  repo               3 days");
  expect(rows.draw(1, 40)).toBe("Harbour     repo,notificatio…  12 months");
  expect(rows.texts[1]).toBe("Harbour repo,notifications,admin:repo_hook,user 12 months");
});

test("each row is one line within the window, and moves no cursor", () => {
  const cell = fc.oneof(
    unicode({ maxLength: 30 }),
    fc.string({
      unit: fc.constantFrom("漢", "a", "e\u0301", "\u{1f600}", "\n", "\u001b", "\u202e"),
      maxLength: 60,
    }),
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 120 }),
      (cells, window) => {
        const rows = layOutRows(cells, columns);
        for (const index of cells.keys()) {
          const row = rows.draw(index, window);
          expect(displayWidth(row)).toBeLessThanOrEqual(window);
          expect(displayWidth(rows.drawTitles(window))).toBeLessThanOrEqual(window);
          // oxlint-disable-next-line no-control-regex
          expect(row + (rows.texts[index] ?? "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
        }
      },
    ),
  );
});
