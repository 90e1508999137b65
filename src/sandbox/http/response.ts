// A response of the service: status, headers and a JSON body or, for browsers, a page.
//
// Handlers return a response, or throw a Refusal with the response to send instead, which rolls back the transaction
// that it passes through. The server writes responses to the socket and adds the common headers.
//
// Every error has the same format: a message, and the URL of the documentation. A 404 also stands for objects that
// exist but belong to another account (the specification, 5.2), so both are created here.

export interface ServiceResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for a response without a JSON body. */
  readonly body: unknown;
  /** The serialised JSON body, instead of `body`. */
  readonly written?: Buffer;
  /** A page for a browser, instead of a body. */
  readonly html?: string;
  /** True if a client may cache it and revalidate it with `If-None-Match`. */
  readonly isKeepable?: boolean;
  /** Delay and truncation; immediate and complete if absent. */
  readonly delivery?: Delivery;
}

/** The effect of a fault on the sending of a response. */
export interface Delivery {
  readonly delayMs: number;
  /** Null to send all of it. */
  readonly cut: Cut | null;
}

/**
 * The position at which a response is truncated: before its first byte, or this share of its headers or body.
 */
export interface Cut {
  readonly within: "nothing" | "headers" | "body";
  /** At least 0, less than 1. */
  readonly share: number;
}

/** Thrown by a handler to send this response instead. Rolls back a transaction that it passes through. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly response: ServiceResponse;

  constructor(response: ServiceResponse) {
    super(`response with status ${response.status}`);
    this.response = response;
  }
}

/** The documentation that errors link to, and the `app.url` of a personal token without a note URL. */
export const documentationUrl = "https://developer.example.com/v3/oauth_authorizations/";

/** A response whose body is written as JSON; without a body, for 204. */
export function json(
  status: number,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): ServiceResponse {
  return { status, headers, body };
}

/** An error response. */
export function failure(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ServiceResponse {
  return json(status, { message, documentation_url: documentationUrl }, headers);
}

/** The 404. */
export function notFound(): ServiceResponse {
  return failure(404, "Not Found");
}

/** The object; throws the Refusal of a 404 if it was not found, or is not the caller's. */
export function orNotFound<Found>(found: Found | undefined): Found {
  if (found === undefined) throw new Refusal(notFound());
  return found;
}
