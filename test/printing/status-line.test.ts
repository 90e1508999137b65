// The status line on an emulated terminal: text above it stays complete, and nothing is left behind.
import { EventEmitter, once } from "node:events";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createStatusLine, type StatusLine } from "../../src/printing/progress.ts";
import type { OutputStream } from "../../src/printing/output-stream.ts";
import { screenLines } from "../support/screen-lines.ts";

interface Bench {
  readonly line: StatusLine;
  readonly stdout: OutputStream;
  /** The lines on the terminal, in order. */
  readonly screen: () => readonly string[];
}

function setUp(pipe: OutputStream | null = null): Bench {
  let sent = "";
  const terminal: OutputStream = {
    isTerminal: true,
    columns: 40,
    write(piece) {
      sent += String(piece);
      return Promise.resolve();
    },
    settle: () => Promise.resolve(),
  };
  const line = createStatusLine({
    stderr: terminal,
    isWanted: true,
    beforeSignalEnds: () => () => undefined,
  });
  return { line, stdout: line.above(pipe ?? terminal), screen: () => screenLines(sent) };
}

test("the final output is complete, however it was split, and contains nothing else", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          fc.record({ show: fc.stringMatching(/^[a-z0-9 ]{0,30}$/) }),
          fc.record({ out: fc.stringMatching(/^[A-Z\n]{0,9}$/) }),
        ),
      ),
      async (actions) => {
        const { line, stdout, screen } = setUp();
        let written = "";
        for (const action of actions) {
          if ("show" in action) line.show(action.show);
          else {
            written += action.out;
            await stdout.write(action.out);
          }
        }
        line.show("");
        expect(screen()).toEqual(written.split("\n"));
      },
    ),
  );
});

test("nothing is drawn while the reader of a pipe is slow, because it may be a pager", async () => {
  const reading = new EventEmitter();
  const isRead = once(reading, "read").then(() => undefined);
  const pipe = { isTerminal: false, columns: 80, write: (): Promise<void> => isRead, settle: () => isRead };
  const { line, stdout, screen } = setUp(pipe);
  line.show("page 1");
  const written = stdout.write("1\n");
  line.show("page 2");
  expect(screen()).toEqual([""]);
  reading.emit("read");
  await written;
  line.show("page 3");
  expect(screen()).toEqual(["page 3"]);
});
