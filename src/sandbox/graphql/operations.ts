// The fields of Query and Mutation, for one caller, and the search for objects by their global IDs (the specification,
// 9.2).
//
// Objects of an organization pass the same check as over REST: `resources` throws a Refusal if the organization does
// not admit the caller. Objects of another account do not exist. An object that is not found is an error in the
// response, beside `data`; nothing here decides the status.
//
// The one mutation adds a comment. Tokens cannot be made or deleted here: that requires the password (the
// specification, 5.1).
import { GraphQLError } from "graphql";
import { Refusal } from "../http/response.ts";
import type { TokenCaller } from "../identity/authentication.ts";
import { countComments, findWrittenComment, writeComment } from "../operations/comments.ts";
import type { HandlerOptions } from "../operations/operation.ts";
import { createProtectedResources, type ProtectedResources } from "../operations/user.ts";
import { parseNodeId } from "../operations/representations.ts";
import {
  type Comment,
  commentsOf,
  commitsOf,
  issueIdOf,
  type Review,
  reviewsOf,
} from "../seed/contributions.ts";
import {
  findRepository,
  type Issue,
  issueAt,
  issuesOf,
  type Repository,
  splitIssueId,
} from "../seed/issues.ts";
import { findOrganization, findPerson, type Organization } from "../seed/organizations.ts";
import type { Store } from "../store/store.ts";
import { createCursor, createFields, type Fields, type FieldsOf } from "./fields.ts";

interface CommentInput {
  readonly subjectId: string;
  readonly body: string;
  readonly clientMutationId?: string | null;
}

const writingScopes = ["repo", "public_repo"];

/** The root of an operation. `onLeftOut` is called with the organizations that were left out of a list. */
export function createOperations(
  options: HandlerOptions,
  caller: TokenCaller,
  onLeftOut: (organizations: readonly Organization[]) => void,
): Fields {
  const { store, baseUrl, nowInSeconds, rateLimit } = options;
  const { account, authorization } = caller;
  const resources = createProtectedResources(options);
  const addresses = { baseUrl, account };
  const fieldsOf = createFields({ store, resources, addresses, caller, onLeftOut });

  const nodes = createNodes({ store, resources, caller, fieldsOf });

  function findNode(id: string): Fields {
    const node = nodes.find(id);
    if (node !== undefined) return node;
    throw new GraphQLError(`Could not resolve to a node with the global id of ${JSON.stringify(id)}.`);
  }

  function addComment({ subjectId, body, clientMutationId }: CommentInput): Fields {
    if (authorization !== null && !authorization.scopes.some((scope) => writingScopes.includes(scope))) {
      throw new GraphQLError(
        `Your token has not been granted the required scopes: "addComment" takes one of ${writingScopes.join(", ")}.`,
      );
    }
    const subject = findNode(subjectId);
    const issue = nodes.findIssue(subjectId);
    if (issue === undefined) throw new GraphQLError("A comment is on an issue or a pull request.");
    if (body.trim() === "") throw new GraphQLError("A comment cannot be blank.");
    const comment = store.transaction(() => writeComment(store, issue, account, body, nowInSeconds()));
    return {
      clientMutationId,
      subject,
      commentEdge: { cursor: createCursor(countComments(store, issue)), node: fieldsOf.comment(comment) },
    };
  }

  return {
    viewer: () => fieldsOf.user(account),
    rateLimit: () => {
      const { limit, remaining, resetAt } = rateLimit.foresee();
      return { limit, cost: 1, remaining, used: limit - remaining, resetAt };
    },
    node: ({ id }: { id: string }) => findNode(id),
    organization: ({ login }: { login: string }) =>
      orMissing(`an Organization with the login of ${JSON.stringify(login)}`, () =>
        fieldsOf.organization(resources.organization(caller, login)),
      ),
    repository: ({ owner, name }: { owner: string; name: string }) =>
      orMissing(`a Repository with the name ${JSON.stringify(`${owner}/${name}`)}`, () =>
        fieldsOf.repository(resources.repository(caller, owner, name)),
      ),
    addComment: ({ input }: { input: CommentInput }) => addComment(input),
  };
}

/** The object that `find` returns; if it throws the Refusal for a 404, throws an error that names the object. */
function orMissing(what: string, find: () => Fields): Fields {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof Refusal) || error.response.status !== 404) throw error;
    throw new GraphQLError(`Could not resolve to ${what}.`);
  }
}

