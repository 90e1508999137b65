// A response of the service: status, headers, and a JSON body or, for browsers, a page.
//
// Handlers return a response, or throw a Refusal that contains one. The server writes responses to the socket and adds
// the common headers.
//
// Every error has the same format: a message and the URL of the documentation. A 404 also stands for objects that exist
// but belong to another account (the specification, 5.2).

export interface ServiceResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** To be sent as JSON; undefined for none. */
  readonly body: unknown;
  /** A page for a browser, instead of `body`. */
  readonly html?: string;
  /** True if clients may cache the response and revalidate it with `If-None-Match`. */
  readonly isCacheable?: boolean;
  /** Injected delay and truncation. */
  readonly delivery?: Delivery;
}

export interface Delivery {
  readonly delayMs: number;
  /** Null to send the complete response. */
  readonly cut: Cut | null;
}

/** The point of truncation: before the first byte, or after this share of the headers or body. */
export interface Cut {
  readonly within: "nothing" | "headers" | "body";
  /** From 0, below 1. */
  readonly share: number;
}

/** Thrown to send this response instead. Rolls back a transaction that it passes through. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly response: ServiceResponse;

  constructor(response: ServiceResponse) {
    super(`response with status ${response.status}`);
    this.response = response;
  }
}

/** Linked in errors, and the `app.url` of a personal token without a note URL. */
export const documentationUrl = "https://developer.example.com/v3/oauth_authorizations/";

export function json(
  status: number,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): ServiceResponse {
  return { status, headers, body };
}

export function failure(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ServiceResponse {
  return json(status, { message, documentation_url: documentationUrl }, headers);
}

export function notFound(): ServiceResponse {
  return failure(404, "Not Found");
}

/** Throws a 404 Refusal for undefined. */
export function orNotFound<Found>(found: Found | undefined): Found {
  if (found === undefined) throw new Refusal(notFound());
  return found;
}
