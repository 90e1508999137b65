// Lines on standard error: notes, warnings, the debug trace, and the report of a failure.
//
// A failure is one line and a hint for a person, or one JSON object for a program. This is the only place where an error
// becomes text. Every text is redacted first and then sanitised. A line that cannot be written never fails the run.
import { Chalk, type ChalkInstance } from "chalk";
import { Failure, usageFailure } from "../errors/errors.ts";
import { hints } from "../errors/hints.ts";
import { shorten } from "../errors/words.ts";
import type { Redactor } from "../redaction.ts";
import type { OutputStream } from "./output-stream.ts";
import { sanitise, sanitiseJson } from "./sanitise.ts";
import { wrapText } from "./text.ts";

/** The maximum length of a line, longer than any path in it. */
const longestLine = 6000;

export type Notices = ReturnType<typeof createNotices>;

interface NoticeOptions {
  readonly isQuiet: boolean;
  readonly isDebug: boolean;
  readonly hasColours: boolean;
  readonly redact: Redactor["redact"];
  /** Adds the --profile and --base-url that were typed to the commands in a line. */
  readonly completeCommands: (line: string) => string;
}

/** Notices on a stream that may be closed without harm. */
export function createNotices(stderr: OutputStream, options: NoticeOptions) {
  const { isQuiet, isDebug, redact, completeCommands } = options;
  const chalk = chalkFor(options.hasColours);
  const write = (line: string, columns: number | null = null): void => {
    const text = sanitise(shorten(redact(line), longestLine));
    stderr.write(linesFor(text, columns, chalk)).catch(() => undefined);
  };
  const writeWrapped = (line: string): void => {
    write(completeCommands(line), stderr.isTerminal ? stderr.columns : null);
  };
  return {
    /** True with --debug. */
    isDebug,
    /** Informational; suppressed by --quiet. */
    note(line: string): void {
      if (!isQuiet) writeWrapped(line);
    },
    /** Requires action; never suppressed. */
    warn(line: string): void {
      writeWrapped(`warning: ${line}`);
    },
    /** A line to copy, such as a URL to open; never suppressed. */
    show(line: string): void {
      write(completeCommands(line));
    },
    /** A line of another program's output; never suppressed. */
    relay: (line: string): void => {
      write(line);
    },
    /** Printed only with --debug. */
    debug(line: string): void {
      if (isDebug) writeWrapped(`debug: ${line}`);
    },
  };
}

interface ReportOptions {
  readonly asJson: boolean;
  /** The width of the terminal; null if the output is not a terminal. */
  readonly columns: number | null;
  readonly hasColours: boolean;
  readonly redact: Redactor["redact"];
  readonly completeCommands: (hint: string) => string;
}

/** A failure as text for standard error, each line ended. */
export function reportFailure(failure: Failure, options: ReportOptions): string {
  const { asJson, columns, hasColours, redact, completeCommands } = options;
  const { status = null, choices = [], hint: givenHint = usualHint(failure) } = failure.details;
  const message = shorten(redact(failure.message));
  const hint = givenHint === undefined ? undefined : redact(completeCommands(givenHint));
  const [requestId, url] = [failure.details.requestId, failure.details.url].map((text) =>
    text === undefined ? undefined : redact(text),
  );
  if (asJson) {
    const error = {
      class: failure.kind,
      message,
      status,
      exit_code: failure.exitCode,
      hint: hint === undefined ? null : [hint, choices.join(", ")].join(" ").trimEnd(),
      ...(requestId === undefined ? {} : { request_id: shorten(requestId) }),
      ...(url === undefined ? {} : { url }),
    };
    return `${sanitiseJson(JSON.stringify({ error }))}\n`;
  }
  const chalk = chalkFor(hasColours);
  const lines = [`grantctl: ${message}`];
  if (choices.length > 0) lines.push(hint ?? "");
  else if (hint !== undefined) lines.push(`hint: ${hint}`);
  if (requestId !== undefined) lines.push(`request: ${shorten(requestId)}`);
  return [
    ...lines.map((line) => linesFor(sanitise(line), columns, chalk)),
    ...choices.map((choice) => `  ${sanitise(choice)}\n`),
    // Never wrapped: the URL is meant to be copied.
    ...(url === undefined ? [] : [`${sanitise(url)}\n`]),
  ].join("");
}

function chalkFor(hasColours: boolean): ChalkInstance {
  return new Chalk({ level: hasColours ? 1 : 0 });
}

/** A line, wrapped to the terminal if there is one. The commands in it stand out. */
function linesFor(text: string, columns: number | null, chalk: ChalkInstance): string {
  const styled = text
    .replaceAll(/`[^`]+`/g, (command) => chalk.cyan(command))
    .replace(/^hint:/, (label) => chalk.dim(label));
  const lines = columns === null ? [styled] : wrapText(styled, columns);
  return lines.map((line) => `${line}\n`).join("");
}

/** The default hint for a failure without one of its own; undefined if there is nothing to try. */
function usualHint({ kind, details: { status = 0, noResponse } }: Failure): string | undefined {
  if (kind === "network") return hints.connection;
  if (status >= 500) return hints.tryLater;
  if (kind === "protocol" && noResponse !== undefined) return hints.baseUrl;
  if (kind === "refused" && status === 403) return hints.credentials;
  return undefined;
}

/** The lines of the stack, for --debug, if the failure is a bug of grantctl; none for any other failure. */
export function stackOf(failure: Failure): readonly string[] {
  const { cause } = failure.details;
  if (failure.kind !== "internal" || !(cause instanceof Error) || cause.stack === undefined) return [];
  // Skips the message, which may have several lines and is already printed.
  return cause.stack.split("\n").filter((line) => /^ {4}at /.test(line));
}

const tooManyFilesHint =
  "Raise the limit of open files with `ulimit -n 1024`. Run `grantctl recover list` to see what this run left.";

/**
 * Converts any error to a Failure. Reaching the limit of open files is a usage failure, because the user can raise it;
 * any other unexpected error is a bug in grantctl.
 */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  // The limit can be reached at any open call, including a lazy import of grantctl's own files.
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (code === "EMFILE" || code === "ENFILE")
    return usageFailure(`too many files are open (${code})`, tooManyFilesHint);
  const text =
    error instanceof Error ? `${error.name}: ${error.message}` : "a value that is not an Error was thrown";
  return new Failure("internal", `this is a bug in grantctl: ${text}`, {
    cause: error,
    hint: hints.bug,
  });
}