interface NodeOptions {
  readonly store: Store;
  readonly resources: ProtectedResources;
  readonly caller: TokenCaller;
  readonly fieldsOf: FieldsOf;
}

/**
 * Each method finds the object of an ID, or nothing; throws a Refusal where its organization does not admit the caller.
 */
interface Nodes {
  find(id: string): Fields | undefined;
  /** The issue or pull request, which can be commented on. */
  findIssue(id: string): Issue | undefined;
}

/** The objects that one caller may find. */
function createNodes({ store, resources, caller, fieldsOf }: NodeOptions): Nodes {
  const { account } = caller;

  function admittedRepository(id: number): Repository | undefined {
    const repository = findRepository(id);
    if (repository !== undefined && repository.organization !== null) {
      resources.organization(caller, repository.organization);
    }
    return repository;
  }

  function issueOf(id: number): Issue | undefined {
    const { repositoryId, number } = splitIssueId(id);
    const repository = admittedRepository(repositoryId);
    return repository && issueAt(repository, number, account);
  }

  function commentOf(id: number): Comment | undefined {
    const written = findWrittenComment(store, id);
    const issue = issueOf(written?.issueId ?? issueIdOf(id));
    return issue && (written?.comment ?? commentsOf(issue).find((comment) => comment.id === id));
  }

  function reviewOf(id: number): Review | undefined {
    const pull = issueOf(issueIdOf(id));
    return pull?.isPull === true ? reviewsOf(pull).find((review) => review.id === id) : undefined;
  }

  function findCommit(key: string): Fields | undefined {
    const [id = "", sha] = key.split(":");
    const repository = admittedRepository(readNumber(id) ?? 0);
    if (repository === undefined) return undefined;
    const pulls = issuesOf(repository, account).filter(({ isPull }) => isPull);
    const commit = pulls.flatMap(commitsOf).find((candidate) => candidate.sha === sha);
    return commit && fieldsOf.commit(repository, commit);
  }

  // A map, because an ID may name a type that every object has as a property.
  const byNumber = new Map<string, (id: number) => Fields | undefined>([
    ["User", (id) => show(id === account.id ? account : findPerson(id), fieldsOf.user)],
    [
      "Organization",
      (id) => {
        const login = findOrganization(id)?.login;
        return login === undefined ? undefined : fieldsOf.organization(resources.organization(caller, login));
      },
    ],
    ["Repository", (id) => show(admittedRepository(id), fieldsOf.repository)],
    ["Issue", (id) => show(only(issueOf(id), false), fieldsOf.issue)],
    ["PullRequest", (id) => show(only(issueOf(id), true), fieldsOf.issue)],
    ["IssueComment", (id) => show(commentOf(id), fieldsOf.comment)],
    ["PullRequestReview", (id) => show(reviewOf(id), fieldsOf.review)],
    ["Grant", (id) => show(store.grants.find(account.id, id), fieldsOf.grant)],
    [
      "Authorization",
      (id) => {
        const found = store.authorizations.find(id);
        return found?.accountId === account.id ? fieldsOf.authorization(found) : undefined;
      },
    ],
  ]);

  return {
    find: (nodeId) => {
      const parsed = parseNodeId(nodeId);
      if (parsed === null) return undefined;
      if (parsed.type === "Commit") return findCommit(parsed.key);
      const id = readNumber(parsed.key);
      return id === null ? undefined : byNumber.get(parsed.type)?.(id);
    },
    findIssue: (nodeId) => {
      const parsed = parseNodeId(nodeId);
      const id = readNumber(parsed?.key ?? "");
      if (id === null || (parsed?.type !== "Issue" && parsed?.type !== "PullRequest")) return undefined;
      return only(issueOf(id), parsed.type === "PullRequest");
    },
  };
}

function show<Thing>(thing: Thing | undefined, present: (thing: Thing) => Fields): Fields | undefined {
  return thing === undefined ? undefined : present(thing);
}

function only(issue: Issue | undefined, isPull: boolean): Issue | undefined {
  return issue?.isPull === isPull ? issue : undefined;
}

function readNumber(key: string): number | null {
  return /^[1-9]\d{0,14}$/.test(key) ? Number(key) : null;
}
