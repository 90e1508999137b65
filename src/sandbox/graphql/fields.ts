// The values of the schema's types of accounts and organizations; those of repositories are in repository-fields.ts. A
// value may have more than its type: only what the schema names can be asked for.
import { GraphQLError } from "graphql";
import { issuesOf } from "../fixtures/issues.ts";
import { membersOf, type Person } from "../fixtures/people.ts";
import type { Addresses } from "../handlers/issue-representations.ts";
import { listOf } from "../handlers/list-page.ts";
import { identityOf } from "../handlers/node-ids.ts";
import type { ProtectedResources } from "../handlers/protected-resources.ts";
import type { TokenCaller } from "../identity/authentication.ts";
import type { AuthorizationRecord } from "../store/authorization-store.ts";
import type { GrantRecord } from "../store/grant-store.ts";
import { organizations, type Organization } from "../fixtures/organizations.ts";
import type { Store } from "../store/store.ts";
import { connect, type ConnectionArguments } from "./connections.ts";
import { createRepositoryFields, type Fields, type RepositoryFieldsOf } from "./repository-fields.ts";

export interface FieldOptions {
  readonly store: Store;
  readonly resources: ProtectedResources;
  readonly addresses: Addresses;
  readonly caller: TokenCaller;
  /** Called with the organizations that were left out of a list. */
  readonly onLeftOut: (organizations: readonly Organization[]) => void;
}

export interface FieldsOf extends RepositoryFieldsOf {
  readonly user: (person: Person) => Fields;
  readonly grant: (grant: GrantRecord) => Fields;
  readonly authorization: (authorization: AuthorizationRecord) => Fields;
  readonly organization: (organization: Organization) => Fields;
}

/** The values of one request, as its caller may see them. */
export function createFields({ store, resources, addresses, caller, onLeftOut }: FieldOptions): FieldsOf {
  const { baseUrl } = addresses;
  const { account } = caller;

  /** A field of a user that nobody but the user may ask for. */
  function own(person: Person, field: string, list: (page: ConnectionArguments) => unknown) {
    return (page: ConnectionArguments): unknown => {
      if (person.id === account.id) return list(page);
      throw new GraphQLError(`${person.login}'s ${field} are not yours to see.`);
    };
  }

  function visible(): ReturnType<ProtectedResources["visible"]> {
    const found = resources.visible(caller);
    onLeftOut(found.leftOut);
    return found;
  }

  const fields: FieldsOf = {
    ...createRepositoryFields(store, addresses, (person) => fields.user(person)),

    user: (person) => ({
      ...identityOf("User", person.id),
      login: person.login,
      url: `${baseUrl}/${person.login}`,
      grants: own(person, "grants", (page) =>
        connect(page, {
          count: () => store.grants.count(account.id, null),
          list: (limit, offset) => store.grants.list(account.id, null, limit, offset),
          represent: fields.grant,
        }),
      ),
      authorizations: own(person, "authorizations", (page) =>
        connect(page, {
          count: () => store.authorizations.count(account.id, null),
          list: (limit, offset) => store.authorizations.list(account.id, null, limit, offset),
          represent: fields.authorization,
        }),
      ),
      organizations: own(person, "organizations", (page) => {
        const leftOut = new Set(visible().leftOut.map(({ id }) => id));
        const admitted = organizations.filter(({ id }) => !leftOut.has(id));
        return connect(page, listOf(admitted, fields.organization));
      }),
      issues: own(person, "issues", (page) => {
        const all = visible().repositories.flatMap((repository) => issuesOf(repository, account));
        const assigned = all.filter(({ isAssigned, state }) => isAssigned && state === "open");
        return connect(page, listOf(assigned, fields.issue));
      }),
    }),

    grant: (grant) => ({
      ...grant,
      ...identityOf("Grant", grant.id),
      app: grant.application,
    }),

    authorization: (authorization) => ({
      ...authorization,
      ...identityOf("Authorization", authorization.id),
      app: authorization.application,
    }),

    organization: (organization) => ({
      ...organization,
      ...identityOf("Organization", organization.id),
      members: (page: ConnectionArguments) =>
        connect(page, listOf(membersOf(organization.login, account), fields.user)),
    }),
  };
  return fields;
}
