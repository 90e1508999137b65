// An application's tokens and their grants, which require the application's credentials. Each operation has two routes,
// with the token in the path or in the body, and only this module chooses. A token of an OAuth 2.0 server is introspected
// (oauth-tokens.ts); commands/token/oauth-revocation.ts revokes it there.
import { Failure, isFailure } from "../errors/errors.ts";
import { isWebPage } from "../http/responses.ts";
import { sendForJson, sendForNoContent, type Call, type Service } from "../http/service.ts";
import { checkAuthorization } from "./checks.ts";
import { checkApplication, checkResetToken, checkTokenMatches } from "./token-responses.ts";
import { tokenName } from "../token.ts";
import type { Authorization } from "./resources.ts";
import { introspectToken, type IntrospectedToken } from "./oauth-tokens.ts";

export type CheckedToken = Authorization | IntrospectedToken;

/** The methods of each operation, with the token in the path and in the body. */
const methods = {
  check: { path: "GET", body: "POST" },
  reset: { path: "POST", body: "PATCH" },
  revoke: { path: "DELETE", body: "DELETE" },
} as const;

/**
 * The authorization of an active token, with its user; without the token, which the caller has. A response
 * about another token, or one of another application, is an error, because it would prove nothing about this one.
 */
export async function checkToken(service: Service, clientId: string, token: string): Promise<CheckedToken> {
  if (service.serverType.isOauth) return introspectToken(service, clientId, token);
  const call = tokenCall(service, "check", "token", { clientId, token });
  const check = (body: unknown): Authorization => {
    const found = checkAuthorization(body);
    checkTokenMatches(found, token);
    checkApplication(found, clientId);
    return { ...found, token: "" };
  };
  return awaitTokenResponse(service, call.subject, sendForJson(service, call, check));
}

/**
 * Replaces an active token with a new one, whose value only this response contains. A response with the
 * old token is an error: a leaked token would otherwise count as revoked.
 */
export async function resetToken(service: Service, clientId: string, token: string): Promise<Authorization> {
  const call = tokenCall(service, "reset", "token", { clientId, token });
  const sent = sendForJson(service, call, checkResetToken(clientId, token), [200, 201]);
  return awaitTokenResponse(service, call.subject, sent);
}

export async function revokeToken(service: Service, clientId: string, token: string): Promise<"revoked"> {
  const call = tokenCall(service, "revoke", "token", { clientId, token });
  await awaitTokenResponse(service, call.subject, sendForNoContent(service, call));
  return "revoked";
}

/** Deletes the grant of a token's account, with all tokens that the application holds for it. */
export function revokeGrant(service: Service, clientId: string, token: string): Promise<void> {
  const call = tokenCall(service, "revoke", "grant", { clientId, token });
  return awaitTokenResponse(service, tokenName(token), sendForNoContent(service, call));
}

function tokenCall(
  { serverType }: Service,
  operation: keyof typeof methods,
  what: "token" | "grant",
  { clientId, token }: { readonly clientId: string; readonly token: string },
): Call {
  const subject = what === "grant" ? `the grant behind ${tokenName(token)}` : tokenName(token);
  const { path, body } = methods[operation];
  const template = `/applications/:client_id/${what}`;
  const call = { template, parameters: { client_id: clientId, access_token: token }, subject };
  return serverType.isGithub
    ? { ...call, method: body, body: { access_token: token }, isRead: operation === "check" }
    : { ...call, method: path, template: `${template}s/:access_token` };
}

/**
 * Awaits the response to a request about a token. A 422 is about another application's token if the token was sent in the
 * body: that is not "not found", and does not concern the other tokens of a job.
 */
async function awaitTokenResponse<T>({ serverType }: Service, subject: string, sent: Promise<T>): Promise<T> {
  try {
    return await sent;
  } catch (error) {
    if (!isFailure(error)) throw error;
    const { kind, details, message } = error;
    // A web page does not come from the API; the base URL may lack its path.
    const isAboutItem = kind === "refused" && details.status === 422 && !isWebPage(details.received ?? {});
    if (!isAboutItem || !serverType.isGithub) throw error;
    throw error.with({ isAboutItem }, `${subject} is not a token of this application: ${message}`);
  }
}

// ---- Leaked tokens of any owner

export const mostReportedTokens = 1000;

const insteadOfReport =
  "Report tokens to github.com or Enterprise Cloud. An application's owner can run `grantctl token revoke` instead.";

/**
 * Reports at most `mostReportedTokens` tokens to GitHub, which revokes them (docs.github.com, "Revoke a list of
 * credentials"). The service must have no credentials: GitHub rejects reports that include any. The server accepts all of
 * them or none. A rejection of these tokens is marked `isAboutItem`, because other tokens may be accepted.
 */
export async function reportTokens(service: Service, tokens: readonly string[]): Promise<void> {
  const subject = tokens.length === 1 ? "the report of one token" : `the report of ${tokens.length} tokens`;
  const body = { credentials: tokens };
  const call = { method: "POST", template: "/credentials/revoke", body, subject } as const;
  try {
    await sendForNoContent(service, call, 202);
  } catch (error) {
    if (!isFailure(error)) throw error;
    const { details } = error;
    if (details.status === 422) {
      const hint = "The server does not report which tokens it means. Report only tokens that it issued.";
      throw error.with({ hint, isAboutItem: true });
    }
    // According to its documentation, an Enterprise Server requires authentication at this endpoint.
    if (details.status === 401 || details.status === 404)
      throw new Failure(
        details.status === 401 ? "authentication" : "refused",
        `${subject}: this server takes no reports (status ${details.status})`,
        { ...details, hint: insteadOfReport },
      );
    throw error;
  }
}
