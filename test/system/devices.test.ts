// Names that Windows treats as devices or as alternate data streams.
import { expect, test } from "vitest";
import { namesDeviceOrStream } from "../../src/delivery/value-file.ts";

test.each([
  "NUL",
  "nul",
  "aux.txt",
  "com1.log",
  "LPT9",
  "con .txt",
  "CONOUT$",
  String.raw`C:\values\nul`,
  "C:nul",
  "values/prn.json",
  "new.txt:values",
  String.raw`C:\new.txt:values`,
])("%s is a device or stream", (path) => {
  expect(namesDeviceOrStream(path)).toBe(true);
});

test.each([
  "new.txt",
  "null",
  "console.txt",
  "com.txt",
  "com10",
  "x.nul",
  String.raw`C:\con\new.txt`,
  "C:new.txt",
  ".nul",
])("%s is a file's name", (path) => {
  expect(namesDeviceOrStream(path)).toBe(false);
});
