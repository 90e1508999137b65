// Answers: status, headers and a JSON body or, for browsers, a page. Owns the service's error bodies; leaves the
// headers that every answer carries to the server.

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for an answer without a JSON body. */
  readonly body: unknown;
  /** The JSON body as bytes, in place of `body`, which is written as JSON later. */
  readonly written?: Buffer;
  /** A page for a browser, in place of a body. */
  readonly html?: string;
  /** Whether a client may keep it, and ask later with `If-None-Match` whether it has changed. */
  readonly isKeepable?: boolean;
  /** How it is sent; at once and whole when absent. */
  readonly delivery?: Delivery;
}

/** What a fault does to the sending of an answer. */
export interface Delivery {
  readonly delayMs: number;
  /** Null to send all of it. */
  readonly cut: Cut | null;
}

/** Where an answer breaks off: before its first byte, or this share of the way through its headers or its body. */
export interface Cut {
  readonly within: "nothing" | "headers" | "body";
  /** At least 0, less than 1. */
  readonly share: number;
}

/** Thrown by a handler to send this answer instead. A transaction that it passes through is undone. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`answered ${answer.status}`);
    this.answer = answer;
  }
}

/** One entry of a validation answer. `custom` carries its own message. */
export interface FieldError {
  readonly resource: "OauthAccess" | "OauthApplication";
  readonly code: "missing_field" | "invalid" | "already_exists" | "custom";
  readonly field: string;
  readonly message?: string;
}

/** The documentation that errors link to, and the `app.url` of a personal token without a note URL. */
export const documentationUrl = "https://developer.example.com/v3/oauth_authorizations/";

/** An answer whose body is written as JSON. */
export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers, body };
}

/** The answer 204, which has no body. */
export function noContent(): Answer {
  return { status: 204, headers: {}, body: undefined };
}

/** An error with the body that every error has. */
export function failure(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return json(status, { message, documentation_url: documentationUrl }, headers);
}

/** 404, also where the caller may not know that the resource exists (the specification, 5.2). */
export function notFound(): Answer {
  return failure(404, "Not Found");
}

/** What was looked for; throws the Refusal for what is not there, or not the caller's. */
export function orNotFound<Found>(found: Found | undefined): Found {
  if (found === undefined) throw new Refusal(notFound());
  return found;
}

/** The 422 for fields with these errors. */
export function validationFailed(...errors: readonly FieldError[]): Answer {
  return json(422, { message: "Validation Failed", errors, documentation_url: documentationUrl });
}

/** A refusal of one field of an authorization. */
export function refuseField(field: string, code: FieldError["code"], message?: string): Refusal {
  const error: FieldError = { resource: "OauthAccess", code, field };
  return new Refusal(validationFailed(message === undefined ? error : { ...error, message }));
}
