// Worst-case texts of several megabytes are read in linear time.
import { test } from "vitest";
import { sanitise } from "../../src/output/sanitise.ts";
import { expectLinear } from "../support/growth.ts";
import { inFull } from "../support/soak.ts";

test.each([
  ["harmless", "a"],
  ["all escapes", "\u001b"],
  ["bidi", "\u202e"],
  ["half pairs", "\ud800"],
  ["emoji", "\u{1f600}"],
  ["marks", "\u0301"],
  ["hearts", "\u2764\ufe0f"],
])("sanitising, %s", { tags: "soak" }, (_, unit) => {
  const sanitiseMany = (size: number): void => void sanitise(unit.repeat(size / unit.length));
  expectLinear(sanitiseMany, inFull(40_000, 300_000));
});
