// Single sign-on (the specification, 5.5): which callers an organization admits. The rule: where it is enforced, a
// personal token must be approved for the organization, and an application's token always is. A password cannot be
// approved, and so is never admitted.
import { failure, Refusal } from "../http/answer.ts";
import type { ApprovalStore } from "../store/approval-store.ts";
import type { Organization } from "../fixtures/organizations.ts";
import type { ApprovalRequests } from "./approval-requests.ts";
import type { TokenCaller } from "./authentication.ts";

export type SingleSignOn = ReturnType<typeof createSingleSignOn>;

export interface SingleSignOnOptions {
  readonly approvals: Pick<ApprovalStore, "has" | "use">;
  readonly requests: ApprovalRequests;
  readonly baseUrl: string;
  /** `X-Service-SSO`, in the case it is sent in. */
  readonly ssoHeader: string;
  /** Whole seconds since the epoch. */
  readonly nowInSeconds: () => number;
}

const enforcement = "Resource protected by organization SAML enforcement.";

/**
 * Decides which callers an organization admits; `ssoHeader` is the header that tells where to approve a token.
 */
export function createSingleSignOn(options: SingleSignOnOptions) {
  const { approvals, requests, baseUrl, ssoHeader, nowInSeconds } = options;

  function isAdmitted({ authorization }: TokenCaller, organization: Organization): boolean {
    if (!organization.enforcesSso) return true;
    if (authorization === null) return false;
    return authorization.application !== null || approvals.has(authorization.id, organization.id);
  }

  return {
    isAdmitted,
    /**
     * Admits a caller and records the use of the approval. Throws a Refusal, with the address where a token can be
     * approved, for a caller who is not admitted.
     */
    admit: (caller: TokenCaller, organization: Organization): void => {
      if (isAdmitted(caller, organization)) {
        if (caller.authorization !== null)
          approvals.use(caller.authorization.id, organization.id, nowInSeconds());
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
