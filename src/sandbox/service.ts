// The service as one function from a request to an answer. Owns the order of the checks: the gate against web pages,
// faults on purpose, authentication, one-time password, then the route, then the body.
import type { HandlerOptions } from "./handlers/handler-options.ts";
import { failure, json, notFound, Refusal, type Answer } from "./http/answer.ts";
import { createAnswerInVersion } from "./http/api-version.ts";
import type { Disturb } from "./http/faults.ts";
import { checkGate, checkUserAgent } from "./http/gate.ts";
import type { JsonObject } from "./http/request-body.ts";
import { createFindRoute, route, type Call, type FindRoute, type Route } from "./http/routes.ts";
import type { SandboxRequest } from "./http/sandbox-request.ts";
import type { Authentication, TokenCaller } from "./identity/authentication.ts";
import { createApplicationTokenRoutes, isCheck } from "./handlers/application-tokens.ts";
import { createAuthorizationRoutes } from "./handlers/authorizations.ts";
import { createControlRoutes } from "./handlers/control.ts";
import { createGetOrCreateRoutes } from "./handlers/get-or-create.ts";
import { createGrantRoutes } from "./handlers/grants.ts";
import { createReportRoutes } from "./handlers/reports.ts";
import { createIssueRoutes } from "./handlers/issues.ts";
import { createOrganizationRoutes } from "./handlers/organizations.ts";
import { createPullRoutes } from "./handlers/pulls.ts";
import { createUserRoutes, describeToken } from "./handlers/user.ts";
import { leadHome } from "./pages/layout.ts";

/** A request on its way in; the body is read only when a route wants it. */
interface Arrival {
  readonly request: SandboxRequest;
  readonly remoteAddress: string | undefined;
  readonly readBody: () => Promise<JsonObject>;
  readonly readForm: () => Promise<JsonObject>;
}

export interface ServiceOptions {
  readonly authentication: Authentication;
  readonly allowHosts: readonly string[];
  /** The login of the account whose one-time passwords the control resource lists. */
  readonly login: string;
  readonly reportsPerHour: number;
  readonly disturb: Disturb;
  /** The header that asks for a version of the API by its date; null where no version has one. */
  readonly versionHeader: string | null;
  readonly pageRoutes: readonly Route<null>[];
}

type GraphqlHandler = (call: Call<TokenCaller>) => Answer;

/** Answers one request. Rejects only when the store fails or the client goes away. */
export type Service = (arrival: Arrival) => Promise<Answer>;

/** The service that answers what the routes say, behind authentication and faults. */
export function createService(handlerOptions: HandlerOptions, options: ServiceOptions): Service {
  const { authentication, allowHosts, login, reportsPerHour, disturb } = options;
  const { behaviour, store } = handlerOptions;
  const { meta } = behaviour;
  const answerInVersion = createAnswerInVersion(options.versionHeader);
  const pageRoutes = createFindRoute(options.pageRoutes);
  const accountRoutes = createFindRoute([
    ...createGrantRoutes(handlerOptions),
    ...createAuthorizationRoutes(handlerOptions),
    ...createGetOrCreateRoutes(handlerOptions),
  ]);
  const openRoutes = createFindRoute([
    ...(meta === null ? [] : [route("GET /meta", () => json(200, meta))]),
    ...createReportRoutes(handlerOptions, reportsPerHour),
  ]);
  const applicationRoutes = createFindRoute(createApplicationTokenRoutes(handlerOptions));
  const tokenRoutes = createFindRoute([
    ...createUserRoutes(handlerOptions),
    ...createIssueRoutes(handlerOptions),
    ...createOrganizationRoutes(handlerOptions),
    ...createPullRoutes(handlerOptions),
  ]);
  const controlRoutes = createFindRoute(createControlRoutes(handlerOptions, login));

  let graphqlHandler: Promise<GraphqlHandler> | undefined;

  async function answerClient(arrival: Arrival, isToLie: boolean): Promise<Answer> {
    const { request } = arrival;
    const [first, second] = request.segments;
    if (openRoutes(request) !== undefined) return dispatch(openRoutes, null, arrival);
    if (first === "authorizations" || (first === "applications" && second === "grants")) {
      if (!behaviour.servesAccounts) return notFound();
      return dispatch(accountRoutes, await authentication.authenticateAccount(request), arrival);
    }
    if (first === "applications") {
      const answer = dispatch(applicationRoutes, authentication.authenticateApplication(request), arrival);
      return isToLie && isCheck(request, behaviour) ? answer.then(notFound) : answer;
    }
    const isGraphql = request.path === "/graphql" || request.path === "/api/graphql";
    if (!isGraphql && tokenRoutes(request) === undefined) return notFound();
    const caller = await authentication.authenticateByToken(request);
    const answer = await orRefusal(
      isGraphql ? answerGraphql(caller, arrival) : dispatch(tokenRoutes, caller, arrival),
    );
    return { ...answer, headers: { ...describeToken(caller, request, behaviour), ...answer.headers } };
  }

  async function answerGraphql(caller: TokenCaller, { request, readBody }: Arrival): Promise<Answer> {
    if (request.method !== "POST") {
      return failure(405, "A GraphQL query is sent with POST.", { Allow: "POST" });
    }
    graphqlHandler ??= import("./graphql/graphql-route.ts").then((module) =>
      module.createGraphqlHandler(handlerOptions),
    );
    const [handle, body] = await Promise.all([graphqlHandler, readBody()]);
    return whenSettled(handle({ caller, request, variables: {}, body }));
  }

  async function dispatch<Caller>(
    routes: FindRoute<Caller>,
    caller: Caller,
    { request, readBody, readForm }: Arrival,
  ): Promise<Answer> {
    const match = routes(request);
    if (match === undefined) return notFound();
    const { variables, route: found } = match;
    const body = found.body === "object" ? await readBody() : found.body === "form" ? await readForm() : {};
    return whenSettled(found.handle({ caller, request, variables, body }));
  }

  /** A handler's answer, when everything that it wrote or read is on disk. */
  async function whenSettled(answer: Answer): Promise<Answer> {
    await store.settled();
    return answer;
  }

  /** The answer; a Refusal that was thrown becomes the answer that it holds. */
  async function orRefusal(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof Refusal) return whenSettled(error.answer);
      throw error;
    }
  }

  return async (arrival) => {
    const { request } = arrival;
    const isPage = pageRoutes(request) !== undefined;
    const pageOrigin = isPage ? handlerOptions.baseUrl : null;
    const refusal = checkGate(request, arrival.remoteAddress, allowHosts, pageOrigin);
    if (refusal !== null) return refusal;
    if (isPage) {
      return leadHome(request, handlerOptions.baseUrl) ?? orRefusal(dispatch(pageRoutes, null, arrival));
    }
    // `sandbox codes` is no client of the service, so it needs no User-Agent.
    if (request.segments[0] === "sandbox") return orRefusal(dispatch(controlRoutes, null, arrival));
    const anonymous = checkUserAgent(request);
    if (anonymous !== null) return anonymous;
    return disturb(async (isToLie) => {
      const answer = await answerInVersion(request, () => orRefusal(answerClient(arrival, isToLie)));
      return request.method === "GET" && answer.status === 200 ? { isKeepable: true, ...answer } : answer;
    });
  };
}
