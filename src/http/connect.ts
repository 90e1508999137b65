// Stacks the layers: the layer nearest to the caller comes first, the transport last.
//
// Also defines the three small layers near the wire:
//
//   intent          writes the intent to disk before the request is sent, and records the response before other layers
//                   read it
//   trace           with --debug, logs each request: method, path template, page, status, sizes and time, but never the
//                   path itself, the rest of the query, header values or bodies
//   foreign links   with --debug, reports links to the next page with another host or path; such URLs are never used
import { Failure, type Received, isFailure } from "../errors/errors.ts";
import type { ServerType } from "../server-types.ts";
import { parseUrl } from "../parse-url.ts";
import { type Client, authorizationLayer, clientLayer } from "./authorization.ts";
import {
  type FindHint,
  errorResponsesLayer,
  notFoundHintsLayer,
  singleSignOnLayer,
} from "./error-responses.ts";
import { nextUrl } from "./link.ts";
import { type OneTimePasswords, oneTimePasswordLayer } from "./one-time-password.ts";
import type { Origin } from "./origin.ts";
import { type Layer, type Send, stackLayers } from "./request.ts";
import { type Endpoints, type Service, createService } from "./service.ts";
import { type RetryOptions, retryLayer } from "./waiting.ts";
import type { Transform } from "node:stream";
import { createBrotliDecompress, createInflate, createInflateRaw, createUnzip } from "node:zlib";

/** The options in which the services of a run differ. Without any of them, requests carry no credentials. */
export interface ServiceOptions {
  /** The value of the `Authorization` header; null to send none. */
  readonly authorization?: string | null;
  /** A client of an OAuth 2.0 server, instead of `authorization`. */
  readonly client?: Client;
  /** The endpoints of a server that has no fixed paths. */
  readonly endpoints?: Endpoints;
  /** Absent for an application's credentials and for tokens, which need no one-time password. */
  readonly oneTimePasswords?: OneTimePasswords;
  /** Finds a better hint for a 404; the usual one by default. */
  readonly findHint?: FindHint;
}

export interface ConnectOptions extends RetryOptions, ServiceOptions {
  readonly origin: Origin;
  /** The type of server, which determines the form of some requests. */
  readonly serverType: ServerType;
  readonly headerWord: string;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly onPartialResults: (organizationIds: readonly string[]) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Creates a service that sends through all layers and the given transport. */
export function connect(options: ConnectOptions, transport: Send): Service {
  const { headerWord, oneTimePasswords, authorization = null, client, trace, now } = options;
  const send = stackLayers(
    [
      notFoundHintsLayer(options.findHint ?? null),
      retryLayer(options),
      errorResponsesLayer(headerWord, options.serverType, now),
      singleSignOnLayer(headerWord, options.onPartialResults),
      ...(oneTimePasswords === undefined ? [] : [oneTimePasswordLayer(headerWord, oneTimePasswords)]),
      ...(authorization === null ? [] : [authorizationLayer(authorization)]),
      ...(client === undefined ? [] : [clientLayer(client)]),
      ...(trace === null ? [] : [foreignLinksLayer(options.origin.root, trace), traceLayer(trace, now)]),
      intentLayer(),
    ],
    transport,
  );
  return createService(options.origin, send, options.headers, options.serverType, options.endpoints ?? null);
}

/** Calls a request's intent before sending, and with the complete or partial response. */
function intentLayer(): Layer {
  return (next) => async (request) => {
    const { intent } = request;
    if (intent === undefined) return next(request);
    await intent.beforeSending();
    try {
      const response = await next(request);
      await intent.keepResponse(response.status, response.body);
      return response;
    } catch (error) {
      const received = isFailure(error) ? error.details.received : undefined;
      if (received !== undefined) await intent.keepResponse(received.status, await decodeBody(received));
      throw error;
    }
  };
}

/** Calls `write` with one line per request, after its response or failure. `now` is in milliseconds. */
export function traceLayer(write: (line: string) => void, now: () => number): Layer {
  return (next) => async (request) => {
    const started = now();
    const sent = Buffer.byteLength(request.body ?? "");
    const line = (outcome: string): string =>
      `${request.method} ${request.target.template}${pagingParameters(request.target.path)} → ${outcome}, sent ${sent} B, ${Math.round(now() - started)} ms`;
    try {
      const response = await next(request);
      write(line(`${response.status}, received ${response.body.length} B`));
      return response;
    } catch (error) {
      const reason = error instanceof Failure ? error.details.noResponse : undefined;
      write(line(reason === undefined ? "no response" : `no response: ${reason}`));
      throw error;
    }
  };
}

/** The `page` and `per_page` of a path's query if they are numbers, which cannot be secrets. */
function pagingParameters(path: string): string {
  const at = path.indexOf("?");
  if (at === -1) return "";
  const query = new URLSearchParams(path.slice(at));
  return ["page", "per_page"]
    .map((name) => [name, query.get(name) ?? ""] as const)
    .filter(([, value]) => /^\d{1,9}$/.test(value))
    .map(([name, value]) => ` ${name}=${value}`)
    .join("");
}

/** Writes one line for each such host or path; `root` is the origin that requests go to. */
export function foreignLinksLayer(root: string, write: (line: string) => void): Layer {
  const reported = new Set<string>();
  return (next) => async (request) => {
    const response = await next(request);
    const link = nextUrl(response.headers["link"] ?? "");
    const description = link === null ? null : describeForeignLink(link, `${root}${request.target.path}`);
    if (description !== null && !reported.has(description)) {
      reported.add(description);
      write(`the link to the next page points to ${description}; grantctl uses only its page number`);
    }
    return response;
  };
}

/** A foreign host, or "another path" without the path itself; null if host and path are the request's own. */
function describeForeignLink(link: string, requestUrl: string): string | null {
  const requested = new URL(requestUrl);
  const linked = parseUrl(link, requestUrl);
  if (linked === null) return "no address";
  if (linked.protocol !== requested.protocol || linked.host !== requested.host) {
    return `${linked.protocol}//${linked.host.slice(0, 100)}`;
  }
  return linked.pathname === requested.pathname ? null : "another path";
}

/** More than any response with one token has; stops decompression bombs. */
const mostBytes = 1024 * 1024;

/** Decodes the body (RFC 9110, 8.4) as far as possible; returns it unchanged if nothing can be decoded. */
async function decodeBody({ body, codings = "" }: Received): Promise<Buffer> {
  let plain = body;
  for (const coding of codings.split(",").toReversed())
    plain = await decodeCoding(plain, coding.trim().toLowerCase());
  return plain;
}

function decodeCoding(body: Buffer, coding: string): Promise<Buffer> {
  const decoder = createDecoder(coding, body);
  if (decoder === null) return Promise.resolve(body);
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    decoder.on("data", (piece: Buffer) => {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > mostBytes) decoder.destroy();
    });
    // After an error, keep the bytes that were decoded before it.
    decoder.on("error", () => undefined);
    decoder.on("close", () => {
      resolve(pieces.length === 0 ? body : Buffer.concat(pieces));
    });
    decoder.end(body);
  });
}

function createDecoder(coding: string, body: Buffer): Transform | null {
  if (coding === "gzip" || coding === "x-gzip") return createUnzip();
  if (coding === "br") return createBrotliDecompress();
  if (coding !== "deflate") return null;
  // Some servers send `deflate` without the zlib header, whose first byte has 8 in its low nibble (RFC 1950, 2.2).
  return ((body[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
}
