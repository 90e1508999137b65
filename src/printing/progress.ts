// The progress of long work, on one line at the bottom of a terminal.
//
//   status line  erased before anything else is written, drawn again below it, and removed at the end
//   text         fitted into the window: a narrow one drops the bar first, then the rate, then the remaining time
//   progress     redrawn by a timer and not by the work, so that it neither flickers nor slows the work down
//   wait         counted down in the line; a long one is a note, if no line shows it
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
  readonly line: StatusLine;
  /** Prints a line that stays. */
  readonly note: (line: string) => void;
  /** Milliseconds. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Calls `draw` at this interval, from an unreferenced timer; returns a function that stops it. */
  readonly every: (milliseconds: number, draw: () => void) => () => void;
}

const redrawEveryMs = 200;
/** Work that ends sooner is not shown. */
const silentMs = 500;
/** The rate is measured over the last ten seconds: it neither jumps nor lags behind. */
const rateOverMs = 10_000;
/** Shorter waits are not shown: they are over before they are read. */
const shortestWaitMs = 2000;
/** A request that takes longer than this would look like a hang. */
const shortestRequestMs = 1000;
/** Waits at most this far apart count as one, because only quickly rejected requests separate them. */
const pauseMs = 3000;
/** A wait of this length would look like a hang, if no line showed it. */
const shortestToNoteMs = 5000;

/** Shows the progress of one piece of work at a time. */
export function createProgress({ line, note, now, sleep, every }: ProgressOptions) {
  let endCurrent: (() => void) | null = null;
  let waitsUntil = 0;
  /** The start and end of the current series of waits, separated only by short requests. */
  let pausesSince = 0;
  let pausesUntil = -Infinity;
  /** True while `request` shows one. */
  let hasRequest = false;

  const start = (unit: "item" | "page", givenTotal: number | null, doneBefore = 0): Task => {
    endCurrent?.();
    const started = now();
    let done = doneBefore;
    let total = givenTotal;
    let samples = [{ time: started, done }];
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
    // No timer if nothing is shown: formatting the text would take longer than the work.
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
    /** Starts to show progress, of which `doneBefore` was completed earlier. `unit` is in the singular. */
    start,
    /** Shows that a request is in flight, if no other work is shown. Call the returned function when it ends. */
    request(): () => void {
      if (!line.isShown || endCurrent !== null || hasRequest) return () => undefined;
      hasRequest = true;
      const started = now();
      const draw = (): void => {
        if (endCurrent === null) line.show(`waiting for the server: ${durationText(now() - started)}`);
      };
      const stop = every(shortestRequestMs, draw);
      return () => {
        hasRequest = false;
        stop();
        if (endCurrent === null) line.show("");
      };
    },
    /** Waits, and shows the wait if it is long enough to be noticed. `isNamed` is true if the server set its length. */
    async wait(milliseconds: number, isNamed = false): Promise<void> {
      // Requests that were in flight together get the same wait, a little later each; it is noted once.
      const isLonger = now() + milliseconds > waitsUntil + silentMs;
      const isInLine = line.isShown && endCurrent !== null;
      if (now() > pausesUntil + pauseMs) pausesSince = now();
      const waited = now() + milliseconds - pausesSince;
      const isNoted = pausesUntil + pauseMs >= now() && pausesUntil - pausesSince >= shortestToNoteMs;
      pausesUntil = Math.max(pausesUntil, now() + milliseconds);
      if (milliseconds >= shortestToNoteMs) {
        if (isLonger && !isInLine)
          note(
            `waiting ${durationText(milliseconds)}${isNamed ? ", as the server requested" : " before trying again"}`,
          );
      } else if (waited >= shortestToNoteMs && !isNoted && !isInLine)
        note("still waiting: the server limits requests or is unavailable");
      if (milliseconds >= shortestWaitMs) waitsUntil = Math.max(waitsUntil, now() + milliseconds);
      await sleep(milliseconds);
    },
    /** Waits for a moment that is not the server's request, without a word. */
    pause: sleep,
    /** Erases whatever is shown. */
    end(): void {
      endCurrent?.();
    },
  };
}

/** The known state of work in flight. */
interface ProgressState {
  /** In the singular: item, page. */
  readonly unit: string;
  readonly done: number;
  /** Null while unknown. */
  readonly total: number | null;
  /** Per second; null until there are enough samples. */
  readonly rate: number | null;
  /** Milliseconds until the next retry; 0 if no retry is pending. */
  readonly waitMs: number;
}

const widestBar = 30;
const narrowestBar = 10;

