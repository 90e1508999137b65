// The service as one function from a request to a response. It owns the order of the checks:
//
//   gate (loopback, Origin, Host) -> page of the sandbox | control resource | client of the service
//   client: User-Agent -> injected fault -> API version -> authentication and route -> body -> handler -> settled
//   client of an authorization server: injected fault -> endpoint -> body -> authentication -> settled
//
// The gate keeps foreign web pages out. A page in the user's browser can reach loopback, but it sends its `Origin`, and
// DNS rebinding shows in `Host`. The sandbox's own pages may send their forms only to their own origin. Pages and
// control resources are not part of the service, so faults do not affect them.
//
// A handler is synchronous, and may throw a Refusal with a response. No response is sent before everything that its
// handler wrote or read is on disk.
import type { IncomingMessage } from "node:http";
import { createAuthorizationServer, type HiddenTokens } from "./authorization-server.ts";
import { type ServiceResponse, failure, json, notFound, Refusal } from "./http/response.ts";
import { type Deviation, type Disturb, faithful } from "./http/faults.ts";
import {
  type JsonObject,
  readForm,
  readJsonObject,
  readRequest,
  type SandboxRequest,
} from "./http/request.ts";
import type { Authentication, TokenCaller } from "./identity/authentication.ts";
import { createAccountRoutes } from "./operations/account.ts";
import { createControlRoutes } from "./operations/control.ts";
import { createIssueRoutes } from "./operations/issues.ts";
import {
  type Call,
  createFindRoute,
  type FindRoute,
  type HandlerOptions,
  route,
  type Route,
} from "./operations/operation.ts";
import { createApplicationTokenRoutes, createReportRoutes } from "./operations/tokens.ts";
import { createUserRoutes, tokenHeaders } from "./operations/user.ts";
import { redirectHome } from "./pages/layout.ts";

/** A request on its way in. Its body is read from the message only when a route requires it. */
interface Arrival {
  readonly request: SandboxRequest;
  readonly message: IncomingMessage;
  readonly deviation: Deviation;
}

interface ServiceOptions {
  readonly authentication: Authentication;
  readonly allowHosts: readonly string[];
  /** The login of the account whose one-time passwords the control resource lists. */
  readonly login: string;
  readonly reportsPerHour: number;
  readonly disturb: Disturb;
  /** The header that selects an API version by date; null if there are no such versions. */
  readonly versionHeader: string | null;
  readonly pageRoutes: readonly Route<null>[];
  readonly hiddenTokens: HiddenTokens;
}

type GraphqlHandler = (call: Call<TokenCaller>) => ServiceResponse;

/** Handles one request. Rejects only if the store fails or the client disconnects. */
type Service = (message: IncomingMessage) => Promise<ServiceResponse>;

/** The service: routes behind authentication and faults. */
export function createService(handlerOptions: HandlerOptions, options: ServiceOptions): Service {
  const { authentication, allowHosts, login, reportsPerHour, disturb } = options;
  const { behaviour, store } = handlerOptions;
  const { meta } = behaviour;
  const respondInVersion = createRespondInVersion(options.versionHeader);
  const pageRoutes = createFindRoute(options.pageRoutes);
  const accountRoutes = createFindRoute(createAccountRoutes(handlerOptions));
  const openRoutes = createFindRoute([
    ...(meta === null ? [] : [route("GET /meta", () => json(200, meta))]),
    ...createReportRoutes(handlerOptions, reportsPerHour),
  ]);
  const applicationRoutes = createFindRoute(createApplicationTokenRoutes(handlerOptions));
  const tokenRoutes = createFindRoute([
    ...createUserRoutes(handlerOptions),
    ...createIssueRoutes(handlerOptions),
  ]);
  const controlRoutes = createFindRoute(createControlRoutes(handlerOptions, login));

  let graphqlHandler: Promise<GraphqlHandler> | undefined;

  const respondInOAuth = createAuthorizationServer(handlerOptions, options.hiddenTokens);
  const respondAsOperator = behaviour.isAuthorizationServer
    ? ({ request, message, deviation }: Arrival) => respondInOAuth(request, message, deviation)
    : respondToClient;

  async function respondToClient(arrival: Arrival): Promise<ServiceResponse> {
    const { request } = arrival;
    const [first, second] = request.segments;
    if (openRoutes(request) !== undefined) return dispatch(openRoutes, null, arrival);
    if (first === "authorizations" || (first === "applications" && second === "grants")) {
      if (!behaviour.servesAccounts) return notFound();
      return dispatch(accountRoutes, await authentication.authenticateAccount(request), arrival);
    }
    if (first === "applications") {
      return dispatch(applicationRoutes, authentication.authenticateApplication(request), arrival);
    }
    const isGraphql = request.path === "/graphql" || request.path === "/api/graphql";
    if (!isGraphql && tokenRoutes(request) === undefined) return notFound();
    const caller = await authentication.authenticateByToken(request);
    const response = await orRefusal(
      isGraphql ? graphqlResponse(caller, arrival) : dispatch(tokenRoutes, caller, arrival),
    );
    return { ...response, headers: { ...tokenHeaders(caller, request, behaviour), ...response.headers } };
  }

  async function graphqlResponse(
    caller: TokenCaller,
    { request, message, deviation }: Arrival,
  ): Promise<ServiceResponse> {
    if (request.method !== "POST") {
      return failure(405, "A GraphQL query is sent with POST.", { Allow: "POST" });
    }
    graphqlHandler ??= import("./graphql/graphql-route.ts").then((module) =>
      module.createGraphqlHandler(handlerOptions),
    );
    const [handle, body] = await Promise.all([graphqlHandler, readJsonObject(message)]);
    return whenSettled(handle({ caller, request, variables: {}, body, deviation }));
  }

  async function dispatch<Caller>(
    routes: FindRoute<Caller>,
    caller: Caller,
    { request, message, deviation }: Arrival,
  ): Promise<ServiceResponse> {
    const match = routes(request);
    if (match === undefined) return notFound();
    const { variables, route: found } = match;
    let body: JsonObject = {};
    if (found.body === "object") body = await readJsonObject(message);
    if (found.body === "form") body = await readForm(message);
    return whenSettled(found.handle({ caller, request, variables, body, deviation }));
  }

  /** Delays a response until everything that its handler wrote or read is on disk. */
  async function whenSettled(response: ServiceResponse): Promise<ServiceResponse> {
    await store.settled();
    return response;
  }

  /** The response; a Refusal that was thrown becomes the response that it holds. */
  async function orRefusal(response: Promise<ServiceResponse>): Promise<ServiceResponse> {
    try {
      return await response;
    } catch (error) {
      if (error instanceof Refusal) return whenSettled(error.response);
      throw error;
    }
  }

  return async (message) => {
    const request = readRequest(message);
    const arrival: Arrival = { request, message, deviation: faithful };
    const isPage = pageRoutes(request) !== undefined;
    const pageOrigin = isPage ? handlerOptions.baseUrl : null;
    const refusal = checkGate(request, message.socket.remoteAddress, allowHosts, pageOrigin);
    if (refusal !== null) return refusal;
    if (isPage) {
      return redirectHome(request, handlerOptions.baseUrl) ?? orRefusal(dispatch(pageRoutes, null, arrival));
    }
    // `sandbox codes` is no client of the service, so it needs no User-Agent.
    if (request.segments[0] === "sandbox") return orRefusal(dispatch(controlRoutes, null, arrival));
    const anonymous = behaviour.isAuthorizationServer ? null : checkUserAgent(request);
    if (anonymous !== null) return anonymous;
    return disturb(async (deviation) => {
      const response = await respondInVersion(request, () =>
        orRefusal(respondAsOperator({ ...arrival, deviation })),
      );
      if (behaviour.isAuthorizationServer) return response;
      return request.method === "GET" && response.status === 200
        ? { isKeepable: true, ...response }
        : response;
    });
  };
}

