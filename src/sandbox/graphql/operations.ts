// The fields of Query and Mutation for one caller, and the search for objects by their global IDs (the specification,
// 9.2).
//
// Objects of an organization pass the same check as in the REST API: `resources` throws a Refusal if the organization
// does not admit the caller. Objects of another account are not found. An object that is not found is an error beside
// `data`; this module does not determine the status.
//
// The only mutation adds a comment. Tokens cannot be created or deleted, because that requires the password (the
// specification, 5.1).
import { GraphQLError } from "graphql";
import { Refusal } from "../http/response.ts";
import type { TokenCaller } from "../identity/authentication.ts";
import { commentRows, findStoredComment, writeComment } from "../operations/comments.ts";
import type { HandlerContext } from "../operations/operation.ts";
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

const commentScopes = ["repo", "public_repo"];

/** The root value. `onExcluded` is called with the organizations that a list leaves out. */
export function createOperations(
  context: HandlerContext,
  caller: TokenCaller,
  onExcluded: (organizations: readonly Organization[]) => void,
): Fields {
  const { store, baseUrl, nowInSeconds, rateLimit } = context;
  const { account, authorization } = caller;
  const resources = createProtectedResources(context);
  const urls = { baseUrl, account };
  const fieldsOf = createFields({ store, resources, urls, caller, onExcluded });

  const nodes = createNodes(store, resources, caller, fieldsOf);

  function findNode(id: string): Fields {
    const node = nodes.find(id);
    if (node !== undefined) return node;
    throw new GraphQLError(`Could not resolve to a node with the global id of ${JSON.stringify(id)}.`);
  }

  function addComment({ subjectId, body, clientMutationId }: CommentInput): Fields {
    if (authorization !== null && !authorization.scopes.some((scope) => commentScopes.includes(scope))) {
      throw new GraphQLError(
        `Your token has not been granted the required scopes: "addComment" takes one of ${commentScopes.join(", ")}.`,
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
      commentEdge: {
        cursor: createCursor(commentRows(store, issue).count()),
        node: fieldsOf.comment(comment),
      },
    };
  }

  return {
    viewer: () => fieldsOf.user(account),
    rateLimit: () => {
      const { limit, remaining, resetAt } = rateLimit.preview();
      return { limit, cost: 1, remaining, used: limit - remaining, resetAt };
    },
    node: ({ id }: { id: string }) => findNode(id),
    organization: ({ login }: { login: string }) =>
      orUnresolved(`an Organization with the login of ${JSON.stringify(login)}`, () =>
        fieldsOf.organization(resources.organization(caller, login)),
      ),
    repository: ({ owner, name }: { owner: string; name: string }) =>
      orUnresolved(`a Repository with the name ${JSON.stringify(`${owner}/${name}`)}`, () =>
        fieldsOf.repository(resources.repository(caller, owner, name)),
      ),
    addComment: ({ input }: { input: CommentInput }) => addComment(input),
  };
}

/** Converts a 404 Refusal to a GraphQLError that names the object. */
function orUnresolved(description: string, find: () => Fields): Fields {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof Refusal) || error.response.status !== 404) throw error;
    throw new GraphQLError(`Could not resolve to ${description}.`);
  }
}

/** Each method throws a Refusal if the object's organization does not admit the caller. */
function createNodes(store: Store, resources: ProtectedResources, caller: TokenCaller, fieldsOf: FieldsOf) {
  const { account } = caller;

  function admittedRepository(id: number): Repository | undefined {
    const repository = findRepository(id);
    if (repository !== undefined && repository.organization !== null) {
      resources.organization(caller, repository.organization);
    }
    return repository;
  }

  function findIssue(id: number): Issue | undefined {
    const { repositoryId, number } = splitIssueId(id);
    const repository = admittedRepository(repositoryId);
    return repository && issueAt(repository, number, account);
  }

  function findComment(id: number): Comment | undefined {
    const stored = findStoredComment(store, id);
    const issue = findIssue(stored?.issueId ?? issueIdOf(id));
    return issue && (stored?.comment ?? commentsOf(issue).find((comment) => comment.id === id));
  }

  function findReview(id: number): Review | undefined {
    const pull = findIssue(issueIdOf(id));
    return pull?.isPull === true ? reviewsOf(pull).find((review) => review.id === id) : undefined;
  }

  function findCommit(key: string): Fields | undefined {
    const [id = "", sha] = key.split(":");
    const repository = admittedRepository(parseKey(id) ?? 0);
    if (repository === undefined) return undefined;
    const pulls = issuesOf(repository, account).filter(({ isPull }) => isPull);
    const commit = pulls.flatMap(commitsOf).find((candidate) => candidate.sha === sha);
    return commit && fieldsOf.commit(repository, commit);
  }

  function find(nodeId: string): Fields | undefined {
    const { type, key } = parseNodeId(nodeId) ?? { type: "", key: "" };
    if (type === "Commit") return findCommit(key);
    const id = parseKey(key);
    if (id === null) return undefined;
    switch (type) {
      case "User":
        return mapFound(id === account.id ? account : findPerson(id), fieldsOf.user);
      case "Organization":
        return mapFound(findOrganization(id), ({ login }) =>
          fieldsOf.organization(resources.organization(caller, login)),
        );
      case "Repository":
        return mapFound(admittedRepository(id), fieldsOf.repository);
      case "Issue":
        return mapFound(ofType(findIssue(id), false), fieldsOf.issue);
      case "PullRequest":
        return mapFound(ofType(findIssue(id), true), fieldsOf.issue);
      case "IssueComment":
        return mapFound(findComment(id), fieldsOf.comment);
      case "PullRequestReview":
        return mapFound(findReview(id), fieldsOf.review);
      case "Grant":
        return mapFound(store.grants.find(account.id, id), fieldsOf.grant);
      case "Authorization": {
        const found = store.authorizations.find(id);
        return found?.accountId === account.id ? fieldsOf.authorization(found) : undefined;
      }
      default:
        return undefined;
    }
  }

  return {
    find,
    /** The issue or pull request of an ID for which `find` has returned fields; undefined for another object. */
    findIssue: (nodeId: string): Issue | undefined => {
      const { type = "", key = "" } = parseNodeId(nodeId) ?? {};
      return type === "Issue" || type === "PullRequest" ? findIssue(Number(key)) : undefined;
    },
  };
}

function mapFound<Found>(found: Found | undefined, toFields: (found: Found) => Fields): Fields | undefined {
  return found === undefined ? undefined : toFields(found);
}

function ofType(issue: Issue | undefined, isPull: boolean): Issue | undefined {
  return issue?.isPull === isPull ? issue : undefined;
}

function parseKey(key: string): number | null {
  return /^[1-9]\d{0,14}$/.test(key) ? Number(key) : null;
}
