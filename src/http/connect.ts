// Stacks the layers: the layer nearest to the caller comes first, the transport last.
//
// Also defines the two small layers near the wire:
//
//   intent   writes the intent to disk before the request is sent, and records the response before other layers read it
//   trace    with --debug, logs each request: method, path template, page, status, sizes and time, but never the path
//            itself, the rest of the query, header values or bodies
import { Failure, isFailure } from "../errors/errors.ts";
import type { ServerType } from "../server-types.ts";
import { type Client, authorizationLayer, clientLayer } from "./authorization.ts";
import { errorResponsesLayer, singleSignOnLayer } from "./responses.ts";
import { type OneTimePasswords, oneTimePasswordLayer } from "./one-time-password.ts";
import type { Origin } from "./origin.ts";
import { type Layer, type Send, stackLayers } from "./request.ts";
import { type Endpoints, type Service, createService } from "./service.ts";
import { type RetryOptions, retryLayer } from "./waiting.ts";

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
      retryLayer(options),
      errorResponsesLayer(headerWord, now),
      singleSignOnLayer(headerWord, options.onPartialResults),
      ...(oneTimePasswords === undefined ? [] : [oneTimePasswordLayer(headerWord, oneTimePasswords)]),
      ...(authorization === null ? [] : [authorizationLayer(authorization)]),
      ...(client === undefined ? [] : [clientLayer(client)]),
      ...(trace === null ? [] : [traceLayer(trace, now)]),
      intentLayer(),
    ],
    transport,
  );
  return createService(options.origin, send, options.headers, options);
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
      if (received !== undefined) await intent.keepResponse(received.status, received.body);
      throw error;
    }
  };
}

/** Calls `write` with one line per request, after its response or failure. `now` is in milliseconds. */
function traceLayer(write: (line: string) => void, now: () => number): Layer {
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
