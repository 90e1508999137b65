// Single sign-on (the specification, 5.5): which callers an organization admits, and requests for approval.
//
// An organization that enforces single sign-on admits tokens of applications, and personal tokens that were approved
// for it. A password cannot be approved, so it is never admitted.
//
// The rejection of a personal token contains a URL at which its user can approve it. The URL belongs to a request for
// approval:
//
//   open -> answered   the user approved or cancelled
//   open -> expired    15 minutes after the last rejection with this URL
//
// Requests are kept only in memory: after a restart, rejections contain new URLs. Approvals are stored.
import { randomBytes } from "node:crypto";
import { failure, Refusal } from "../http/response.ts";
import type { Organization } from "../seed/organizations.ts";
import type { Store } from "../store/store.ts";
import type { TokenCaller } from "./authentication.ts";

export type SingleSignOn = ReturnType<typeof createSingleSignOn>;

const enforcement = "Resource protected by organization SAML enforcement.";

/**
 * `ssoHeader` is a name as it is sent in responses, for example `X-Service-SSO`. `now` is in milliseconds since the
 * epoch.
 */
export function createSingleSignOn(
  { approvals }: Pick<Store, "approvals">,
  baseUrl: string,
  ssoHeader: string,
  now: () => number,
) {
  const requests = createApprovalRequests(now);

  function isAdmitted({ authorization }: TokenCaller, organization: Organization): boolean {
    if (!organization.enforcesSso) return true;
    if (authorization === null) return false;
    return authorization.application !== null || approvals.has(authorization.id, organization.id);
  }

  return {
    /** For the approval page. */
    requests,
    isAdmitted,
    /**
     * Throws a Refusal for a caller who is not admitted; for a personal token it contains the approval URL.
     */
    admit: (caller: TokenCaller, organization: Organization): void => {
      if (isAdmitted(caller, organization)) return;
      if (caller.authorization === null) {
        throw new Refusal(failure(403, `${enforcement} Use a token in place of the password.`));
      }
      const id = requests.open(caller.authorization.id, organization.id);
      const url = `${baseUrl}/orgs/${organization.login}/sso?authorization_request=${id}`;
      throw new Refusal(
        failure(403, `${enforcement} You must grant your personal token access to this organization.`, {
          [ssoHeader]: `required; url=${url}`,
        }),
      );
    },
    /** The header that names the organizations whose objects were left out of a response. */
    partialResultsHeader: (organizations: readonly Organization[]): Readonly<Record<string, string>> =>
      organizations.length === 0
        ? {}
        : { [ssoHeader]: `partial-results; organizations=${organizations.map(({ id }) => id).join(",")}` },
  };
}

interface ApprovalRequest {
  readonly authorizationId: number;
  readonly organizationId: number;
  isAnswered: boolean;
  expiresAt: number;
}

const approvalMinutes = 15;
const maxRequests = 10_000;

function createApprovalRequests(now: () => number) {
  const requests = new Map<string, ApprovalRequest>();

  function stateOf({ isAnswered, expiresAt }: ApprovalRequest): "open" | "answered" | "expired" {
    if (isAnswered) return "answered";
    return expiresAt > now() ? "open" : "expired";
  }

  return {
    /** Returns the ID of the open request for this token and organization, and extends its time limit. */
    open: (authorizationId: number, organizationId: number): string => {
      const expiresAt = now() + approvalMinutes * 60_000;
      for (const [id, request] of requests) {
        const isSame =
          request.authorizationId === authorizationId && request.organizationId === organizationId;
        if (!isSame || stateOf(request) !== "open") continue;
        // A waiting client polls, and the URL that its user has already opened must stay valid.
        request.expiresAt = expiresAt;
        return id;
      }
      const id = randomBytes(32).toString("base64url");
      requests.set(id, { authorizationId, organizationId, isAnswered: false, expiresAt });
      const [oldest] = requests.keys();
      if (requests.size > maxRequests && oldest !== undefined) requests.delete(oldest);
      return id;
    },
    find: (id: string) => {
      const request = requests.get(id);
      return request && { ...request, state: stateOf(request) };
    },
    markAnswered: (id: string) => {
      const request = requests.get(id);
      if (request !== undefined) request.isAnswered = true;
    },
  };
}
