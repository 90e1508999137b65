// The progress of long work: one line at the bottom of a terminal.
//
// A timer redraws the line, so that it neither flickers nor slows the work down. While anything else is written, the line
// is erased. It is on standard error, and only if that is a terminal.
import { withCommas } from "../errors/words.ts";
import type { Paging } from "../http/pages.ts";
import type { Host } from "../system/host.ts";
import type { OutputStream } from "./output-stream.ts";

export type Progress = ReturnType<typeof createProgress>;

interface ProgressOptions {
  readonly host: Pick<Host, "now" | "beforeSignalEnds">;
  readonly stderr: OutputStream;
  /** False with --quiet, on a dumb terminal, and if another program may draw on it. */
  readonly isWanted: boolean;
  /** Prints a line that stays. */
  readonly note: (line: string) => void;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

const redrawEveryMs = 200;
/** Work that ends sooner is not shown. */
const silentMs = 500;
const barWidth = 20;
/** A wait of this length would look like a hang. */
const shortestNotedMs = 5000;

function createStatusLine({ host, stderr, isWanted }: ProgressOptions) {
  const isShown = isWanted && stderr.isTerminal;
  /** The text of the line, and how to end what it shows; null for no line. */
  let current: { readonly text: () => string; readonly stop: () => void } | null = null;
  let isDrawn = false;
  /** The number of calls of `alone` in flight. */
  let others = 0;

  const write = (text: string): void => void stderr.write(text).catch(() => undefined);
  const erase = (): void => {
    // To the end of the screen: after the window was narrowed, the line occupies several rows.
    if (isDrawn) write("\r\u001b[J");
    isDrawn = false;
  };
  const draw = (): void => {
    const text = current?.text() ?? "";
    if (others > 0 || text === "") return;
    // Erasing after the text avoids flicker. The cursor stays where a narrower window does not move it.
    write(`\r${text.slice(0, stderr.columns - 1)}\u001b[J\r`);
    isDrawn = true;
  };
  return {
    isShown,
    isEmpty: () => current === null,
    /** Shows a text until the function that is returned, or `end`, is called. */
    show(text: () => string): () => void {
      current?.stop();
      if (!isShown) return () => undefined;
      const timer = setInterval(draw, redrawEveryMs).unref();
      const forgetSignals = host.beforeSignalEnds(erase);
      const stop = (): void => {
        if (current?.stop !== stop) return;
        current = null;
        clearInterval(timer);
        forgetSignals();
        erase();
      };
      current = { text, stop };
      return stop;
    },
    end: (): void => current?.stop(),
    /** Runs work, such as a prompt, while the line is hidden. */
    alone: async <T>(work: () => Promise<T>): Promise<T> => {
      others += 1;
      erase();
      try {
        return await work();
      } finally {
        others -= 1;
        draw();
      }
    },
  };
}

type Unit = "item" | "page";
type Counts = readonly [done: number, total: number | null];

/** The text of the line, of which `begunAt` were done when the work began. */
function progressText(
  unit: Unit,
  [reached, of]: Counts,
  { begunAt, spentMs, waitMs }: Readonly<Record<"begunAt" | "spentMs" | "waitMs", number>>,
): string {
  if (spentMs < silentMs) return "";
  const leftMs = of === null ? 0 : ((of - reached) * spentMs) / (reached - begunAt);
  const rest =
    waitMs >= 1000
      ? `  waiting ${durationText(waitMs)} for the server`
      : leftMs > 0 && leftMs < Infinity
        ? `  ${durationText(leftMs)} left`
        : "";
  const word = unit === "page" ? "page " : "";
  if (of === null) return `${word}${withCommas(reached)}${rest}`;
  const bar = "#".repeat(Math.floor(Math.min(1, reached / of) * barWidth)).padEnd(barWidth, "-");
  // The bar is last, because a narrow window cuts the end.
  return `${word}${withCommas(reached)} of ${withCommas(of)}${rest}  [${bar}]`;
}

export function createProgress(options: ProgressOptions) {
  const { host, note, sleep } = options;
  const line = createStatusLine(options);
  let waitsUntil = 0;
  /** The sum of waits that were too short to be noted. */
  let silentWaitMs = 0;
  /** Starts to show progress, of which `done` was completed earlier. */
  const start = (unit: Unit, total: number | null, done = 0) => {
    const started = host.now();
    let counts: Counts = [done, total];
    const end = line.show(() => {
      const now = host.now();
      return progressText(unit, counts, { begunAt: done, spentMs: now - started, waitMs: waitsUntil - now });
    });
    return {
      /** Sets the counts; the total is null while it is unknown. */
      reach: (...now: Counts): void => void (counts = now),
      end,
    };
  };
  return {
    start,
    /** Shows the pages of one list, until the last one. */
    watchPages(): NonNullable<Paging["onPage"]> {
      let task: ReturnType<typeof start> | null = null;
      return (position, total) => {
        task ??= start("page", total);
        task.reach(position, total);
        if (position === total) task.end();
      };
    },
    /** Waits, and shows the wait if it is long enough to be noticed. */
    wait: async (milliseconds: number): Promise<void> => {
      const until = host.now() + milliseconds;
      // Requests that were in flight together get the same wait, a little later each; it is noted once.
      const isNews = until > waitsUntil + silentMs && line.isEmpty();
      if (isNews && milliseconds >= shortestNotedMs)
        note(`waiting ${durationText(milliseconds)} before trying again`);
      else if (isNews && silentWaitMs < shortestNotedMs && (silentWaitMs += milliseconds) >= shortestNotedMs)
        note("the server limits the requests; still trying");
      waitsUntil = Math.max(waitsUntil, until);
      await sleep(milliseconds);
    },
    end: line.end,
    alone: line.alone,
    /** Wraps a stream so that its output appears above the line. */
    above: (stream: OutputStream): OutputStream =>
      line.isShown ? { ...stream, write: (piece) => line.alone(() => stream.write(piece)) } : stream,
  };
}

/** A duration in at most two units, rounded up to whole seconds: `2 min 5 s`. */
function durationText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}
