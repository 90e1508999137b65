// What is behind the schema's types: each thing as an object whose fields the reference implementation asks for by
// name, a function where a field takes arguments or costs something.
import { GraphQLError } from "graphql";
import type { Comment } from "../fixtures/contributions.ts";
import { issueAt, issuesOf, type Issue } from "../fixtures/issues.ts";
import { membersOf, type Person } from "../fixtures/people.ts";
import { repositories, type Repository } from "../fixtures/repositories.ts";
import { countComments, listComments } from "../handlers/discussions.ts";
import { htmlUrl, repositoryName, type Addresses } from "../handlers/issue-representations.ts";
import { listOf } from "../handlers/list-page.ts";
import { createNodeId } from "../handlers/node-ids.ts";
import type { ProtectedResources } from "../handlers/protected-resources.ts";
import { formatTime } from "../handlers/representations.ts";
import type { TokenCaller } from "../identity/authentication.ts";
import type { AuthorizationRecord } from "../store/authorization-store.ts";
import type { GrantRecord } from "../store/grant-store.ts";
import type { OrganizationRecord } from "../store/organization-store.ts";
import type { Store } from "../store/store.ts";
import { connect, type ConnectionArguments } from "./connections.ts";

export type Fields = Readonly<Record<string, unknown>>;

export interface FieldParts {
  readonly store: Store;
  readonly resources: ProtectedResources;
  readonly addresses: Addresses;
  readonly caller: TokenCaller;
  /** Told which organizations were left out of a list. */
  readonly onLeftOut: (organizations: readonly OrganizationRecord[]) => void;
}

/** How each thing looks to one caller. */
export interface FieldsOf {
  readonly user: (person: Person) => Fields;
  readonly grant: (grant: GrantRecord) => Fields;
  readonly authorization: (authorization: AuthorizationRecord) => Fields;
  readonly organization: (organization: OrganizationRecord) => Fields;
  readonly repository: (repository: Repository) => Fields;
  readonly issue: (issue: Issue) => Fields;
  readonly comment: (comment: Comment) => Fields;
}

export function createFields({ store, resources, addresses, caller, onLeftOut }: FieldParts): FieldsOf {
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
    user: (person) => ({
      __typename: "User",
      id: createNodeId("User", person.id),
      databaseId: person.id,
      login: person.login,
      url: `${baseUrl}/${person.login}`,
      grants: own(person, "grants", (page) =>
        connect(page, {
          count: () => store.grants.count(account.id),
          list: (limit, offset) => store.grants.list(account.id, limit, offset),
          represent: fields.grant,
        }),
      ),
      authorizations: own(person, "authorizations", (page) =>
        connect(page, {
          count: () => store.authorizations.count(account.id),
          list: (limit, offset) => store.authorizations.list(account.id, limit, offset),
          represent: fields.authorization,
        }),
      ),
      organizations: own(person, "organizations", (page) => {
        const leftOut = new Set(visible().leftOut.map(({ id }) => id));
        const admitted = store.organizations.list().filter(({ id }) => !leftOut.has(id));
        return connect(page, listOf(admitted, fields.organization));
      }),
      issues: own(person, "issues", (page) => {
        const all = visible().repositories.flatMap((repository) => issuesOf(repository, account));
        const assigned = all.filter(({ isAssigned, state }) => isAssigned && state === "open");
        return connect(page, listOf(assigned, fields.issue));
      }),
    }),

    grant: (grant) => ({
      __typename: "Grant",
      id: createNodeId("Grant", grant.id),
      databaseId: grant.id,
      app: grant.application,
      scopes: grant.scopes,
      createdAt: formatTime(grant.createdAt),
      updatedAt: formatTime(grant.updatedAt),
    }),

    authorization: (authorization) => ({
      __typename: "Authorization",
      id: createNodeId("Authorization", authorization.id),
      databaseId: authorization.id,
      app: authorization.application,
      note: authorization.note,
      noteUrl: authorization.noteUrl,
      fingerprint: authorization.fingerprint,
      scopes: authorization.scopes,
      tokenLastEight: authorization.tokenLastEight,
      createdAt: formatTime(authorization.createdAt),
      updatedAt: formatTime(authorization.updatedAt),
    }),

    organization: ({ id, login, name, enforcesSso }) => ({
      __typename: "Organization",
      id: createNodeId("Organization", id),
      databaseId: id,
      login,
      name,
      enforcesSso,
      members: (page: ConnectionArguments) => connect(page, listOf(membersOf(login, account), fields.user)),
    }),

    repository: (repository) => {
      const numbered = (number: number, isPull: boolean): Fields | null => {
        const issue = issueAt(repository, number, account);
        if (issue?.isPull === isPull) return fields.issue(issue);
        const kind = isPull ? "PullRequest" : "Issue";
        throw new GraphQLError(
          `Could not resolve to ${isPull ? "a" : "an"} ${kind} with the number of ${number}.`,
        );
      };
      const all = (page: ConnectionArguments, isPull: boolean): unknown => {
        const issues = issuesOf(repository, account).filter((issue) => issue.isPull === isPull);
        return connect(page, listOf(issues, fields.issue));
      };
      const nameWithOwner = repositoryName(addresses, repository);
      return {
        __typename: "Repository",
        id: createNodeId("Repository", repository.id),
        databaseId: repository.id,
        name: repository.name,
        nameWithOwner,
        url: `${baseUrl}/${nameWithOwner}`,
        issue: ({ number }: { number: number }) => numbered(number, false),
        pullRequest: ({ number }: { number: number }) => numbered(number, true),
        issues: (page: ConnectionArguments) => all(page, false),
        pullRequests: (page: ConnectionArguments) => all(page, true),
      };
    },

    issue: (issue) => ({
      __typename: issue.isPull ? "PullRequest" : "Issue",
      id: createNodeId(issue.isPull ? "PullRequest" : "Issue", issue.id),
      databaseId: issue.id,
      number: issue.number,
      title: issue.title,
      body: issue.body,
      state: issue.state.toUpperCase(),
      url: htmlUrl(addresses, issue),
      author: () => fields.user(issue.author),
      repository: () => fields.repository(issue.repository),
      createdAt: formatTime(issue.createdAt),
      comments: (page: ConnectionArguments) =>
        connect(page, {
          count: () => countComments(store, issue),
          list: (limit, offset) => listComments(store, issue, limit, offset),
          represent: fields.comment,
        }),
    }),

    comment: (comment) => ({
      __typename: "IssueComment",
      id: createNodeId("IssueComment", comment.id),
      databaseId: comment.id,
      author: () => fields.user(comment.author),
      body: comment.body,
      createdAt: formatTime(comment.at),
    }),
  };
  return fields;
}

/** The repository with this id, whoever may see it. */
export function findRepository(id: number): Repository | undefined {
  return repositories.find((repository) => repository.id === id);
}
