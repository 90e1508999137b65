// Single sign-on (the specification, 5.5): which callers an organization admits, and requests for approval.
//
// An organization that enforces it admits an application's token, and a personal token that was approved for it. A
// password cannot be approved, so it is never admitted.
//
// A personal token that is not admitted is rejected with a URL at which its user can approve it. The URL belongs to a
// request for approval:
//
//   open -> answered   the user approved or cancelled
//   open -> expired    15 minutes after the last rejection with this URL
//
// Requests are kept only in memory: after a restart the token is rejected with a new URL. Approvals are stored.
import { randomBytes } from "node:crypto";
import { failure, Refusal } from "../http/response.ts";
import type { Organization } from "../seed/organizations.ts";
import type { ApprovalStore } from "../store/store.ts";
import type { TokenCaller } from "./authentication.ts";

export type SingleSignOn = ReturnType<typeof createSingleSignOn>;

interface SingleSignOnOptions {
  readonly approvals: Pick<ApprovalStore, "has" | "use">;
  readonly baseUrl: string;
  /** `X-Service-SSO`, in the case it is sent in. */
  readonly ssoHeader: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const enforcement = "Resource protected by organization SAML enforcement.";

/**
 * Decides which callers an organization admits; `ssoHeader` is the header with the approval URL.
 */
export function createSingleSignOn(options: SingleSignOnOptions) {
  const { approvals, baseUrl, ssoHeader, now } = options;
  const requests = createApprovalRequests(now);

  function isAdmitted({ authorization }: TokenCaller, organization: Organization): boolean {
    if (!organization.enforcesSso) return true;
    if (authorization === null) return false;
    return authorization.application !== null || approvals.has(authorization.id, organization.id);
  }

  return {
    /** Requests for approval, for the approval page. */
    requests: { find: requests.find, finish: requests.finish },
    isAdmitted,
    /**
     * Admits a caller and records the use of the approval. Throws a Refusal, with the address where a token can be
     * approved, for a caller who is not admitted.
     */
    admit: (caller: TokenCaller, organization: Organization): void => {
      if (isAdmitted(caller, organization)) {
        if (caller.authorization !== null)
          approvals.use(caller.authorization.id, organization.id, Math.floor(now() / 1000));
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
    /** The header of a result from which these organizations were left out; none when nothing was. */
    describePartialResults: (organizations: readonly Organization[]): Readonly<Record<string, string>> =>
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
const mostRequests = 10_000;

/** `now` is in milliseconds since the epoch. */
function createApprovalRequests(now: () => number) {
  const entries = new Map<string, Entry>();

  function isOpen(entry: Entry): boolean {
    return !entry.isAnswered && entry.expiresAt > now();
  }

  return {
    /** The ID of the open request for this token and organization, whose time limit starts again. */
    open: (authorizationId: number, organizationId: number): string => {
      const expiresAt = now() + approvalMinutes * 60_000;
      for (const entry of entries.values()) {
        const { request } = entry;
        const isSame =
          request.authorizationId === authorizationId && request.organizationId === organizationId;
        if (!isSame || !isOpen(entry)) continue;
        // A waiting client polls, and the URL that its user has opened must stay valid.
        entry.expiresAt = expiresAt;
        return request.id;
      }
      const id = randomBytes(32).toString("base64url");
      entries.set(id, { request: { id, authorizationId, organizationId }, isAnswered: false, expiresAt });
      const [oldest] = entries.keys();
      if (entries.size > mostRequests && oldest !== undefined) entries.delete(oldest);
      return id;
    },
    /** A request and its state; undefined for an unknown ID. */
    find: (id: string): { readonly request: ApprovalRequest; readonly state: RequestState } | undefined => {
      const entry = entries.get(id);
      if (entry === undefined) return undefined;
      const state = entry.isAnswered ? "answered" : isOpen(entry) ? "open" : "expired";
      return { request: entry.request, state };
    },
    /** Marks a request as answered, so that it is no longer open. */
    finish: (id: string) => {
      const entry = entries.get(id);
      if (entry !== undefined) entry.isAnswered = true;
    },
  };
}
