// Worst-case texts of several megabytes are read in linear time.
import { describe, test } from "vitest";
import { foreign } from "../../src/errors/foreign.ts";
import { sanitise } from "../../src/drawing/sanitise.ts";
import { createRedactor } from "../../src/redaction/redact.ts";
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

describe("redacting", () => {
  const secrets = inFull(2_000, 10_000);
  const redactor = createRedactor(() => "");
  redactor.add("canary-PASSWORD-1");
  redactor.add("a");
  // Each is the beginning of the next.
  for (let length = 4; length < 44; length += 1) redactor.add("z".repeat(length));
  for (let count = 0; count < secrets; count += 1) redactor.add(`gho_${String(count).padStart(36, "0")}`);

  test.each([
    "plain. ",
    "x",
    "%41",
    "\\u0041",
    "canary-",
    "gho_",
    "z",
    "canary-PASSWORD-1",
    "a ",
    "a page of some text, ",
  ])(`%j again and again, with ${secrets} secrets`, { tags: "soak" }, (unit) => {
    const redactMany = (size: number): void =>
      void redactor.redactMessage(foreign(unit.repeat(size / unit.length)));
    expectLinear(redactMany, inFull(8_000, 60_000));
  });
});
