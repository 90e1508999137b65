// Shows the progress of long work on the status line. A timer redraws it and not the work, so that it neither flickers
// nor slows the work down. The text is in progress-text.ts.
import { progressText } from "./progress-text.ts";
import type { StatusLine } from "./status-line.ts";

/** Work under way. */
export interface Task {
  /** Sets how much is done, and how much there is in all; null while that is not known. */
  reach(done: number, total: number | null): void;
  /** One more is done. */
  advance(): void;
  /** Erases the line. */
  end(): void;
}

export interface Progress {
  /** Begins to show work; `done` of it were done before. `unit` is what is counted, in the singular. */
  start(unit: "item" | "page", total: number | null, done?: number): Task;
  /** Waits, and shows it where the wait is long enough to be noticed. */
  wait(milliseconds: number): Promise<void>;
  /** Erases whatever is shown. */
  end(): void;
}

export interface ProgressOptions {
  readonly line: StatusLine;
  /** Milliseconds. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Calls `draw` at this interval, without keeping the process alive; returns a function that stops it. */
  readonly every: (milliseconds: number, draw: () => void) => () => void;
}

const redrawEveryMs = 200;
/** Work that ends sooner is not shown. */
const silentMs = 500;
/** The rate is measured over the last ten seconds: it neither jumps nor lags behind. */
const rateOverMs = 10_000;
/** Shorter waits are not shown: they are over before they are read. */
const shortestWaitMs = 2000;

interface Sample {
  readonly time: number;
  readonly done: number;
}

/** Shows the progress of one piece of work at a time. */
export function createProgress({ line, now, sleep, every }: ProgressOptions): Progress {
  let endCurrent: (() => void) | null = null;
  let waitsUntil = 0;

  const start: Progress["start"] = (unit, givenTotal, doneBefore = 0) => {
    endCurrent?.();
    const started = now();
    let done = doneBefore;
    let total = givenTotal;
    let samples: readonly Sample[] = [{ time: started, done }];
    const draw = (): void => {
      const time = now();
      samples = [...samples.filter((sample) => time - sample.time <= rateOverMs), { time, done }];
      if (time - started < silentMs) return;
      const [first = { time, done }] = samples;
      const rate = time > first.time ? ((done - first.done) * 1000) / (time - first.time) : null;
      line.show(
        progressText({ unit, done, total, rate, waitMs: Math.max(0, waitsUntil - time) }, line.columns),
      );
    };
    // No timer where nothing is shown: formatting the text would take longer than the work.
    const stop = line.isShown ? every(redrawEveryMs, draw) : (): void => undefined;
    const endThis = (): void => {
      if (endCurrent !== endThis) return;
      endCurrent = null;
      stop();
      line.show("");
    };
    endCurrent = endThis;
    return {
      reach(nowDone, nowTotal) {
        done = nowDone;
        total = nowTotal;
      },
      advance() {
        done += 1;
      },
      end: endThis,
    };
  };

  return {
    start,
    async wait(milliseconds) {
      if (milliseconds >= shortestWaitMs) waitsUntil = Math.max(waitsUntil, now() + milliseconds);
      await sleep(milliseconds);
    },
    end() {
      endCurrent?.();
    },
  };
}
