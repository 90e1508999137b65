// A response of the service: status, headers and a JSON body or, for browsers, a page.
//
// Handlers return answers, or throw a Refusal, which undoes the transaction that it passes through and holds the
// response to send instead. The server writes responds to the socket and adds the headers that all of them have.
//
// Every error has one form: a message, and the address of the documentation. A 404 also stands for what exists but is
// not the caller's (the specification, 5.2), so both come from here.

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for a response without a JSON body. */
  readonly body: unknown;
  /** The JSON body as bytes, in place of `body`, which is written as JSON later. */
  readonly written?: Buffer;
  /** A page for a browser, in place of a body. */
  readonly html?: string;
  /** True if a client may keep it, and ask later with `If-None-Match` whether it has changed. */
  readonly isKeepable?: boolean;
  /** The manner of sending; at once and whole if absent. */
  readonly delivery?: Delivery;
}

/** The change that a fault makes to the sending of a response. */
export interface Delivery {
  readonly delayMs: number;
  /** Null to send all of it. */
  readonly cut: Cut | null;
}

/**
 * The place at which a response is cut off: before its first byte, or this share of the way through its headers or its
 * body.
 */
export interface Cut {
  readonly within: "nothing" | "headers" | "body";
  /** At least 0, less than 1. */
  readonly share: number;
}

/** Thrown by a handler to send this response instead. A transaction that it passes through is undone. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`answered ${answer.status}`);
    this.answer = answer;
  }
}

/** The documentation that errors link to, and the `app.url` of a personal token without a note URL. */
export const documentationUrl = "https://developer.example.com/v3/oauth_authorizations/";

/** A response whose body is written as JSON; without a body, for 204. */
export function json(status: number, body?: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers, body };
}

/** An error response. */
export function failure(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return json(status, { message, documentation_url: documentationUrl }, headers);
}

/** The 404. */
export function notFound(): Answer {
  return failure(404, "Not Found");
}

/** The object; throws the Refusal of a 404 if it was not found, or is not the caller's. */
export function orNotFound<Found>(found: Found | undefined): Found {
  if (found === undefined) throw new Refusal(notFound());
  return found;
}