/** The line, at most `columns` wide. */
export function progressText(state: ProgressState, columns: number): string {
  const { done, total, rate, waitMs } = state;
  const count = `${withCommas(done)}${total === null ? "" : ` of ${withCommas(total)}`}`;
  const counted = state.unit === "item" ? count : `${state.unit} ${count}`;
  const rest =
    waitMs > 0
      ? [`waiting ${durationText(waitMs)} for the server`]
      : [speedText(rate), leftText(state)].filter((part) => part !== "");
  const whole = [counted, ...rest].join("  ");
  const room = columns - whole.length - 3;
  if (total !== null && total > 0 && room >= narrowestBar) {
    return `${barText(done / total, Math.min(widestBar, room))} ${whole}`;
  }
  const choices = [whole, [counted, ...rest.slice(-1)].join("  "), counted];
  return choices.find((text) => text.length <= columns) ?? counted.slice(0, Math.max(0, columns));
}

/** A duration in at most two units, rounded up to whole seconds: `2 min 5 s`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return twoUnits(minutes, "min", seconds % 60, "s");
  return twoUnits(Math.floor(minutes / 60), "h", minutes % 60, "min");
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

function barText(share: number, width: number): string {
  const full = Math.floor(Math.min(1, share) * width);
  return `[${"#".repeat(full)}${"-".repeat(width - full)}]`;
}

function speedText(rate: number | null): string {
  if (rate === null || rate <= 0) return "";
  return `${rate < 10 ? rate.toFixed(1) : withCommas(Math.round(rate))}/s`;
}

function leftText({ done, total, rate }: ProgressState): string {
  if (rate === null || rate <= 0 || total === null || total <= done) return "";
  return `${durationText(((total - done) / rate) * 1000)} left`;
}

export type StatusLine = ReturnType<typeof createStatusLine>;

interface StatusLineOptions {
  readonly stderr: OutputStream;
  /** False with --quiet or a dumb terminal. The line is drawn on a terminal only. */
  readonly isWanted: boolean;
  /** Calls `handle` just before a signal ends the process; returns a function that unregisters it. */
  readonly beforeSignalEnds: (handle: () => void) => () => void;
}

/** Erases to the end of the screen: after the window was narrowed, the line occupies several rows. */
const eraseBelow = "\u001b[J";
const eraseLine = `\r${eraseBelow}`;

/** A line that is empty at first. */
export function createStatusLine({ stderr, isWanted, beforeSignalEnds }: StatusLineOptions) {
  const isShown = isWanted && stderr.isTerminal;
  let text = "";
  let isDrawn = false;
  /** True if the text above ended with a line break; else the status line would be drawn over it. */
  let isAtLineStart = true;
  /** The number of calls of `alone` and `writeAside` in flight. */
  let others = 0;
  let forgetSignals: (() => void) | null = null;

  const write = (piece: string): void => {
    stderr.write(piece).catch(() => undefined);
  };
  const erase = (): void => {
    if (isDrawn) write(eraseLine);
    isDrawn = false;
  };
  const draw = (): void => {
    if (text === "" || others > 0 || !isAtLineStart) {
      erase();
      return;
    }
    forgetSignals ??= beforeSignalEnds(erase);
    // Erasing after the text avoids flicker. The cursor returns to the start of the text, the only position that is
    // stable when the window is narrowed.
    write(`\r${text}${eraseBelow}\r`);
    isDrawn = true;
  };

  const writeAbove = (stream: OutputStream, piece: string | Buffer): Promise<void> => {
    erase();
    const written = stream.write(piece);
    if (piece.length > 0) isAtLineStart = piece.at(-1) === (typeof piece === "string" ? "\n" : lineFeed);
    draw();
    return written;
  };
  /** Keeps the line erased while a slow reader takes the text: it may be a pager, which owns the whole screen. */
  const writeAside = async (stream: OutputStream, piece: string | Buffer): Promise<void> => {
    others += 1;
    try {
      await stream.write(piece);
    } finally {
      others -= 1;
    }
  };

  return {
    /** True if the line is drawn at all. */
    isShown,
    /** The maximum width of the text in columns. */
    get columns(): number {
      return stderr.columns - 1;
    },
    /** Replaces the text; an empty one erases the line. */
    show(next: string): void {
      if (!isShown) return;
      text = next;
      draw();
      if (next !== "") return;
      forgetSignals?.();
      forgetSignals = null;
    },
    /** Wraps a stream so that its output appears above the line. */
    above(stream: OutputStream): OutputStream {
      if (!isShown) return stream;
      return {
        isTerminal: stream.isTerminal,
        get columns() {
          return stream.columns;
        },
        write: (piece) => (stream.isTerminal ? writeAbove(stream, piece) : writeAside(stream, piece)),
        settle: () => stream.settle(),
      };
    },
    /** Runs work, such as a prompt, while the line is hidden. */
    async alone<T>(work: () => Promise<T>): Promise<T> {
      others += 1;
      erase();
      try {
        return await work();
      } finally {
        others -= 1;
      }
    },
  };
}

const lineFeed = 0x0a;
