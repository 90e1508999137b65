// The status line on an emulated terminal: its text, that what is written above it stays complete, and waits.
import { beforeEach, expect, test, vi } from "vitest";
import type { OutputStream } from "../../src/output/output-stream.ts";
import { createProgress } from "../../src/output/progress.ts";
import { screenOf } from "../support/screen.ts";

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

function setUp(columns = 80, isTerminal = true) {
  let sent = "";
  const notes: string[] = [];
  const terminal: OutputStream = {
    isTerminal,
    columns,
    write(piece) {
      sent += String(piece);
      return Promise.resolve();
    },
    flush: () => Promise.resolve(),
  };
  const progress = createProgress({
    stderr: terminal,
    isWanted: true,
    note: (line) => void notes.push(line),
    sleep: () => Promise.resolve(),
    host: { now: () => Date.now(), beforeSignalEnds: () => () => undefined },
  });
  return {
    progress,
    stdout: progress.above(terminal),
    notes,
    screenAfter: (milliseconds: number) => {
      vi.advanceTimersByTime(milliseconds);
      return screenOf(sent.replaceAll("\n", "\r\n"));
    },
  };
}

test("the counts are shown after a moment, with what was done before, and cut in a narrow window", () => {
  for (const [columns, line] of [
    [80, "91 of 10,000  2 h 45 min left  [--------------------]"],
    [8, "91 of 1"],
  ] as const) {
    const { progress, screenAfter } = setUp(columns);
    const task = progress.start("item", 10_000, 90);
    expect(screenAfter(400)).toEqual([]);
    task.reach(91, 10_000);
    expect(screenAfter(600)).toEqual([line]);
    task.end();
    expect(screenAfter(0)).toEqual([]);
  }
});

test("pages without a known total", () => {
  const { progress, screenAfter } = setUp();
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
    expect(screenAfter(1000)).toEqual(["one", "two"]);
    return Promise.resolve();
  });
  progress.end();
  expect(screenAfter(0)).toEqual(["one", "two"]);
});

test("a long wait is in the line, or noted once if there is none, however many requests share it", () => {
  const shown = setUp();
  shown.progress.start("item", 100);
  void shown.progress.wait(30_000);
  expect(shown.screenAfter(1000)[0]).toMatch(/0 of 100 {2}waiting 29 s for the server {2}\[-{20}\]$/);
  expect(shown.notes).toEqual([]);
  const { progress, notes } = setUp(80, false);
  for (const milliseconds of [3000, 30_000, 30_000, 20_000]) void progress.wait(milliseconds);
  expect(notes).toEqual(["waiting 30 s before trying again"]);
});
