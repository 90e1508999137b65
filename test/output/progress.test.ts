// The status line on an emulated terminal: its text, that what is written above it stays complete, and waits.
import { expect, test } from "vitest";
import type { OutputStream } from "../../src/output/output-stream.ts";
import { createProgress, durationText, type Progress } from "../../src/output/progress.ts";
import { screenLines } from "../support/screen-lines.ts";

interface Bench {
  readonly progress: Progress;
  readonly stdout: OutputStream;
  readonly notes: readonly string[];
  /** The lines on the terminal after this time. */
  readonly screenAfter: (milliseconds: number) => readonly string[];
}

function setUp(columns = 80, isTerminal = true): Bench {
  let sent = "";
  let time = 0;
  let draw: (() => void) | null = null;
  const notes: string[] = [];
  const terminal: OutputStream = {
    isTerminal,
    columns,
    write(piece) {
      sent += String(piece);
      return Promise.resolve();
    },
    settle: () => Promise.resolve(),
  };
  const progress = createProgress({
    stderr: terminal,
    isWanted: true,
    note: (line) => void notes.push(line),
    now: () => time,
    sleep: () => Promise.resolve(),
    every(_, call) {
      draw = call;
      return () => undefined;
    },
    beforeSignalEnds: () => () => undefined,
  });
  return {
    progress,
    stdout: progress.above(terminal),
    notes,
    screenAfter(milliseconds) {
      time += milliseconds;
      draw?.();
      return screenLines(sent);
    },
  };
}

test.each([
  [80, "[##----------------------] 1,000 of 10,000  45 s left"],
  [40, "1,000 of 10,000  45 s left"],
  [20, "1,000 of 10,000  45"],
])("in %i columns", (columns, line) => {
  const { progress, screenAfter } = setUp(columns);
  const task = progress.start("item", 10_000);
  expect(screenAfter(400)).toEqual([""]);
  task.reach(1000, 10_000);
  expect(screenAfter(4600)).toEqual([line]);
  task.end();
  expect(screenAfter(0)).toEqual([""]);
});

test("a resumed job counts what was done before, but not for its speed", () => {
  const { progress, screenAfter } = setUp();
  const task = progress.start("item", 100, 90);
  task.advance();
  expect(screenAfter(1000)).toEqual(["[#####################---] 91 of 100  9 s left"]);
});

test("pages without a known total, and a request that takes long", () => {
  const { progress, screenAfter } = setUp();
  const end = progress.request();
  expect(screenAfter(3000)).toEqual(["waiting for the server: 3 s"]);
  end();
  progress.start("page", null).reach(3, null);
  expect(screenAfter(1000)).toEqual(["page 3"]);
});

test("what is written stays above the line, and nothing is drawn during a prompt", async () => {
  const { progress, stdout, screenAfter } = setUp();
  progress.start("page", 9).reach(1, 9);
  expect(screenAfter(1000)[0]).toMatch(/page 1 of 9/);
  await stdout.write("one\n");
  await stdout.write("two\n");
  expect(screenAfter(0)).toEqual(["one", "two", expect.stringMatching(/page 1 of 9/)]);
  await progress.alone(() => {
    expect(screenAfter(1000)).toEqual(["one", "two", ""]);
    return Promise.resolve();
  });
  progress.end();
  expect(screenAfter(0)).toEqual(["one", "two", ""]);
});

test("a long wait is in the line, or noted once if there is none, however many requests share it", () => {
  const shown = setUp();
  shown.progress.start("item", 100);
  void shown.progress.wait(30_000, true);
  expect(shown.screenAfter(1000)[0]).toMatch(/0 of 100 {2}waiting 29 s for the server$/);
  expect(shown.notes).toEqual([]);
  const { progress, notes } = setUp(80, false);
  for (const milliseconds of [3000, 30_000, 30_000, 20_000]) void progress.wait(milliseconds, true);
  expect(notes).toEqual(["waiting 30 s, as the server requested"]);
});

test.each([
  [1, "1 s"],
  [59_000, "59 s"],
  [60_000, "1 min"],
  [125_000, "2 min 5 s"],
  [3_600_000, "1 h"],
  [90_061_000, "25 h 1 min"],
])("%i ms are shown as %s", (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});
