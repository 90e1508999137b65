// How a failure is told: one line and a hint for a person, one JSON object for a program. The only place where an
// error becomes text, and each of its texts is redacted before anything else is done to it.
import { Failure, type FailureKind } from "../errors/errors.ts";
import { foreign, withoutMarks } from "../errors/foreign.ts";
import type { Redactor } from "./redact.ts";
import { sanitise, sanitiseJson } from "./sanitise.ts";
import { shorten } from "./shorten.ts";

/** A failure as JSON. */
export interface ErrorReport {
  readonly error: {
    readonly class: FailureKind;
    readonly message: string;
    /** The HTTP status of the answer behind it. */
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
  { redactMessage }: Pick<Redactor, "redactMessage"> = { redactMessage: withoutMarks },
  completeCommands: (hint: string) => string = (hint) => hint,
): string {
  const { status, hint: markedHint } = failure.details;
  const message = shorten(redactMessage(failure.marked));
  const hint = markedHint === undefined ? undefined : redactMessage(completeCommands(markedHint));
  // Of these nothing is ours.
  const [requestId, url] = [failure.details.requestId, failure.details.url].map((text) =>
    text === undefined ? undefined : redactMessage(foreign(text)),
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

/** Where a bug of ours happened, a line each, for --debug; none for any other failure. */
export function stackOf(failure: Failure): readonly string[] {
  const { cause } = failure.details;
  if (failure.kind !== "internal" || !(cause instanceof Error) || cause.stack === undefined) return [];
  // The message, which may have lines of its own, is told already.
  return cause.stack.split("\n").filter((line) => /^ {4}at /.test(line));
}

/** Any other error is a bug of ours. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const text =
    error instanceof Error
      ? foreign(`${error.name}: ${error.message}`)
      : "something that is no error was thrown";
  return new Failure("internal", `this is a bug in grantctl: ${text}`, {
    cause: error,
    hint: "please report it, with the command and its --debug output; grantctl recover list names what it left",
  });
}
