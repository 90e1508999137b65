// How a failure is printed: one line and a hint for a person, one JSON object for a program. The only place where an
// error becomes text; each text is redacted before anything else is done to it.
import { Failure, type FailureKind } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import type { Redactor } from "./redact.ts";
import { sanitise, sanitiseJson } from "./sanitise.ts";
import { shorten } from "./shorten.ts";

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

/** A Failure as it is; any other error as an internal failure, because it is a bug of grantctl. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const text =
    error instanceof Error
      ? foreign(`${error.name}: ${error.message}`)
      : "something that is not an error was thrown";
  return new Failure("internal", `this is a bug in grantctl: ${text}`, {
    cause: error,
    hint: "please report it, with the command and its --debug output; grantctl recover list names what it left",
  });
}
