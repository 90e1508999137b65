// Stacks the layers over a transport: the layer nearest to the caller comes first.
//
//   retry            repeats reads, and whatever a limit rejected (waiting.ts)
//   responses        turns statuses into failures (responses.ts)
//   single sign-on   turns a required approval into a failure (responses.ts)
//   one-time codes   repeats a request that a 401 asks a code for (one-time-password.ts)
//   client           authenticates the client of an OAuth 2.0 server (authorization.ts)
//   trace            with --debug, logs method, path template, status, sizes and time, but never a path, a query, header
//                    values or bodies
//   intent           writes the intent to disk before the request is sent, and the response before other layers read it
import { Failure, isFailure } from "../errors/errors.ts";
import { toJson } from "../json.ts";
import type { ServerType } from "../server-types.ts";
import { type Client, clientLayer } from "./authorization.ts";
import { type OneTimePasswords, oneTimePasswordLayer } from "./one-time-password.ts";
import { buildTarget, type Origin } from "./origin.ts";
import { formType, type HttpRequest, type Layer, type Send } from "./request.ts";
import { errorResponsesLayer, singleSignOnLayer } from "./responses.ts";
import type { Call, Endpoints, Service } from "./service.ts";
import { type RetryOptions, retryLayer } from "./waiting.ts";

/** The options in which the services of a run differ. Without any of them, requests carry no credentials. */
export interface ServiceOptions {
  /** The value of the `Authorization` header; null to send none. */
  readonly authorization?: string | null;
  /** A client of an OAuth 2.0 server, instead of `authorization`. */
  readonly client?: Client;
  readonly endpoints?: Endpoints;
  /** Absent for an application's credentials and for tokens, which need no one-time password. */
  readonly oneTimePasswords?: OneTimePasswords;
}

export interface ConnectOptions extends RetryOptions, ServiceOptions {
  readonly origin: Origin;
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
  const { headerWord, oneTimePasswords, client, trace, now } = options;
  const layers = [
    retryLayer(options),
    errorResponsesLayer(headerWord, now),
    singleSignOnLayer(headerWord, options.onPartialResults),
    ...(oneTimePasswords === undefined ? [] : [oneTimePasswordLayer(headerWord, oneTimePasswords)]),
    ...(client === undefined ? [] : [clientLayer(client)]),
    ...(trace === null ? [] : [traceLayer(trace, now)]),
    intentLayer(),
  ];
  const send = layers.reduceRight((next, layer) => layer(next), transport);
  return {
    serverType: options.serverType,
    endpoints: options.endpoints ?? null,
    async exchange(call) {
      const request = buildRequest(call, options);
      return { request, response: await send(request) };
    },
  };
}

function buildRequest(
  { template, target, parameters, query, body, form, headers = {}, ...call }: Call,
  { origin, headers: standing, authorization = null }: ConnectOptions,
): HttpRequest {
  const text = form === undefined ? jsonOf(body) : new URLSearchParams(form).toString();
  const type = { "content-type": form === undefined ? "application/json" : formType };
  return {
    ...call,
    target:
      target === undefined
        ? buildTarget(origin, template, parameters, query)
        : endpointTarget(target, template),
    headers: {
      ...standing,
      ...(text === null ? {} : type),
      ...headers,
      ...(authorization === null ? {} : { authorization }),
    },
    body: text,
  };
}

/** The target for a path on the origin, or for the URL of an endpoint elsewhere. */
function endpointTarget(target: string, template: string): HttpRequest["target"] {
  if (target.startsWith("/")) return { path: target, template };
  const { origin, pathname, search } = new URL(target);
  return { path: `${pathname}${search}`, template, root: origin };
}

function jsonOf(body: Call["body"]): string | null {
  if (body === undefined) return null;
  return typeof body === "string" ? body : toJson(body, 0);
}

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
    const end = (outcome: string): void => {
      const sent = Buffer.byteLength(request.body ?? "");
      const taken = Math.round(now() - started);
      write(`${request.method} ${request.target.template} → ${outcome}, sent ${sent} B, ${taken} ms`);
    };
    try {
      const response = await next(request);
      end(`${response.status}, received ${response.body.length} B`);
      return response;
    } catch (error) {
      end(`no response${error instanceof Failure ? `: ${error.message}` : ""}`);
      throw error;
    }
  };
}
