// The store of the sandbox: all tables, and the transaction in which a check and its write belong together.
import { createAccess, type Access } from "./access.ts";
import { createAccountStore, type AccountStore } from "./account-store.ts";
import { createApplicationStore, type ApplicationStore } from "./application-store.ts";
import { createApprovalStore, type ApprovalStore } from "./approval-store.ts";
import { createAuthorizationStore, type AuthorizationStore } from "./authorization-store.ts";
import { createCommentStore, type CommentStore } from "./comment-store.ts";
import { openDatabase, type Database } from "./database.ts";
import { createGrantStore, type GrantStore } from "./grant-store.ts";
import { prepareSchema } from "./schema.ts";

export { startFailure } from "./database.ts";

export interface Store extends Pick<Database, "transaction" | "settled" | "close"> {
  readonly accounts: AccountStore;
  readonly applications: ApplicationStore;
  readonly authorizations: Omit<AuthorizationStore, "insert" | "update" | "remove" | "removeOfApplication">;
  readonly grants: Pick<GrantStore, "find" | "count" | "list">;
  readonly access: Access;
  readonly approvals: ApprovalStore;
  readonly comments: CommentStore;
}

/** Opens the store in a file, or in memory for null. Throws SandboxUnavailable when it cannot be used. */
export function openStore(file: string | null): Store {
  const database = openDatabase(file ?? ":memory:");
  try {
    prepareSchema(database);
    const applications = createApplicationStore(database);
    const authorizations = createAuthorizationStore(database, applications);
    const grants = createGrantStore(database);
    return {
      accounts: createAccountStore(database),
      applications,
      authorizations,
      grants,
      access: createAccess(authorizations, grants),
      approvals: createApprovalStore(database),
      comments: createCommentStore(database),
      transaction: (work) => database.transaction(work),
      settled: () => database.settled(),
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}
