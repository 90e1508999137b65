// The progress of long work: one line at the bottom of a terminal.
//
// A timer redraws the line, so that it neither flickers nor slows the work down. While anything else is written, the line
// is erased. It is on standard error, and only if that is a terminal.
import { withCommas } from "../errors/words.ts";
import type { OutputStream } from "./output-stream.ts";

/** Work in flight. */
export interface Task {
  /** Sets the counts; the total is null while it is unknown. */
  reach(done: number, total: number | null): void;
  /** Counts one more as done. */
  advance(): void;
  /** Erases the line. */
  end(): void;
}

export type Progress = ReturnType<typeof createProgress>;

interface ProgressOptions {
  readonly stderr: OutputStream;
  /** False with --quiet or a dumb terminal. */
  readonly isWanted: boolean;
  /** Prints a line that stays. */
  readonly note: (line: string) => void;
  /** Milliseconds. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Calls `draw` at this interval; returns a function that stops it. */
  readonly every: (milliseconds: number, draw: () => void) => () => void;
  /** Calls `handle` just before a signal ends the process; returns a function that unregisters it. */
  readonly beforeSignalEnds: (handle: () => void) => () => void;
}

const redrawEveryMs = 200;
/** Work that ends sooner is not shown. */
const silentMs = 500;
/** A wait of this length would look like a hang. */
const shortestNotedMs = 5000;
/** Erases to the end of the screen: after the window was narrowed, the line occupies several rows. */
const erased = "\r\u001b[J";
const barWidth = 24;

/** Shows one piece of work at a time. */
export function createProgress(options: ProgressOptions) {
  const { stderr, note, now, sleep } = options;
  const isShown = options.isWanted && stderr.isTerminal;
  /** The text of the line, and how to end what it shows; null for no line. */
  let current: { readonly text: () => string; readonly stop: () => void } | null = null;
  let isDrawn = false;
  /** The number of calls of `alone` in flight. */
  let others = 0;
  let waitsUntil = 0;

  const write = (text: string): void => {
    stderr.write(text).catch(() => undefined);
  };
  const erase = (): void => {
    if (isDrawn) write(erased);
    isDrawn = false;
  };
  const draw = (): void => {
    const text = current?.text() ?? "";
    if (others > 0 || text === "") return;
    // Erasing after the text avoids flicker. The cursor stays where a narrower window does not move it.
    write(`\r${text.slice(0, stderr.columns - 1)}\u001b[J\r`);
    isDrawn = true;
  };
  const show = (text: () => string): (() => void) => {
    current?.stop();
    if (!isShown) return () => undefined;
    const stopTimer = options.every(redrawEveryMs, draw);
    const forgetSignals = options.beforeSignalEnds(erase);
    const shown = {
      text,
      stop: (): void => {
        if (current !== shown) return;
        current = null;
        stopTimer();
        forgetSignals();
        erase();
      },
    };
    current = shown;
    return shown.stop;
  };
  const alone = async <T>(work: () => Promise<T>): Promise<T> => {
    others += 1;
    erase();
    try {
      return await work();
    } finally {
      others -= 1;
      draw();
    }
  };

  return {
    /** Starts to show progress, of which `doneBefore` was completed earlier. `unit` is in the singular. */
    start(unit: "item" | "page", givenTotal: number | null, doneBefore = 0): Task {
      const started = now();
      let done = doneBefore;
      let total = givenTotal;
      const end = show(() => {
        const elapsedMs = now() - started;
        const waitMs = waitsUntil - now();
        return elapsedMs < silentMs
          ? ""
          : progressText(
              { unit, done, total, perMs: (done - doneBefore) / elapsedMs, waitMs },
              stderr.columns,
            );
      });
      return {
        reach(nowDone, nowTotal) {
          done = nowDone;
          total = nowTotal;
        },
        advance() {
          done += 1;
        },
        end,
      };
    },
    /** Shows that a request is in flight, if no other work is shown. Call the returned function when it ends. */
    request(): () => void {
      if (current !== null) return () => undefined;
      const started = now();
      return show(() => {
        const elapsed = now() - started;
        return elapsed < 1000 ? "" : `waiting for the server: ${durationText(elapsed)}`;
      });
    },
    /** Waits, and shows the wait if it is long enough to be noticed. `isNamed` is true if the server set its length. */
    wait: async (milliseconds: number, isNamed = false): Promise<void> => {
      const until = now() + milliseconds;
      // Requests that were in flight together get the same wait, a little later each; it is noted once.
      const isLonger = until > waitsUntil + silentMs;
      waitsUntil = Math.max(waitsUntil, until);
      if (milliseconds >= shortestNotedMs && isLonger && current === null)
        note(
          `waiting ${durationText(milliseconds)}${isNamed ? ", as the server requested" : " before trying again"}`,
        );
      await sleep(milliseconds);
    },
    /** Waits for a moment that is not the server's request, without a word. */
    pause: sleep,
    /** Erases whatever is shown. */
    end(): void {
      current?.stop();
    },
    /** Runs work, such as a prompt, while the line is hidden. */
    alone,
    /** Wraps a stream so that its output appears above the line. */
    above(stream: OutputStream): OutputStream {
      if (!isShown) return stream;
      return {
        isTerminal: stream.isTerminal,
        get columns() {
          return stream.columns;
        },
        write: (piece) => alone(() => stream.write(piece)),
        settle: () => stream.settle(),
      };
    },
  };
}

interface ProgressState {
  readonly unit: "item" | "page";
  readonly done: number;
  /** Null while unknown. */
  readonly total: number | null;
  readonly perMs: number;
  /** Milliseconds until the next retry; not positive if none is pending. */
  readonly waitMs: number;
}

/** The line without its bar if the window is narrow. */
function progressText({ unit, done, total, perMs, waitMs }: ProgressState, columns: number): string {
  const count = `${withCommas(done)}${total === null ? "" : ` of ${withCommas(total)}`}`;
  const left = total === null || perMs <= 0 || total <= done ? null : (total - done) / perMs;
  const rest =
    waitMs >= 1000
      ? `  waiting ${durationText(waitMs)} for the server`
      : left === null
        ? ""
        : `  ${durationText(left)} left`;
  const text = `${unit === "page" ? "page " : ""}${count}${rest}`;
  const full = total === null ? 0 : Math.floor(Math.min(1, done / Math.max(1, total)) * barWidth);
  const bar = `[${"#".repeat(full)}${"-".repeat(barWidth - full)}] `;
  return total === null || bar.length + text.length >= columns ? text : bar + text;
}

/** A duration in at most two units, rounded up to whole seconds: `2 min 5 s`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const parts: readonly (readonly [number, string])[] = [
    [hours, "h"],
    [minutes, "min"],
    [seconds % 60, "s"],
  ];
  const used = parts.filter(([count]) => count > 0).slice(0, 2);
  return used.length === 0 ? "0 s" : used.map(([count, unit]) => `${count} ${unit}`).join(" ");
}
