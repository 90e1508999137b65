// The values of the GraphQL schema's types, for one request and its caller.
//
// A value is an object with the fields of its type. A field with arguments, or one that is slow to compute, is a
// function. A value may have more fields than its type: clients can query only the fields in the schema.
//
// Lists are connections with edges, nodes and cursors. A cursor is the position of its row in the list, from 1. Rows
// are the same as in the lists of the REST API.
//
// Invariant: the account's objects (grants, authorizations, organizations, issues) are visible only to the account, and
// lists leave out organizations that do not admit the caller.
import { GraphQLError } from "graphql";
import type { TokenCaller } from "../identity/authentication.ts";
import { commentRows } from "../operations/comments.ts";
import { type UrlContext, htmlUrl, repositoryName } from "../operations/issues.ts";
import { type Rows, rowsOf } from "../operations/lists.ts";
import type { ProtectedResources } from "../operations/user.ts";
import { createNodeId, type NodeType } from "../operations/representations.ts";
import {
  type Comment,
  type Commit,
  commitsOf,
  headOf,
  type Review,
  reviewsOf,
} from "../seed/contributions.ts";
import { type Issue, issueAt, issuesOf, type Repository } from "../seed/issues.ts";
import { membersOf, type Organization, organizations, type Person } from "../seed/organizations.ts";
import type { AuthorizationRecord, GrantRecord } from "../store/access.ts";
import type { Store } from "../store/store.ts";

/** Selects the first or the last rows between two cursors. */
interface ConnectionArguments {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly last?: number | null;
  readonly before?: string | null;
}

const defaultPageSize = 30;
export const maxPageSize = 100;

/** Throws a GraphQLError for invalid arguments. */
function connect<Row>(page: ConnectionArguments, rows: Rows<Row>, represent: (row: Row) => unknown): unknown {
  const { offset, size } = selectRange(page, rows);
  const edges = rows.list(size, offset).map((row, index) => ({
    cursor: createCursor(offset + index + 1),
    node: represent(row),
  }));
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    totalCount: () => rows.count(),
    pageInfo: {
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
      hasNextPage: () => offset + edges.length < rows.count(),
      hasPreviousPage: offset > 0,
    },
  };
}

function selectRange(
  { first = null, after = null, last = null, before = null }: ConnectionArguments,
  rows: Pick<Rows<unknown>, "count">,
): { readonly offset: number; readonly size: number } {
  checkPageSize("first", first);
  checkPageSize("last", last);
  if (first !== null && last !== null) {
    throw new GraphQLError('A page has either its "first" or its "last" rows, not both.');
  }
  const begin = after === null ? 0 : readCursor(after);
  const end = before === null ? Infinity : Math.max(readCursor(before) - 1, 0);
  if (last === null)
    return { offset: begin, size: Math.max(Math.min(first ?? defaultPageSize, end - begin), 0) };
  const realEnd = Math.min(end, rows.count());
  const offset = Math.max(begin, realEnd - last);
  return { offset, size: Math.max(realEnd - offset, 0) };
}

function checkPageSize(name: "first" | "last", size: number | null): void {
  if (size !== null && (size < 1 || size > maxPageSize)) {
    throw new GraphQLError(`"${name}" must be from 1 to ${maxPageSize}, not ${size}.`);
  }
}

/** `position` counts from 1. */
export function createCursor(position: number): string {
  return Buffer.from(`cursor:${position}`).toString("base64");
}

function readCursor(cursor: string): number {
  const [, digits] = /^cursor:(\d{1,15})$/.exec(Buffer.from(cursor, "base64").toString("latin1")) ?? [];
  if (digits === undefined) {
    throw new GraphQLError(`${JSON.stringify(cursor)} does not appear to be a valid cursor.`);
  }
  return Number(digits);
}

export type Fields = Readonly<Record<string, unknown>>;

interface FieldOptions {
  readonly store: Store;
  readonly resources: ProtectedResources;
  readonly urls: UrlContext;
  readonly caller: TokenCaller;
  /** Called with the organizations that a list leaves out. */
  readonly onExcluded: (organizations: readonly Organization[]) => void;
}

export interface FieldsOf {
  readonly user: (person: Person) => Fields;
  readonly grant: (grant: GrantRecord) => Fields;
  readonly authorization: (authorization: AuthorizationRecord) => Fields;
  readonly organization: (organization: Organization) => Fields;
  readonly repository: (repository: Repository) => Fields;
  readonly issue: (issue: Issue) => Fields;
  readonly comment: (comment: Comment) => Fields;
  readonly commit: (repository: Repository, commit: Commit) => Fields;
  readonly review: (review: Review) => Fields;
}

