// The types that all layers share: requests, responses, intents and layers.
import type { Received } from "../errors/errors.ts";
import type { Target } from "./urls.ts";

export type Method = "GET" | "HEAD" | "OPTIONS" | "POST" | "PUT" | "PATCH" | "DELETE";

export const formType = "application/x-www-form-urlencoded";

export type EndpointName = "introspection" | "revocation" | "userinfo";

export interface HttpRequest {
  readonly method: Method;
  readonly target: Target;
  /** The name of what is requested, for messages: `grant 42`. Never a token. */
  readonly subject: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly intent?: Intent | undefined;
  /** Marks a read with a method other than GET: a query that is sent in a body. */
  readonly isRead?: boolean | undefined;
  /** The endpoint of an OAuth 2.0 server, which decides how the client authenticates. */
  readonly endpoint?: EndpointName | undefined;
}

/**
 * The record of a request that must survive a crash: written before the request is sent, and when its response comes.
 */
export interface Intent {
  /** A throw keeps the request from being sent. */
  beforeSending(): Promise<void>;
  /** Called with every response, complete or as much of it as arrived, because it may contain a token. */
  keepResponse(status: number, body: Buffer): Promise<void>;
}

/** Names of headers are in lower case; several of one name are joined with a comma and a space (RFC 9110, 5.3). */
export type RawResponse = Required<Received>;

/** Resolves with the response, or rejects with a Failure. */
export type Send = (request: HttpRequest) => Promise<RawResponse>;

export type Layer = (next: Send) => Send;

/** True if a request may change something, and so must never be repeated automatically. */
export function isWrite({ method, isRead }: Pick<HttpRequest, "method" | "isRead">): boolean {
  return isRead !== true && method !== "GET" && method !== "HEAD" && method !== "OPTIONS";
}

export function withHeaders(request: HttpRequest, headers: Readonly<Record<string, string>>): HttpRequest {
  return { ...request, headers: { ...request.headers, ...headers } };
}
