// Lines for a person on standard error: notes, warnings, the debug trace. Each is redacted and sanitised; a failure to
// write one never fails the run. Text that others wrote is marked in the line (errors/foreign.ts).
import { foreign } from "../errors/foreign.ts";
import type { OutputStream } from "./output-stream.ts";
import { sanitise } from "./sanitise.ts";
import { shorten } from "./shorten.ts";

/** Longer than any path that a line may name. */
const longestLine = 6000;

export interface Notices {
  /** Something worth knowing; silent with --quiet. */
  note(line: string): void;
  /** Something to act on; never silent. */
  warn(line: string): void;
  /** A line that the user has to copy, such as an address to open; never silent. */
  show(line: string): void;
  /** A line of another program's output; never silent. */
  readonly relay: (line: string) => void;
  /** For --debug; silent without it. */
  debug(line: string): void;
  /** Whether --debug is on. */
  readonly isDebug: boolean;
}

/** Notices on a stream that may be closed without harm. */
export function createNotices(
  stderr: OutputStream,
  {
    isQuiet,
    isDebug,
    redactMessage,
    completeCommands = (line) => line,
  }: {
    readonly isQuiet: boolean;
    readonly isDebug: boolean;
    readonly redactMessage: (marked: string) => string;
    /** Adds the --profile and --base-url that were typed to the commands in a line. */
    readonly completeCommands?: (line: string) => string;
  },
): Notices {
  const write = (line: string): void => {
    stderr.write(`${sanitise(shorten(redactMessage(line), longestLine))}\n`).catch(() => undefined);
  };
  return {
    isDebug,
    note(line) {
      if (!isQuiet) write(completeCommands(line));
    },
    warn(line) {
      write(`warning: ${completeCommands(line)}`);
    },
    show(line) {
      write(completeCommands(line));
    },
    relay(line) {
      write(foreign(line));
    },
    debug(line) {
      if (isDebug) write(`debug: ${line}`);
    },
  };
}
