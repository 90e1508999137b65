// Finds organizations and repositories for a caller. The rule: single sign-on is checked before the object is looked
// up, so that a caller who is not admitted does not learn whether it exists.
import { issueAt, type Issue } from "../fixtures/issues.ts";
import { organizations, type Organization } from "../fixtures/organizations.ts";
import { repositories, type Repository } from "../fixtures/repositories.ts";
import { orNotFound } from "../http/answer.ts";
import type { TokenCaller } from "../identity/authentication.ts";
import { readId, type HandlerOptions } from "./handler-options.ts";

export type ProtectedResources = ReturnType<typeof createProtectedResources>;

/** What callers may find; each method throws a Refusal otherwise. */
export function createProtectedResources({ singleSignOn }: Pick<HandlerOptions, "singleSignOn">) {
  /** Throws a Refusal for an organization that does not exist or does not admit the caller; so do the methods below. */
  const organization = (caller: TokenCaller, login: string): Organization => {
    const found = orNotFound(organizations.find((candidate) => isSameName(candidate.login, login)));
    singleSignOn.admit(caller, found);
    return found;
  };

  const repository = (caller: TokenCaller, owner: string, name: string): Repository => {
    const isOwn = isSameName(owner, caller.account.login);
    const login = isOwn ? null : organization(caller, owner).login;
    return orNotFound(
      repositories.find((candidate) => candidate.organization === login && isSameName(candidate.name, name)),
    );
  };

  return {
    organization,
    repository,
    issue: (caller: TokenCaller, owner: string, name: string, number: string): Issue =>
      orNotFound(issueAt(repository(caller, owner, name), readId(number), caller.account)),
    /** The repositories that the caller may see, and the organizations whose repositories are left out. */
    visible: (caller: TokenCaller) => {
      const leftOut = organizations.filter((one) => !singleSignOn.isAdmitted(caller, one));
      const closed = new Set<string | null>(leftOut.map(({ login }) => login));
      return { leftOut, repositories: repositories.filter((one) => !closed.has(one.organization)) };
    },
  };
}

/** Whether two names differ in the case of their letters at most. */
function isSameName(first: string, second: string): boolean {
  return first.toLowerCase() === second.toLowerCase();
}
