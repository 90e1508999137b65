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
import type { ApprovalStore } from "../store/store.ts";
import type { TokenCaller } from "./authentication.ts";

export type SingleSignOn = ReturnType<typeof createSingleSignOn>;

interface SingleSignOnOptions {
  readonly approvals: Pick<ApprovalStore, "has" | "recordUse">;
  readonly baseUrl: string;
  /** For example `X-Service-SSO`, as it is sent in responses. */
  readonly ssoHeader: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const enforcement = "Resource protected by organization SAML enforcement.";

export function createSingleSignOn(options: SingleSignOnOptions) {
  const { approvals, baseUrl, ssoHeader, now } = options;
  const requests = createApprovalRequests(now);

  function isAdmitted({ authorization }: TokenCaller, organization: Organization): boolean {
    if (!organization.enforcesSso) return true;
    if (authorization === null) return false;
    return authorization.application !== null || approvals.has(authorization.id, organization.id);
  }

  return {
    /** For the approval page. */
    requests: { find: requests.find, markAnswered: requests.markAnswered },
    isAdmitted,
    /**
     * Records the use of an admitted caller's approval. Throws a Refusal for any other caller; for a personal token it
     * contains the approval URL.
     */
    admit: (caller: TokenCaller, organization: Organization): void => {
      if (isAdmitted(caller, organization)) {
        if (caller.authorization !== null)
          approvals.recordUse(caller.authorization.id, organization.id, Math.floor(now() / 1000));
        return;
      }
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
  readonly id: string;
  readonly authorizationId: number;
  readonly organizationId: number;
}

type RequestState = "open" | "answered" | "expired";

interface Entry {
  readonly request: ApprovalRequest;
  isAnswered: boolean;
  expiresAt: number;
}

const approvalMinutes = 15;
const maxRequests = 10_000;

/** `now` is in milliseconds since the epoch. */
function createApprovalRequests(now: () => number) {
  const entries = new Map<string, Entry>();

  function isOpen(entry: Entry): boolean {
    return !entry.isAnswered && entry.expiresAt > now();
  }

  return {
    /** Returns the ID of the open request for this token and organization, and extends its time limit. */
    open: (authorizationId: number, organizationId: number): string => {
      const expiresAt = now() + approvalMinutes * 60_000;
      for (const entry of entries.values()) {
        const { request } = entry;
        const isSame =
          request.authorizationId === authorizationId && request.organizationId === organizationId;
        if (!isSame || !isOpen(entry)) continue;
        // A waiting client polls, and the URL that its user has already opened must stay valid.
        entry.expiresAt = expiresAt;
        return request.id;
      }
      const id = randomBytes(32).toString("base64url");
      entries.set(id, { request: { id, authorizationId, organizationId }, isAnswered: false, expiresAt });
      const [oldest] = entries.keys();
      if (entries.size > maxRequests && oldest !== undefined) entries.delete(oldest);
      return id;
    },
    find: (id: string): { readonly request: ApprovalRequest; readonly state: RequestState } | undefined => {
      const entry = entries.get(id);
      if (entry === undefined) return undefined;
      const state = entry.isAnswered ? "answered" : isOpen(entry) ? "open" : "expired";
      return { request: entry.request, state };
    },
    markAnswered: (id: string) => {
      const entry = entries.get(id);
      if (entry !== undefined) entry.isAnswered = true;
    },
  };
}
