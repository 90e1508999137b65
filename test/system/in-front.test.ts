// True if a process is in the foreground of its terminal, as reported by Linux or a compatible system.
import { expect, test } from "vitest";
import { isForegroundStat } from "../../src/system/signals.ts";

test.each([
  ["in front", "7 (node) R 1 7 7 34816 7 4194304 0", true],
  ["in the background", "7 (node) R 1 7 3 34816 3 4194304 0", false],
  ["with brackets in its name", "7 (a) 1 2 3 (b) R 1 7 7 34816 7 4194304 0", true],
  ["without a terminal", "7 (node) R 1 7 7 0 -1 4194304 0", null],
  // gVisor does not report it; if that counted as background, grantctl would stop itself at every prompt.
  ["on a system that does not tell its terminal", "7 (node) R 1 7 7 0 0 0 0", null],
  ["on a system without the file", "", null],
])("a process %s", (_, text, isForeground) => {
  expect(isForegroundStat(text)).toBe(isForeground);
});
