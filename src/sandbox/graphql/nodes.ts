// Finds objects by their global IDs (the specification, 9.2). The rule: objects of an organization pass the same check
// as over REST, and objects of another account do not exist.
import {
  commentsOf,
  commitsOf,
  issueIdOf,
  reviewsOf,
  type Comment,
  type Review,
} from "../fixtures/contributions.ts";
import { issueAt, issuesOf, splitIssueId, type Issue } from "../fixtures/issues.ts";
import { findOrganization } from "../fixtures/organizations.ts";
import { findPerson } from "../fixtures/people.ts";
import { findRepository, type Repository } from "../fixtures/repositories.ts";
import { findWrittenComment } from "../handlers/discussions.ts";
import { parseNodeId } from "../handlers/node-ids.ts";
import type { ProtectedResources } from "../handlers/protected-resources.ts";
import type { TokenCaller } from "../identity/authentication.ts";
import type { Store } from "../store/store.ts";
import type { FieldsOf } from "./fields.ts";
import type { Fields } from "./repository-fields.ts";

export interface NodeOptions {
  readonly store: Store;
  readonly resources: ProtectedResources;
  readonly caller: TokenCaller;
  readonly fieldsOf: FieldsOf;
}

/**
 * Each method finds the object of an ID, or nothing; throws a Refusal where its organization does not admit the caller.
 */
export interface Nodes {
  find(id: string): Fields | undefined;
  /** The issue or pull request, which can be commented on. */
  findIssue(id: string): Issue | undefined;
}

/** The objects that one caller may find. */
export function createNodes({ store, resources, caller, fieldsOf }: NodeOptions): Nodes {
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

  // A map, because an id may name a type that every object has as a property.
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
