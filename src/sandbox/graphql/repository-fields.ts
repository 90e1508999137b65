// The values of the schema's types of repositories, issues and pull requests: objects with the fields of their type. A
// field that takes arguments, or is slow to compute, is a function.
import { GraphQLError } from "graphql";
import {
  commitsOf,
  headOf,
  reviewsOf,
  type Comment,
  type Commit,
  type Review,
} from "../fixtures/contributions.ts";
import { issueAt, issuesOf, type Issue } from "../fixtures/issues.ts";
import type { Person } from "../fixtures/people.ts";
import type { Repository } from "../fixtures/repositories.ts";
import { countComments, listComments } from "../handlers/discussions.ts";
import { htmlUrl, repositoryName, type Addresses } from "../handlers/issue-representations.ts";
import { listOf } from "../handlers/list-page.ts";
import { createNodeId, identityOf } from "../handlers/node-ids.ts";
import type { Store } from "../store/store.ts";
import { connect, type ConnectionArguments } from "./connections.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** How each thing looks to the account of `addresses`. */
export interface RepositoryFieldsOf {
  readonly repository: (repository: Repository) => Fields;
  readonly issue: (issue: Issue) => Fields;
  readonly comment: (comment: Comment) => Fields;
  readonly commit: (repository: Repository, commit: Commit) => Fields;
  readonly review: (review: Review) => Fields;
}

/** `user` is how people look. */
export function createRepositoryFields(
  store: Store,
  addresses: Addresses,
  user: (person: Person) => Fields,
): RepositoryFieldsOf {
  const { baseUrl, account } = addresses;

  const ofPullRequest = (pull: Issue): Fields => ({
    merged: pull.closedAt !== null,
    headRefOid: headOf(pull),
    commits: (page: ConnectionArguments) =>
      connect(
        page,
        listOf(commitsOf(pull), (commit) => fields.commit(pull.repository, commit)),
      ),
    reviews: (page: ConnectionArguments) => connect(page, listOf(reviewsOf(pull), fields.review)),
  });

  const fields: RepositoryFieldsOf = {
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
        ...identityOf("Repository", repository.id),
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
      ...identityOf(issue.isPull ? "PullRequest" : "Issue", issue.id),
      number: issue.number,
      title: issue.title,
      body: issue.body,
      state: issue.state.toUpperCase(),
      url: htmlUrl(addresses, issue),
      author: () => user(issue.author),
      repository: () => fields.repository(issue.repository),
      createdAt: issue.createdAt,
      comments: (page: ConnectionArguments) =>
        connect(page, {
          count: () => countComments(store, issue),
          list: (limit, offset) => listComments(store, issue, limit, offset),
          represent: fields.comment,
        }),
      ...(issue.isPull ? ofPullRequest(issue) : {}),
    }),

    commit: (repository, commit) => ({
      __typename: "Commit",
      id: createNodeId("Commit", `${repository.id}:${commit.sha}`),
      oid: commit.sha,
      message: commit.message,
      author: () => user(commit.author),
      authoredDate: commit.at,
    }),

    review: (review) => ({
      ...identityOf("PullRequestReview", review.id),
      author: () => user(review.author),
      state: review.state,
      body: review.body,
      submittedAt: review.at,
    }),

    comment: (comment) => ({
      ...identityOf("IssueComment", comment.id),
      author: () => user(comment.author),
      body: comment.body,
      createdAt: comment.at,
    }),
  };
  return fields;
}
