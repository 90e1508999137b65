// Maps each request to a response, and owns the order of the checks:
//
//   gate (loopback, Origin, Host) -> page of the sandbox | control resource | client of the service
//   client: User-Agent -> injected fault -> API version -> authentication and route -> body -> handler
//   client of an authorization server: injected fault -> endpoint -> body -> authentication
//
// The gate keeps foreign web pages out. A page in the user's browser can reach loopback, but it sends `Origin`, and DNS
// rebinding is visible in `Host`. The sandbox's own pages may send their forms only to their own origin. Pages and
// control resources are not part of the service, so faults do not affect them.
//
// Handlers are synchronous and may throw a Refusal that contains a response.
import type { IncomingMessage } from "node:http";
import { createAuthorizationServer } from "./authorization-server.ts";
import { type ServiceResponse, failure, json, notFound, Refusal } from "./http/response.ts";
import type { FaultInjector } from "./http/faults.ts";
import {
  type IncomingRequest,
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
  type HandlerContext,
  route,
  type Route,
} from "./operations/operation.ts";
import { createApplicationTokenRoutes, createReportRoutes } from "./operations/tokens.ts";
import { createUserRoutes, tokenHeaders } from "./operations/user.ts";
import { redirectToBaseUrl } from "./pages/layout.ts";

interface ServiceOptions {
  readonly authentication: Authentication;
  /** The account that the control resource creates one-time passwords for. */
  readonly login: string;
  readonly injectFaults: FaultInjector;
  /** The header that selects an API version by date; null if the operator has no such versions. */
  readonly versionHeader: string | null;
  readonly pageRoutes: readonly Route<null>[];
}

type GraphqlHandler = (call: Call<TokenCaller>) => ServiceResponse;

/** Rejects only if the store fails or the client disconnects. */
type Service = (message: IncomingMessage) => Promise<ServiceResponse>;

