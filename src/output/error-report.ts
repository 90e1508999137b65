// How a failure is told: one line and a hint for a person, one JSON object for a program. The only place where an
// error becomes text.
import { Failure } from "../errors/errors.ts";
import { sanitise, sanitiseJson } from "./sanitise.ts";

/** A failure as text for standard error, each line ended. */
export function reportFailure(
  failure: Failure,
  asJson: boolean,
  redact: (text: string) => string = (text) => text,
): string {
  const { hint, status, requestId, url } = failure.details;
  if (asJson) {
    const error = {
      class: failure.kind,
      message: failure.message,
      status: status ?? null,
      exit_code: failure.exitCode,
      hint: hint ?? null,
      ...(requestId === undefined ? {} : { request_id: requestId }),
      ...(url === undefined ? {} : { url }),
    };
    return `${sanitiseJson(redact(JSON.stringify({ error })))}\n`;
  }
  const lines = [`grantctl: ${failure.message}`];
  if (hint !== undefined) lines.push(`hint: ${hint}`);
  if (requestId !== undefined) lines.push(`request: ${requestId}`);
  if (url !== undefined) lines.push(url);
  return lines.map((line) => `${sanitise(redact(line))}\n`).join("");
}

/** Any other error is a bug of ours: its stack helps to mend it, and holds no value of ours. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const text =
    error instanceof Error ? `${error.name}: ${error.message}` : "something that is no error was thrown";
  return new Failure("internal", `this is a bug in grantctl: ${text}`, {
    cause: error,
    hint: "please report it, with the command and its --debug output",
  });
}
