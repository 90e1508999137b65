// The interface of src/api to a server: sends calls and reads their responses. Defines that an unreadable response is a
// protocol failure for a read and an unknown outcome for a write. A service stacks these layers over a transport, the
// nearest to the caller first:
//
//   retry            repeats reads, and whatever a limit rejected (waiting.ts)
//   responses        turns statuses into failures (responses.ts)
//   single sign-on   turns a required approval into a failure (responses.ts)
//   one-time codes   repeats a request that a 401 asks a code for (otp-layer.ts)
//   client           authenticates the client of an OAuth 2.0 server (authentication.ts)
//   trace            with --debug, logs method, path template, status, sizes and time, but never a path, a query, header
//                    values or bodies
//   intent           writes the intent to disk before the request is sent, and the response before other layers read it
import { Failure, isFailure, type Received } from "../errors/errors.ts";
import { readJson, toJson } from "../json.ts";
import type { ServerType } from "../server-types.ts";
import { clientLayer, type Client } from "./authentication.ts";
import { oneTimePasswordLayer, type OneTimePasswords } from "./otp-layer.ts";
import { buildTarget, type Origin } from "./urls.ts";
import { formType, type EndpointName, type HttpRequest, type Intent } from "./request.ts";
import type { Layer, RawResponse, Send } from "./request.ts";
import { errorResponsesLayer, singleSignOnLayer } from "./responses.ts";
import { brokenResponse } from "./transport-failure.ts";
import { isThrottled, retryLayer, type LimitWaits } from "./waiting.ts";

/** One request of an operation of src/api, or of `grantctl api`. */
export interface Call extends Pick<HttpRequest, "method" | "subject" | "isRead" | "endpoint" | "intent"> {
  /** A path with `:name` segments, relative to the base URL. */
  readonly template: string;
  /** The path and query on the origin, instead of those from the template, or the URL of an endpoint elsewhere. */
  readonly target?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** The body, sent as JSON; a text is JSON already. */
  readonly body?: Readonly<Record<string, unknown>> | string;
  /** The body, sent as a form instead of JSON. */
  readonly form?: Readonly<Record<string, string>>;
  /** In place of the headers of the run. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The endpoints of a server that has no fixed paths. */
export interface Endpoints {
  /**
   * The path and query of an endpoint on the origin, or the URL elsewhere that the user has configured; null if the
   * server has none. Throws a usage failure for an endpoint that cannot be used.
   */
  readonly pathOf: (name: EndpointName) => Promise<string | null>;
  /** The hint if this endpoint rejects the client's credentials. */
  readonly clientHint?: (name: EndpointName) => string;
}

export interface Service {
  readonly serverType: ServerType;
  /** Null for a server type with fixed paths. */
  readonly endpoints: Endpoints | null;
  /** Sends one call; resolves with the request and its response, or rejects with a Failure. */
  exchange(call: Call): Promise<Exchange>;
}

interface Exchange {
  readonly request: HttpRequest;
  readonly response: RawResponse;
}

/** The same service, with this intent for every call that has none of its own. */
export function withIntent(service: Service, intent: Intent): Service {
  return { ...service, exchange: (call) => service.exchange({ intent, ...call }) };
}

/**
 * Sends a call that succeeds with JSON and one of these statuses, and checks the response. `check` throws for a body
 * that violates the specification.
 */
export async function sendForJson<T>(
  service: Service,
  call: Call,
  check: (body: unknown) => T,
  statuses: readonly number[] = [200],
): Promise<T> {
  return readResponse(await service.exchange(call), statuses, check);
}

/** The response to a call, whatever its status but a limit, which says nothing. Throws if no complete one came. */
export async function responseTo(service: Service, call: Call): Promise<Received> {
  try {
    return (await service.exchange(call)).response;
  } catch (error) {
    const { status, received } = isFailure(error) ? error.details : {};
    if (status === undefined || received === undefined || isThrottled(error)) throw error;
    return received;
  }
}

/** Sends a call that succeeds only with this status. The body of the response is ignored. */
export async function sendForNoContent(service: Service, call: Call, success = 204): Promise<void> {
  const { request, response } = await service.exchange(call);
  if (response.status !== success) throw unexpectedStatus(request, response.status);
}

/**
 * Parses and checks the JSON of a response; throws a protocol failure or, for a write, an unknown outcome. The
 * TypeErrors of `check` name the field and the problem, but never quote the response.
 */
export function readResponse<T>(
  { request, response }: Exchange,
  statuses: readonly number[],
  check: (body: unknown) => T,
): T {
  if (!statuses.includes(response.status)) throw unexpectedStatus(request, response.status);
  let body: unknown;
  try {
    body = readJson(response.body);
  } catch (cause) {
    throw brokenResponse(request, "is not JSON, or was cut off", cause);
  }
  try {
    return check(body);
  } catch (cause) {
    const problem = cause instanceof TypeError ? ` (${cause.message})` : "";
    throw brokenResponse(request, `does not match the API${problem}`, cause);
  }
}

function unexpectedStatus(request: HttpRequest, status: number): Failure {
  return brokenResponse(request, `has the unexpected status ${status}`, undefined, status);
}

// ---- A service and its layers

/** The options in which the services of a run differ. Without any of them, requests carry no credentials. */
export interface ServiceOptions {
  readonly authorization?: string;
  /** A client of an OAuth 2.0 server, instead of `authorization`. */
  readonly client?: Client;
  readonly endpoints?: Endpoints;
  /** Absent for an application's credentials and for tokens, which need no one-time password. */
  readonly oneTimePasswords?: OneTimePasswords;
}

interface LayerOptions extends ServiceOptions {
  readonly origin: Origin;
  readonly serverType: ServerType;
  readonly headerWord: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly onPartialResults: (organizationIds: readonly string[]) => void;
  readonly waits: LimitWaits;
  /** Null without --debug. */
  readonly trace: ((line: string) => void) | null;
  readonly now: () => number;
}

export function createService(options: LayerOptions, transport: Send): Service {
  const { serverType, headerWord, oneTimePasswords, client, trace, now } = options;
  const layers = [
    retryLayer(options.waits, trace),
    errorResponsesLayer(serverType.isGithub || headerWord === "GitHub", now),
    singleSignOnLayer(headerWord, options.onPartialResults),
    ...(oneTimePasswords === undefined ? [] : [oneTimePasswordLayer(headerWord, oneTimePasswords)]),
    ...(client === undefined ? [] : [clientLayer(client)]),
    ...(trace === null ? [] : [traceLayer(trace, now)]),
    intentLayer,
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
  { origin, headers: standing, authorization }: LayerOptions,
): HttpRequest {
  const json = typeof body === "object" ? toJson(body, 0) : (body ?? null);
  const text = form === undefined ? json : new URLSearchParams(form).toString();
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
      ...(authorization === undefined ? {} : { authorization }),
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

const intentLayer: Layer = (next) => async (request) => {
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
