// Lines on standard error: notes, warnings, the debug trace, and the report of a failure.
//
// A failure is one line and a hint for a person, or one JSON object for a program. This is the only place where an error
// becomes text. Every text is redacted first and then sanitised. A line that cannot be written never fails the run.
// Text that others wrote is marked in the line (errors/foreign.ts).
import { Failure, usageFailure, type FailureKind } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import { shorten } from "../errors/words.ts";
import type { Redactor } from "../redaction/redact.ts";
import type { OutputStream } from "./output-stream.ts";
import { sanitise, sanitiseJson } from "../drawing/sanitise.ts";

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

/** A failure as JSON. */
export interface ErrorReport {
  readonly error: {
    readonly class: FailureKind;
    readonly message: string;
    /** The HTTP status of the answer that caused it. */
    readonly status: number | null;
    readonly exit_code: number;
    readonly hint: string | null;
    /** The service's own identifier of the request. */
    readonly request_id?: string;
    /** Where an organization approves the token. */
    readonly url?: string;
  };
}

/** A failure as text for standard error, each line ended. */
export function reportFailure(
  failure: Failure,
  asJson: boolean,
  redactor: Redactor,
  completeCommands: (hint: string) => string,
): string {
  const { status, hint: markedHint = usualHint(failure) } = failure.details;
  const message = shorten(redactor.redactMessage(failure.marked));
  const hint = markedHint === undefined ? undefined : redactor.redactMessage(completeCommands(markedHint));
  // These come from the service alone, so they are redacted as a whole.
  const [requestId, url] = [failure.details.requestId, failure.details.url].map((text) =>
    text === undefined ? undefined : redactor.redactMessage(foreign(text)),
  );
  if (asJson) {
    const error: ErrorReport["error"] = {
      class: failure.kind,
      message,
      status: status ?? null,
      exit_code: failure.exitCode,
      hint: hint ?? null,
      ...(requestId === undefined ? {} : { request_id: shorten(requestId) }),
      ...(url === undefined ? {} : { url }),
    };
    return `${sanitiseJson(JSON.stringify({ error }))}\n`;
  }
  const lines = [`grantctl: ${message}`];
  if (hint !== undefined) lines.push(`hint: ${hint}`);
  if (requestId !== undefined) lines.push(`request: ${shorten(requestId)}`);
  if (url !== undefined) lines.push(url);
  return lines.map((line) => `${sanitise(line)}\n`).join("");
}

/** The hint of a failure that brought none of its own; undefined where there is nothing to try. */
function usualHint({ kind, details: { status = 0, noAnswer } }: Failure): string | undefined {
  if (kind === "network") return "grantctl doctor looks at the address, the proxy and the certificates";
  if (status >= 500) return "try again later; what answers at the address: grantctl doctor";
  if (kind === "protocol" && noAnswer !== undefined)
    return "whether the address is the API's: grantctl doctor looks";
  if (kind === "refused" && status === 403)
    return "the credentials that were used, and from where: grantctl auth status";
  return undefined;
}

/** The lines of the stack, for --debug, where the failure is a bug of grantctl; none for any other failure. */
export function stackOf(failure: Failure): readonly string[] {
  const { cause } = failure.details;
  if (failure.kind !== "internal" || !(cause instanceof Error) || cause.stack === undefined) return [];
  // Without the message, which may have several lines and is printed already.
  return cause.stack.split("\n").filter((line) => /^ {4}at /.test(line));
}

const tooManyFilesHint =
  "raise the limit of open files, which `ulimit -n` shows: ulimit -n 1024; grantctl recover list names what this run left";

/** A Failure as it is; the limit of open files is the user's to change; any other error as an internal failure, because it is a bug of grantctl. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  // The limit may be met wherever something is opened, be it a file of the program's own that is loaded late.
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (code === "EMFILE" || code === "ENFILE")
    return usageFailure(`too many files are open (${code})`, tooManyFilesHint);
  const text =
    error instanceof Error
      ? foreign(`${error.name}: ${error.message}`)
      : "something that is not an error was thrown";
  return new Failure("internal", `this is a bug in grantctl: ${text}`, {
    cause: error,
    hint: "please report it, with the command and its --debug output; grantctl recover list names what it left",
  });
}
