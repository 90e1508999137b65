// The interface of src/api to a server: sends calls and reads their responses. Defines that an unreadable response is a
// protocol failure for a read and an unknown outcome for a write.
import type { Failure } from "../errors/errors.ts";
import { readJson } from "../json/exact-json.ts";
import type { ServerType } from "../server-types.ts";
import { buildPathTarget, buildTarget, type Origin } from "./origin.ts";
import { brokenResponse } from "./transport-failure.ts";
import {
  formType,
  type EndpointName,
  type RawResponse,
  type HttpRequest,
  type Intent,
  type Send,
} from "./request.ts";

const json = "application/json";

/** One request of an operation of src/api. */
export interface Call extends Pick<
  HttpRequest,
  "method" | "subject" | "isRead" | "existsForEveryAccount" | "endpoint" | "intent"
> {
  /** A path with `:name` segments, relative to the base URL. */
  readonly template: string;
  /** The path and query on the origin, instead of those from the template. */
  readonly target?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** The body, sent as JSON; absent for none. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** The body, sent as a form instead of JSON. */
  readonly form?: Readonly<Record<string, string>>;
}

/** A request that the user wrote for `grantctl api`. */
export interface RawCall extends Pick<
  HttpRequest,
  "method" | "body" | "subject" | "isRead" | "isRefusedWithAnyStatus" | "intent"
> {
  /** The path relative to the base URL; a leading slash and a query are optional. */
  readonly path: string;
  /** Further parameters for the query. */
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
}

/** The endpoints of a server that has no fixed paths. */
export interface Endpoints {
  /**
   * The path and query of an endpoint on the origin; null if the server has none. Throws a usage failure for an
   * endpoint that cannot be used.
   */
  readonly pathOf: (name: EndpointName) => Promise<string | null>;
  /** The hint if this endpoint rejects the client's credentials. */
  readonly clientHint: (name: EndpointName) => string;
}

export interface Service {
  /** The type of server, which determines the form of some requests. */
  readonly serverType: ServerType;
  /** Null for an server type with fixed paths. */
  readonly endpoints: Endpoints | null;
  /** Sends one call; resolves with the request and its response, or rejects with a Failure. */
  exchange(call: Call): Promise<Exchange>;
  /** Sends a request that the user wrote. */
  exchangeRaw(call: RawCall): Promise<Exchange>;
}

export interface Exchange {
  readonly request: HttpRequest;
  readonly response: RawResponse;
}

/** Creates a service on one origin. `send` is the outermost layer. */
export function createService(
  origin: Origin,
  send: Send,
  headers: Readonly<Record<string, string>>,
  serverType: ServerType,
  endpoints: Endpoints | null = null,
): Service {
  const headersWithBody = { ...headers, "Content-Type": json };
  const headersWithForm = { ...headers, "Content-Type": formType };
  const bodyOf = ({ body, form }: Call): Pick<HttpRequest, "headers" | "body"> => {
    if (form !== undefined) return { headers: headersWithForm, body: new URLSearchParams(form).toString() };
    return body === undefined
      ? { headers, body: null }
      : { headers: headersWithBody, body: JSON.stringify(body) };
  };
  return {
    serverType,
    endpoints,
    async exchange(call) {
      const request: HttpRequest = {
        method: call.method,
        target:
          call.target === undefined
            ? buildTarget(origin, call.template, call.parameters, call.query)
            : { path: call.target, template: call.template },
        subject: call.subject,
        isRead: call.isRead,
        existsForEveryAccount: call.existsForEveryAccount,
        endpoint: call.endpoint,
        intent: call.intent,
        ...bodyOf(call),
      };
      return { request, response: await send(request) };
    },
    async exchangeRaw({ path, query, headers: more, ...call }) {
      const request: HttpRequest = {
        ...call,
        target: buildPathTarget(origin, path, query),
        headers: mergeHeaders(headers, more),
      };
      return { request, response: await send(request) };
    },
  };
}

/** Merges headers; names are case-insensitive, and those in `more` take precedence. */
function mergeHeaders(
  standing: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>>,
): Record<string, string> {
  const replaced = new Set(Object.keys(more).map((name) => name.toLowerCase()));
  const kept = Object.entries(standing).filter(([name]) => !replaced.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...more };
}

/** The same service, with this intent for every call that has none of its own. */
export function withIntent(service: Service, intent: Intent): Service {
  return {
    ...service,
    exchange: (call) => service.exchange({ intent, ...call }),
    exchangeRaw: (call) => service.exchangeRaw({ intent, ...call }),
  };
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
  const isNoJson = "is not JSON, or was cut off";
  try {
    body = readJson(response.body);
  } catch (cause) {
    throw brokenResponse(request, isNoJson, cause);
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