export function createFields({ store, resources, urls, caller, onExcluded }: FieldOptions): FieldsOf {
  const { baseUrl } = urls;
  const { account } = caller;

  /** A field that only the user may query. */
  function viewerOnly(person: Person, field: string, list: (page: ConnectionArguments) => unknown) {
    return (page: ConnectionArguments): unknown => {
      if (person.id === account.id) return list(page);
      throw new GraphQLError(`${person.login}'s ${field} are not yours to see.`);
    };
  }

  function visible(): ReturnType<ProtectedResources["visible"]> {
    const found = resources.visible(caller);
    onExcluded(found.excluded);
    return found;
  }

  /** The fields that issues lack. */
  const pullRequestFields = (pull: Issue): Fields => ({
    merged: pull.closedAt !== null,
    headRefOid: headOf(pull),
    commits: (page: ConnectionArguments) =>
      connect(page, rowsOf(commitsOf(pull)), (commit) => fields.commit(pull.repository, commit)),
    reviews: (page: ConnectionArguments) => connect(page, rowsOf(reviewsOf(pull)), fields.review),
  });

  const fields: FieldsOf = {
    user: (person) => ({
      ...identityOf("User", person.id),
      login: person.login,
      url: `${baseUrl}/${person.login}`,
      grants: viewerOnly(person, "grants", (page) =>
        connect(page, store.grants.of(account.id), fields.grant),
      ),
      authorizations: viewerOnly(person, "authorizations", (page) =>
        connect(page, store.authorizations.of(account.id), fields.authorization),
      ),
      organizations: viewerOnly(person, "organizations", (page) => {
        const excluded = new Set(visible().excluded.map(({ id }) => id));
        const admitted = organizations.filter(({ id }) => !excluded.has(id));
        return connect(page, rowsOf(admitted), fields.organization);
      }),
      issues: viewerOnly(person, "issues", (page) => {
        const all = visible().repositories.flatMap((repository) => issuesOf(repository, account));
        const assigned = all.filter(({ isAssigned, state }) => isAssigned && state === "open");
        return connect(page, rowsOf(assigned), fields.issue);
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
        connect(page, rowsOf(membersOf(organization.login, account)), fields.user),
    }),

    repository: (repository) => {
      const findByNumber = (number: number, isPull: boolean): Fields | null => {
        const issue = issueAt(repository, number, account);
        if (issue?.isPull === isPull) return fields.issue(issue);
        const kind = isPull ? "PullRequest" : "Issue";
        throw new GraphQLError(
          `Could not resolve to ${isPull ? "a" : "an"} ${kind} with the number of ${number}.`,
        );
      };
      const list = (page: ConnectionArguments, isPull: boolean): unknown => {
        const issues = issuesOf(repository, account).filter((issue) => issue.isPull === isPull);
        return connect(page, rowsOf(issues), fields.issue);
      };
      const nameWithOwner = repositoryName(urls, repository);
      return {
        ...identityOf("Repository", repository.id),
        name: repository.name,
        nameWithOwner,
        url: `${baseUrl}/${nameWithOwner}`,
        issue: ({ number }: { number: number }) => findByNumber(number, false),
        pullRequest: ({ number }: { number: number }) => findByNumber(number, true),
        issues: (page: ConnectionArguments) => list(page, false),
        pullRequests: (page: ConnectionArguments) => list(page, true),
      };
    },

    issue: (issue) => ({
      ...identityOf(issue.isPull ? "PullRequest" : "Issue", issue.id),
      number: issue.number,
      title: issue.title,
      body: issue.body,
      state: issue.state.toUpperCase(),
      url: htmlUrl(urls, issue),
      author: () => fields.user(issue.author),
      repository: () => fields.repository(issue.repository),
      createdAt: issue.createdAt,
      comments: (page: ConnectionArguments) => connect(page, commentRows(store, issue), fields.comment),
      ...(issue.isPull ? pullRequestFields(issue) : {}),
    }),

    commit: (repository, commit) => ({
      __typename: "Commit",
      id: createNodeId("Commit", `${repository.id}:${commit.sha}`),
      oid: commit.sha,
      message: commit.message,
      author: () => fields.user(commit.author),
      authoredDate: commit.at,
    }),

    review: (review) => ({
      ...identityOf("PullRequestReview", review.id),
      author: () => fields.user(review.author),
      state: review.state,
      body: review.body,
      submittedAt: review.at,
    }),

    comment: (comment) => ({
      ...identityOf("IssueComment", comment.id),
      author: () => fields.user(comment.author),
      body: comment.body,
      createdAt: comment.at,
    }),
  };
  return fields;
}

function identityOf<Type extends NodeType>(type: Type, id: number) {
  return { __typename: type, id: createNodeId(type, id), databaseId: id };
}