export function createService(context: HandlerContext, options: ServiceOptions): Service {
  const { authentication, login, injectFaults, versionHeader } = options;
  const { behaviour } = context;
  const { meta } = behaviour;
  const pageRoutes = createFindRoute(options.pageRoutes);
  const accountRoutes = createFindRoute(createAccountRoutes(context));
  const publicRoutes = createFindRoute([
    ...(meta === null ? [] : [route("GET /meta", () => json(200, meta))]),
    ...createReportRoutes(context),
  ]);
  const applicationRoutes = createFindRoute(createApplicationTokenRoutes(context));
  const tokenRoutes = createFindRoute([...createUserRoutes(context), ...createIssueRoutes(context)]);
  const controlRoutes = createFindRoute(createControlRoutes(context, login));

  let graphqlHandler: Promise<GraphqlHandler> | undefined;

  const respond = behaviour.isAuthorizationServer ? createAuthorizationServer(context) : respondToClient;

  async function respondToClient(incoming: IncomingRequest): Promise<ServiceResponse> {
    const { request } = incoming;
    const [first, second] = request.segments;
    if (publicRoutes(request) !== undefined) return dispatch(publicRoutes, null, incoming);
    if (first === "authorizations" || (first === "applications" && second === "grants")) {
      if (!behaviour.servesAccounts) return notFound();
      return dispatch(accountRoutes, authentication.authenticateAccount(request), incoming);
    }
    if (first === "applications") {
      return dispatch(applicationRoutes, authentication.authenticateApplication(request), incoming);
    }
    const isGraphql = request.path === "/graphql" || request.path === "/api/graphql";
    if (!isGraphql && tokenRoutes(request) === undefined) return notFound();
    const caller = authentication.authenticateByToken(request);
    const response = await orRefusal(
      isGraphql ? graphqlResponse(caller, incoming) : dispatch(tokenRoutes, caller, incoming),
    );
    return { ...response, headers: { ...tokenHeaders(caller, request, behaviour), ...response.headers } };
  }

  async function graphqlResponse(
    caller: TokenCaller,
    { request, message }: IncomingRequest,
  ): Promise<ServiceResponse> {
    if (request.method !== "POST") {
      return failure(405, "A GraphQL query is sent with POST.", { Allow: "POST" });
    }
    graphqlHandler ??= import("./graphql/graphql-route.ts").then((module) =>
      module.createGraphqlHandler(context),
    );
    const [handle, body] = await Promise.all([graphqlHandler, readJsonObject(message)]);
    return handle({ caller, request, variables: {}, body });
  }

  /** Rejects an unsupported API version, or names the version in the headers of the response. */
  async function respondInVersion(incoming: IncomingRequest): Promise<ServiceResponse> {
    if (versionHeader === null) return orRefusal(respond(incoming));
    const version = incoming.request.header(versionHeader.toLowerCase()) ?? oldestVersion;
    if (!/^\d{4}-\d{2}-\d{2}$/.test(version) || version < oldestVersion) {
      return failure(400, `The API no longer supports this version; the oldest is ${oldestVersion}.`);
    }
    const response = await orRefusal(respond(incoming));
    return { ...response, headers: { ...response.headers, [`${versionHeader}-Selected`]: version } };
  }

  return async (message) => {
    const request = readRequest(message);
    const incoming: IncomingRequest = { request, message };
    const isPage = pageRoutes(request) !== undefined;
    const pageOrigin = isPage ? context.baseUrl : null;
    const refusal = checkGate(request, message.socket.remoteAddress, pageOrigin);
    if (refusal !== null) return refusal;
    if (isPage) {
      return redirectToBaseUrl(request, context.baseUrl) ?? orRefusal(dispatch(pageRoutes, null, incoming));
    }
    // `sandbox code` is not a client of the service, so it needs no User-Agent.
    if (request.segments[0] === "sandbox") return orRefusal(dispatch(controlRoutes, null, incoming));
    const agentRefusal = behaviour.isAuthorizationServer ? null : checkUserAgent(request);
    if (agentRefusal !== null) return agentRefusal;
    return injectFaults(async () => {
      const response = await respondInVersion(incoming);
      const isCacheable =
        !behaviour.isAuthorizationServer && request.method === "GET" && response.status === 200;
      return isCacheable ? { ...response, isCacheable } : response;
    });
  };
}

async function dispatch<Caller>(
  routes: FindRoute<Caller>,
  caller: Caller,
  { request, message }: IncomingRequest,
): Promise<ServiceResponse> {
  const match = routes(request);
  if (match === undefined) return notFound();
  const { variables, route: found } = match;
  let body: JsonObject = {};
  if (found.body === "object") body = await readJsonObject(message);
  if (found.body === "form") body = await readForm(message);
  return found.handle({ caller, request, variables, body });
}

/** Resolves with the response of a thrown Refusal; any other rejection stays one. */
async function orRefusal(work: Promise<ServiceResponse>): Promise<ServiceResponse> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Refusal) return error.response;
    throw error;
  }
}

/**
 * Checks the socket, `Origin` and `Host`, in this order; null if the request may pass. `pageOrigin` is the only
 * accepted `Origin`; null to accept none.
 */
function checkGate(
  request: SandboxRequest,
  remoteAddress: string | undefined,
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
  if (host !== undefined && !isLoopbackHost(host)) {
    return failure(403, "The sandbox does not accept the name in the Host header.");
  }
  return null;
}

function checkUserAgent(request: SandboxRequest): ServiceResponse | null {
  if ((request.header("user-agent") ?? "").trim() !== "") return null;
  return failure(
    403,
    "Request forbidden by administrative rules. Please make sure your request has a User-Agent header.",
  );
}

/** True if a `Host` value, with or without a port, names loopback. */
function isLoopbackHost(host: string): boolean {
  const name = host.replace(/:\d*$/, "").toLowerCase();
  return name === "localhost" || name === "[::1]" || isLoopbackAddress(name);
}

function isLoopbackAddress(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127(\.\d{1,3}){3}$/.test(address);
}

const oldestVersion = "2022-11-28";
