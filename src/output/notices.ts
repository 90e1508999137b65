// Lines on standard error: notes, warnings, the debug trace, and the report of a failure.
//
// A failure is one line and a hint for a person, or one JSON object for a program; its words are put together only here.
// Every text is redacted first and then sanitised. A line that cannot be written never fails the run.
import { Chalk } from "chalk";
import { quoteCommand } from "../config/command-words.ts";
import { mayColour, type GlobalOptions } from "../config/global-options.ts";
import { isSwitchedOn } from "../config/settings.ts";
import { Failure } from "../errors/errors.ts";
import { hints } from "../errors/hints.ts";
import { counted, shorten } from "../errors/words.ts";
import type { Redactor } from "../redaction.ts";
import type { Host } from "../system/host.ts";
import type { OutputStream } from "./output-stream.ts";
import { sanitise, sanitiseJson } from "./sanitise.ts";

/** The maximum length of a line, longer than any path in it. */
const longestLine = 6000;

type NoticeStyle = ReturnType<typeof noticeStyle>;

/** Decided by the flags, as far as they were parsed, and by the environment. */
export function noticeStyle(
  flags: Partial<GlobalOptions>,
  { environment, stderr }: Pick<Host, "environment" | "stderr">,
  { redact }: Redactor,
) {
  const hasColours = flags.color !== false && mayColour(environment, stderr.isTerminal);
  return {
    isQuiet: flags.quiet === true,
    isDebug: flags.debug === true || isSwitchedOn(environment["GRANTCTL_DEBUG"]),
    chalk: new Chalk({ level: hasColours ? 1 : 0 }),
    redact,
    /** Adds the --profile and --base-url that were typed to the commands in a line. */
    completeCommands: createCommandCompleter(flags),
  };
}

/** The beginning of a command that uses a profile or a base URL. */
const scopedCommand =
  /\bgrantctl (?![^`\n]*--help)(?=(?:grant|authorization|token|auth|recover|api|doctor|audit|config (?:get|set|unset))\b)[^`;|\n]*/g;

/**
 * Completes the commands in a line with the --profile and --base-url that were typed: without them, a pasted command would
 * go to another server. Every line passes through here, so that messages name commands without these flags.
 */
export function createCommandCompleter({
  profile,
  baseUrl,
}: Pick<GlobalOptions, "profile" | "baseUrl">): (line: string) => string {
  const typed = Object.entries({ "--profile": profile, "--base-url": baseUrl });
  return (line) =>
    line.replaceAll(scopedCommand, (command) => {
      const added = typed.map(([flag, value = ""]) =>
        // A URL that may contain a password is never added.
        value === "" || value.includes("@") || command.includes(flag)
          ? ""
          : ` ${flag} ${quoteCommand([value])}`,
      );
      return command.replace(/^grantctl [a-z]+(?: [a-z][a-z-]*)?/, (words) => words + added.join(""));
    });
}

export function noteRepeats(kind: "id" | "token", count: number, notices: Pick<Notices, "note">): void {
  if (count > 0) notices.note(`skipped ${counted(count, `duplicate ${kind}`)}`);
}

export type Notices = ReturnType<typeof createNotices>;

/** Notices on a stream that may be closed without harm. */
export function createNotices(stderr: OutputStream, style: NoticeStyle) {
  const { isQuiet, isDebug, redact, completeCommands } = style;
  const write = (line: string, isOurs = true): void => {
    const text = sanitise(shorten(redact(isOurs ? completeCommands(line) : line), longestLine));
    stderr.write(`${text}\n`).catch(() => undefined);
  };
  return {
    isDebug,
    /** Informational; suppressed by --quiet. */
    note(line: string): void {
      if (!isQuiet) write(line);
    },
    /** Requires action; never suppressed. */
    warn(line: string): void {
      write(`warning: ${line}`);
    },
    /** A line about another program, or of its output; never suppressed. */
    show(line: string): void {
      write(line, false);
    },
    debug(line: string): void {
      if (isDebug) write(`debug: ${line}`);
    },
  };
}

export function formatFailure(failure: Failure, asJson: boolean, style: NoticeStyle): string {
  const { status = null, hint: givenHint = usualHint(failure), cause } = failure.details;
  const { redact, completeCommands, isDebug, chalk } = style;
  const trace = isDebug && failure.kind === "internal" ? debugTrace(cause, redact) : "";
  const message = shorten(redact(failure.message));
  const hint = givenHint === undefined ? undefined : redact(completeCommands(givenHint));
  const url = failure.details.url === undefined ? undefined : redact(failure.details.url);
  if (asJson) {
    const error = {
      class: failure.kind,
      message,
      status,
      exit_code: failure.exitCode,
      hint: hint ?? null,
      url,
    };
    return `${trace}${sanitiseJson(JSON.stringify({ error }))}\n`;
  }
  const lines = [`${failure.details.isResult ? "" : "grantctl: "}${sanitise(message)}`];
  // As in gh and git, only the terminal wraps a line: a command in it is pasted whole. Commands stand out in a hint alone,
  // because other lines may quote the server.
  if (hint !== undefined)
    lines.push(
      `${chalk.dim("hint:")} ${sanitise(hint).replaceAll(/`[^`]+`/g, (command) => chalk.cyan(command))}`,
    );
  if (url !== undefined) lines.push(sanitise(url));
  return trace + lines.map((line) => `${line}\n`).join("");
}

/** The default hint for a failure without one of its own; undefined if there is nothing to try. */
function usualHint({ kind, details: { status = 0 } }: Failure): string | undefined {
  if (kind === "network") return "Run `grantctl doctor` to check the URL, the proxy and the certificates.";
  if (status >= 500) return "Try again later, or run `grantctl doctor` to check the server.";
  if (kind === "protocol") return hints.baseUrl;
  if (kind === "refused" && status === 403) return hints.credentials;
  return undefined;
}

/** The positions in the stack of a bug, without its message, which may have several lines. */
function debugTrace(cause: unknown, redact: Redactor["redact"]): string {
  const stack = cause instanceof Error ? (cause.stack ?? "") : "";
  const places = stack.split("\n").filter((line) => /^ {4}at /.test(line));
  return places.map((line) => `debug:${sanitise(redact(line))}\n`).join("");
}

/** The failure itself; any other error is a bug in grantctl. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const text =
    error instanceof Error ? `${error.name}: ${error.message}` : "a value that is not an Error was thrown";
  return new Failure("internal", `this is a bug in grantctl: ${text}`, {
    cause: error,
    hint: "Please report it with the command and its --debug output. Run `grantctl recover list` to see what the run left.",
  });
}
