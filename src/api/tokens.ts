// Operations 11 to 14 of the specification: an application's tokens and their grants. Requires the application's
// credentials. Each operation has two routes, with the token in the path or in the body. OAuth 2.0 servers have
// introspection and revocation instead (standard-tokens.ts). Only this module chooses the route, based on the server type.
import { Failure, isFailure } from "../errors/errors.ts";
import { isWebPage } from "../errors/not-found.ts";
import { joinHints } from "../errors/hints.ts";
import type { Intent } from "../http/request.ts";
import { sendForJson, sendForNoContent, type Call, type Service } from "../http/service.ts";
import { checkAuthorization, checkAuthorizationWithoutValue } from "./checks.ts";
import { isPersonalToken, tokenName } from "../token-value.ts";
import type { Authorization } from "./resources.ts";
import type { IntrospectedToken, RevocationRun, SharedRevocations } from "./standard-tokens.ts";

/** The response to the check of an active token. */
export type CheckedToken = Authorization | IntrospectedToken;

type Route = Pick<Call, "method" | "template" | "isRead">;

const pathTemplate = "/applications/:client_id/tokens/:access_token";
const bodyTemplate = "/applications/:client_id/token";

const routes = {
  check: {
    path: { method: "GET", template: pathTemplate },
    // A POST that changes nothing.
    body: { method: "POST", template: bodyTemplate, isRead: true },
  },
  reset: {
    path: { method: "POST", template: pathTemplate },
    body: { method: "PATCH", template: bodyTemplate },
  },
  revoke: {
    path: { method: "DELETE", template: pathTemplate },
    body: { method: "DELETE", template: bodyTemplate },
  },
  revokeGrant: {
    path: { method: "DELETE", template: "/applications/:client_id/grants/:access_token" },
    body: { method: "DELETE", template: "/applications/:client_id/grant" },
  },
} as const satisfies Record<string, { readonly path: Route; readonly body: Route }>;

/**
 * Operation 11: the authorization of an active token, with its user; without the token, which the caller has. A response
 * about another token, or one of another application, is an error, because it would prove nothing about this one.
 */
export async function checkToken(
  service: Service,
  clientId: string,
  token: string,
  subject = tokenName(token),
): Promise<CheckedToken> {
  if (service.serverType.tokenPlace === "form") {
    const { introspectToken } = await import("./standard-tokens.ts");
    return introspectToken(service, clientId, token, subject);
  }
  // Loaded on demand: it requires node:crypto, which lists do not need.
  const [{ checkTokenMatches }, { checkApplication }] = await Promise.all([
    import("./hashed-token.ts"),
    import("./match-response.ts"),
  ]);
  const call = { ...tokenCall("check", service, clientId, token), subject };
  const check = (body: unknown): Authorization => {
    const found = checkAuthorization(body);
    checkTokenMatches(found, token);
    checkApplication(found, clientId);
    return checkAuthorizationWithoutValue(body);
  };
  return awaitTokenResponse(service, token, sendForJson(service, call, check), subject);
}

/**
 * Operation 12: replaces an active token with a new one, whose value only this response contains. A response with the
 * old token is an error: a leaked token would otherwise count as revoked.
 */
export async function resetToken(
  service: Service,
  clientId: string,
  token: string,
  intent?: Intent,
): Promise<Authorization> {
  const { checkResetToken } = await import("./match-response.ts");
  const call = tokenCall("reset", service, clientId, token, intent);
  return awaitTokenResponse(
    service,
    token,
    sendForJson(service, call, checkResetToken(clientId, token), [200, 201]),
  );
}

/**
 * Operation 13: revokes one token. "accepted": the server accepted the request, but the effect is not verified. `run` is for
 * OAuth 2.0 servers.
 */
export async function revokeToken(
  service: Service,
  clientId: string,
  token: string,
  intent?: Intent,
  run?: RevocationRun,
): Promise<"revoked" | "accepted"> {
  if (run !== undefined) {
    const { revokeVerified } = await import("./standard-tokens.ts");
    return revokeVerified(service, clientId, token, intent, run);
  }
  const call = tokenCall("revoke", service, clientId, token, intent);
  await awaitTokenResponse(service, token, sendForNoContent(service, call));
  return "revoked";
}

/** Operation 14: deletes the grant of a token's account, with all tokens that the application holds for it. */
export function revokeGrant(
  service: Service,
  clientId: string,
  token: string,
  intent?: Intent,
): Promise<void> {
  const call = {
    ...tokenCall("revokeGrant", service, clientId, token, intent),
    subject: `the grant behind ${tokenName(token)}`,
  };
  return awaitTokenResponse(service, token, sendForNoContent(service, call));
}

/**
 * The reads before a revocation, for a dry run: the active token, or null for one whose revocation could not be
 * verified. Throws as the revocation would before it sends anything, and "not found".
 */
export async function planRevocation(
  service: Service,
  clientId: string,
  token: string,
  shared: SharedRevocations,
): Promise<CheckedToken | null> {
  if (service.serverType.tokenPlace !== "form") return checkToken(service, clientId, token);
  const { planRevocation: plan } = await import("./standard-tokens.ts");
  return plan(service, clientId, token, shared);
}

function tokenCall(
  operation: keyof typeof routes,
  { serverType }: Service,
  clientId: string,
  token: string,
  intent?: Intent,
): Call {
  const subject = tokenName(token);
  // The spread comes last: on Node 20, properties after it cost microseconds, and jobs call this for each token.
  return serverType.tokenPlace === "path"
    ? {
        parameters: { client_id: clientId, access_token: token },
        subject,
        intent,
        ...routes[operation].path,
      }
    : {
        parameters: { client_id: clientId },
        body: { access_token: token },
        subject,
        intent,
        ...routes[operation].body,
      };
}

const otherTokens =
  "If it may be a personal token or another application's, run `grantctl token inspect` to check it.";

/** The failure for a 404: the token may be revoked, or the credentials may be wrong. */
function tokenNotFoundFailure(token: string, subject: string, { message, details }: Failure): Failure {
  if (isPersonalToken(token)) {
    return new Failure("not-found", `${subject} is a personal token, which belongs to no application`, {
      ...details,
      hint: "Run `grantctl authorization identify` to find the tokens of the account.",
    });
  }
  return new Failure("not-found", message, { ...details, hint: joinHints([details.hint, otherTokens]) });
}

/**
 * Awaits the response to a request about a token, and replaces the messages of two failures: a 404, and a 422 if the
 * token was sent in the body. This 422 means that the token belongs to another application. It is not "not found", and
 * does not concern the other tokens of a job. With the token in the path, a 422 is an ordinary refusal.
 */
async function awaitTokenResponse<T>(
  { serverType }: Service,
  token: string,
  sent: Promise<T>,
  subject = tokenName(token),
): Promise<T> {
  try {
    return await sent;
  } catch (error) {
    if (isFailure(error, "not-found") && error.details.status === 404)
      throw tokenNotFoundFailure(token, subject, error);
    const isAboutItem = serverType.tokenPlace === "body" && isFailure(error, "refused");
    // A web page does not come from the API; the base URL may lack its path.
    if (!isAboutItem || error.details.status !== 422 || isWebPage(error.details.received ?? {})) throw error;
    throw new Failure("refused", `${subject} is not a token of this application: ${error.message}`, {
      ...error.details,
      isAboutItem: true,
    });
  }
}
