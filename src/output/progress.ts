// How far long work is, on one line of a terminal that is erased at the end; silent everywhere else.
import type { OutputStream } from "./output-stream.ts";

export interface Progress {
  /** One more item is through. */
  advance(): void;
  /** Erases the line. */
  end(): void;
}

export interface ProgressOptions {
  readonly total: number;
  readonly stderr: OutputStream;
  /** Off with --quiet, and where results are drawn on the same terminal. */
  readonly isShown: boolean;
  /** Milliseconds. */
  readonly now: () => number;
}

const redrawEveryMs = 100;
/** Work that is over sooner is not worth a line. */
const silentMs = 500;

/** A progress line for work of `total` items. */
export function createProgress({ total, stderr, isShown, now }: ProgressOptions): Progress {
  const started = now();
  let count = 0;
  let drawn = started + silentMs - redrawEveryMs;
  let isDrawn = false;
  const write = (text: string): void => {
    stderr.write(text).catch(() => undefined);
  };
  return {
    advance() {
      count += 1;
      const time = now();
      if (!isShown || !stderr.isTerminal || time - drawn < redrawEveryMs) return;
      drawn = time;
      isDrawn = true;
      const rate = (count * 1000) / (time - started);
      const left = Math.ceil((total - count) / rate);
      write(`\r\u001b[K${count} of ${total}, ${Math.round(rate)}/s, ${left} s left`);
    },
    end() {
      if (isDrawn) write("\r\u001b[K");
      isDrawn = false;
    },
  };
}
