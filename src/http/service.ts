// The interface of src/api to a server: sends calls and reads their responses. Defines that an unreadable response is a
// protocol failure for a read and an unknown outcome for a write.
import { isFailure, type Failure, type Received } from "../errors/errors.ts";
import { readJson } from "../json.ts";
import type { ServerType } from "../server-types.ts";
import { brokenResponse } from "./transport-failure.ts";
import { isThrottled } from "./waiting.ts";
import type { EndpointName, HttpRequest, Intent, RawResponse } from "./request.ts";

/** One request of an operation of src/api, or of `grantctl api`. */
export interface Call extends Pick<HttpRequest, "method" | "subject" | "isRead" | "endpoint" | "intent"> {
  /** A path with `:name` segments, relative to the base URL. */
  readonly template: string;
  /** The path and query on the origin, instead of those from the template, or the URL of an endpoint elsewhere. */
  readonly target?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** The body, sent as JSON; a text is JSON already. Absent for none. */
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
  return {
    ...service,
    exchange: (call) => service.exchange({ intent, ...call }),
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
