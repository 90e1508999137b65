// Authorizations, and the grants that follow from them. Owns the rule that a grant exists exactly while its application
// holds a token of the account (the specification, 1 and 3). Leaves the transaction to the caller, whose checks belong
// into it.
import type { AuthorizationRecord, AuthorizationStore, NewAuthorization } from "./authorization-store.ts";
import type { GrantStore } from "./grant-store.ts";

export type Access = ReturnType<typeof createAccess>;

/** Every method must run inside a transaction of the database. */
export function createAccess(authorizations: AuthorizationStore, grants: GrantStore) {
  return {
    /** Adds a token, and the grant when it is the application's first. Gives back the authorization's id. */
    add: (authorization: NewAuthorization): number => {
      const id = authorizations.insert(authorization);
      const { accountId, applicationId, createdAt, updatedAt } = authorization;
      if (applicationId !== null) grants.begin(accountId, applicationId, createdAt, updatedAt);
      return id;
    },
    /** Writes a changed authorization; its grant counts as changed at the same time. */
    change: (authorization: AuthorizationRecord): void => {
      authorizations.update(authorization);
      const { accountId, application, updatedAt } = authorization;
      if (application !== null) grants.touch(accountId, application.id, updatedAt);
    },
    /** Deletes one token, and the grant when it was the application's last. */
    removeAuthorization: ({ id, accountId, application }: AuthorizationRecord, at: number): void => {
      authorizations.remove(id);
      if (application === null) return;
      grants.touch(accountId, application.id, at);
      grants.removeUnused(accountId, application.id);
    },
    /** Deletes the grant and all tokens that the application holds for the account. */
    removeGrant: (accountId: number, applicationId: number): void => {
      authorizations.removeOfApplication(accountId, applicationId);
      grants.remove(accountId, applicationId);
    },
  };
}