/**
 * The response to a request that must not pass, or null. Looks at the socket, `Origin` and `Host`, in this order.
 * `pageOrigin` is the origin that the sandbox's pages have, if the request is for one of them, and null otherwise.
 */
function checkGate(
  request: SandboxRequest,
  remoteAddress: string | undefined,
  allowHosts: readonly string[],
  pageOrigin: string | null,
): ServiceResponse | null {
  if (!isLoopbackAddress(remoteAddress ?? "")) {
    return failure(403, "The sandbox accepts requests only from this machine.");
  }
  const origin = request.header("origin");
  if (origin !== undefined && origin !== pageOrigin) {
    return failure(
      403,
      "The sandbox does not accept requests from web pages: the request has an Origin header.",
    );
  }
  const host = request.header("host");
  // RFC 9112, 3.2: a request with two Host headers is rejected.
  if (host?.includes(",") === true) return failure(400, "The request has more than one Host.");
  if (host !== undefined && !isAllowedHost(host, allowHosts)) {
    return failure(
      403,
      "The sandbox does not accept the name in the Host header. Start it with --allow-host NAME to allow one.",
    );
  }
  return null;
}

/** The response to a client without a User-Agent, or null. */
function checkUserAgent(request: SandboxRequest): ServiceResponse | null {
  if ((request.header("user-agent") ?? "").trim() !== "") return null;
  return failure(
    403,
    "Request forbidden by administrative rules. Please make sure your request has a User-Agent header.",
  );
}

/** True if a `Host` value, with or without a port, names this machine or one of the allowed names. */
function isAllowedHost(host: string, allowHosts: readonly string[]): boolean {
  const name = host.replace(/:\d*$/, "").toLowerCase();
  return (
    name === "localhost" ||
    name === "[::1]" ||
    isLoopbackAddress(name) ||
    allowHosts.some((allowed) => allowed.toLowerCase() === name)
  );
}

function isLoopbackAddress(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127(\.\d{1,3}){3}$/.test(address);
}

const oldest = "2022-11-28";

/** Adds the version's header to a response, or resolves with the refusal of an unsupported version. */
type RespondInVersion = (
  request: SandboxRequest,
  next: () => Promise<ServiceResponse>,
) => Promise<ServiceResponse>;

/** `header` is the name of the header that selects a version; null if there are no versions by date. */
function createRespondInVersion(header: string | null): RespondInVersion {
  if (header === null) return (_request, next) => next();
  return async (request, next) => {
    const version = request.header(header.toLowerCase()) ?? oldest;
    if (!/^\d{4}-\d{2}-\d{2}$/.test(version) || version < oldest) {
      return failure(400, `The API no longer supports this version; the oldest is ${oldest}.`);
    }
    const response = await next();
    return { ...response, headers: { ...response.headers, [`${header}-Selected`]: version } };
  };
}
