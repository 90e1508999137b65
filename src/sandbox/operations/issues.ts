// Issues and pull requests: the issues assigned to the caller in all repositories, the comments of an issue, and a
// repository's pull requests with their commits and reviews.
//
// The query parameters `state`, `sort` and `direction` filter and order a list; invalid values count as not sent. By
// default, lists contain open issues, newest first.
//
// Representations have the field order and names of real operators, but only the fields that clients usually read. The
// list of assigned issues leaves out organizations that do not admit the caller, and names them in a header.
import { type ServiceResponse, json, orNotFound } from "../http/response.ts";
import type { TokenCaller } from "../identity/authentication.ts";
import {
  baseOf,
  type Comment,
  type Commit,
  commitsOf,
  headOf,
  type Review,
  reviewsOf,
} from "../seed/contributions.ts";
import { type Issue, issuesOf, type Repository } from "../seed/issues.ts";
import type { Person } from "../seed/organizations.ts";
import { commentRows } from "./comments.ts";
import { pageResponse, rowsOf } from "./lists.ts";
import { type Call, type HandlerContext, route, type Route } from "./operation.ts";
import { createProtectedResources } from "./user.ts";
import { createNodeId, formatTime, representUser, formatTimeOrNull } from "./representations.ts";

export function createIssueRoutes(context: HandlerContext): readonly Route<TokenCaller>[] {
  const { store, baseUrl, singleSignOn } = context;
  const resources = createProtectedResources(context);

  const countComments = (issue: Issue): number => commentRows(store, issue).count();
  const urlContext = ({ caller }: Call<TokenCaller>): UrlContext => ({ baseUrl, account: caller.account });

  function findIssue({ caller, variables }: Call<TokenCaller>): Issue {
    const { owner = "", repo = "", number = "" } = variables;
    return resources.issue(caller, owner, repo, number);
  }

  function findPull(call: Call<TokenCaller>): Issue {
    const issue = findIssue(call);
    return orNotFound(issue.isPull ? issue : undefined);
  }

  function listAssigned(call: Call<TokenCaller>): ServiceResponse {
    const { caller, request } = call;
    const { repositories, excluded } = resources.visible(caller);
    const assigned = repositories
      .flatMap((repository) => issuesOf(repository, caller.account))
      .filter(({ isAssigned }) => isAssigned);
    const keys = { ...timeKeys, comments: countComments };
    const rows = rowsOf(selectIssues(assigned, request.query, keys, "desc"));
    const response = pageResponse(context, request, rows, (issue) =>
      representIssue(urlContext(call), issue, countComments(issue)),
    );
    return { ...response, headers: { ...response.headers, ...singleSignOn.partialResultsHeader(excluded) } };
  }

  function commentsResponse(call: Call<TokenCaller>): ServiceResponse {
    const issue = findIssue(call);
    return pageResponse(context, call.request, commentRows(store, issue), (comment) =>
      representComment(urlContext(call), issue, comment),
    );
  }

  function listPulls(call: Call<TokenCaller>): ServiceResponse {
    const { caller, request, variables } = call;
    const repository = resources.repository(caller, variables["owner"] ?? "", variables["repo"] ?? "");
    const pulls = issuesOf(repository, caller.account).filter(({ isPull }) => isPull);
    const rows = rowsOf(selectIssues(pulls, request.query, timeKeys, "asc"));
    return pageResponse(context, request, rows, (pull) => representPull(urlContext(call), pull));
  }

  function pullResponse(call: Call<TokenCaller>): ServiceResponse {
    const pull = findPull(call);
    return json(200, representPullDetails(urlContext(call), pull, countComments(pull)));
  }

  return [
    route("GET /user/issues", listAssigned),
    route("GET /repos/:owner/:repo/issues/:number/comments", commentsResponse),
    route("GET /repos/:owner/:repo/pulls", listPulls),
    route("GET /repos/:owner/:repo/pulls/:number", pullResponse),
    route("GET /repos/:owner/:repo/pulls/:number/commits", (call) => {
      const pull = findPull(call);
      return pageResponse(context, call.request, rowsOf(commitsOf(pull)), (commit) =>
        representCommit(urlContext(call), pull, commit),
      );
    }),
    route("GET /repos/:owner/:repo/pulls/:number/reviews", (call) => {
      const pull = findPull(call);
      return pageResponse(context, call.request, rowsOf(reviewsOf(pull)), (review) =>
        representReview(urlContext(call), pull, review),
      );
    }),
  ];
}

/** By the name in the query's `sort`; `created` is the default. */
type SortKeys = Readonly<Record<string, (issue: Issue) => number>> & {
  readonly created: (issue: Issue) => number;
};

const timeKeys: SortKeys = {
  created: ({ createdAt }) => createdAt,
  updated: ({ updatedAt }) => updatedAt,
};

/** Filters and sorts by the query. `defaultDirection` applies to all keys but `created`. */
function selectIssues(
  issues: readonly Issue[],
  query: string,
  keys: SortKeys,
  defaultDirection: "asc" | "desc",
): readonly Issue[] {
  const parameters = new URLSearchParams(query);
  const state = parameters.get("state");
  const selected =
    state === "all"
      ? issues
      : issues.filter((issue) => issue.state === (state === "closed" ? "closed" : "open"));
  const requested = parameters.get("sort") ?? "created";
  const sort = Object.hasOwn(keys, requested) ? requested : "created";
  const direction = parameters.get("direction") ?? (sort === "created" ? "desc" : defaultDirection);
  const sign = direction === "asc" ? 1 : -1;
  const key = keys[sort] ?? keys.created;
  return selected.toSorted((first, second) => sign * (key(first) - key(second) || first.id - second.id));
}

type Json = Readonly<Record<string, unknown>>;

/** Needed to build URLs. The account owns the repositories without an organization. */
export interface UrlContext {
  readonly baseUrl: string;
  readonly account: Person;
}

/** `owner/name`. */
export function repositoryName({ account }: UrlContext, { organization, name }: Repository): string {
  return `${organization ?? account.login}/${name}`;
}

function repositoryUrl(urls: UrlContext, repository: Repository): string {
  return `${urls.baseUrl}/repos/${repositoryName(urls, repository)}`;
}

function representRepository(urls: UrlContext, repository: Repository): Json {
  const name = repositoryName(urls, repository);
  return {
    id: repository.id,
    node_id: createNodeId("Repository", repository.id),
    name: repository.name,
    full_name: name,
    private: false,
    html_url: `${urls.baseUrl}/${name}`,
    url: repositoryUrl(urls, repository),
  };
}

/** Represents an issue, or a pull request in a list of issues. */
function representIssue(urls: UrlContext, issue: Issue, commentCount: number): Json {
  const inRepository = repositoryUrl(urls, issue.repository);
  const url = `${inRepository}/issues/${issue.number}`;
  const user = representUser(urls.baseUrl, issue.author);
  const assignees = issue.isAssigned ? [representUser(urls.baseUrl, urls.account)] : [];
  return {
    id: issue.id,
    node_id: createNodeId(issue.isPull ? "PullRequest" : "Issue", issue.id),
    url,
    repository_url: inRepository,
    comments_url: `${url}/comments`,
    html_url: htmlUrl(urls, issue),
    number: issue.number,
    title: issue.title,
    user,
    labels: [],
    state: issue.state,
    locked: false,
    assignee: assignees[0] ?? null,
    assignees,
    milestone: null,
    comments: commentCount,
    ...representTimes(issue),
    author_association: "MEMBER",
    body: issue.body,
    repository: representRepository(urls, issue.repository),
  };
}

/** Represents a pull request in a list. */
function representPull(urls: UrlContext, pull: Issue): Json {
  const inRepository = repositoryUrl(urls, pull.repository);
  const url = `${inRepository}/pulls/${pull.number}`;
  const issueUrl = `${inRepository}/issues/${pull.number}`;
  const user = representUser(urls.baseUrl, pull.author);
  const repo = representRepository(urls, pull.repository);
  const side = (ref: string, sha: string): Json => ({
    label: `${pull.repository.organization ?? urls.account.login}:${ref}`,
    ref,
    sha,
    user,
    repo,
  });
  return {
    url,
    id: pull.id,
    node_id: createNodeId("PullRequest", pull.id),
    html_url: htmlUrl(urls, pull),
    issue_url: issueUrl,
    number: pull.number,
    state: pull.state,
    locked: false,
    title: pull.title,
    user,
    body: pull.body,
    ...representTimes(pull),
    merged_at: formatTimeOrNull(pull.closedAt),
    assignee: null,
    assignees: [],
    requested_reviewers: [],
    labels: [],
    milestone: null,
    draft: false,
    commits_url: `${url}/commits`,
    comments_url: `${issueUrl}/comments`,
    head: side(`topic-${pull.number}`, headOf(pull)),
    base: side("main", baseOf(pull)),
    author_association: "MEMBER",
  };
}

/** Represents a single pull request, with more fields than in a list. */
function representPullDetails(urls: UrlContext, pull: Issue, commentCount: number): Json {
  const isMerged = pull.closedAt !== null;
  const commitCount = commitsOf(pull).length;
  return {
    ...representPull(urls, pull),
    merged: isMerged,
    mergeable: isMerged ? null : true,
    mergeable_state: isMerged ? "unknown" : "clean",
    merged_by: isMerged ? representUser(urls.baseUrl, urls.account) : null,
    comments: commentCount,
    review_comments: reviewsOf(pull).length,
    maintainer_can_modify: false,
    commits: commitCount,
    additions: 7 * commitCount,
    deletions: 3 * commitCount,
    changed_files: commitCount,
  };
}

/** The author is also the committer. */
function representCommit(urls: UrlContext, { repository }: Issue, commit: Commit): Json {
  const url = repositoryUrl(urls, repository);
  const html = `${urls.baseUrl}/${repositoryName(urls, repository)}`;
  const author = {
    name: commit.author.login,
    email: `${commit.author.login}@example.com`,
    date: formatTime(commit.at),
  };
  const user = representUser(urls.baseUrl, commit.author);
  return {
    sha: commit.sha,
    node_id: createNodeId("Commit", `${repository.id}:${commit.sha}`),
    commit: {
      author,
      committer: author,
      message: commit.message,
      tree: { sha: commit.tree, url: `${url}/git/trees/${commit.tree}` },
      url: `${url}/git/commits/${commit.sha}`,
      comment_count: 0,
    },
    url: `${url}/commits/${commit.sha}`,
    html_url: `${html}/commit/${commit.sha}`,
    author: user,
    committer: user,
    parents: [
      {
        sha: commit.parent,
        url: `${url}/commits/${commit.parent}`,
        html_url: `${html}/commit/${commit.parent}`,
      },
    ],
  };
}

/** Every review is of the last commit. */
function representReview(urls: UrlContext, pull: Issue, review: Review): Json {
  return {
    id: review.id,
    node_id: createNodeId("PullRequestReview", review.id),
    user: representUser(urls.baseUrl, review.author),
    body: review.body,
    state: review.state,
    html_url: `${htmlUrl(urls, pull)}#pullrequestreview-${review.id}`,
    pull_request_url: `${repositoryUrl(urls, pull.repository)}/pulls/${pull.number}`,
    author_association: "MEMBER",
    submitted_at: formatTime(review.at),
    commit_id: headOf(pull),
  };
}

/** Comments cannot be changed, so both times are equal. */
function representComment(urls: UrlContext, issue: Issue, comment: Comment): Json {
  const url = `${repositoryUrl(urls, issue.repository)}/issues`;
  return {
    url: `${url}/comments/${comment.id}`,
    html_url: `${htmlUrl(urls, issue)}#issuecomment-${comment.id}`,
    issue_url: `${url}/${issue.number}`,
    id: comment.id,
    node_id: createNodeId("IssueComment", comment.id),
    user: representUser(urls.baseUrl, comment.author),
    created_at: formatTime(comment.at),
    updated_at: formatTime(comment.at),
    author_association: "MEMBER",
    body: comment.body,
  };
}

/** The URL of the page for browsers, which does not exist in the sandbox. */
export function htmlUrl(urls: UrlContext, issue: Issue): string {
  const kind = issue.isPull ? "pull" : "issues";
  return `${urls.baseUrl}/${repositoryName(urls, issue.repository)}/${kind}/${issue.number}`;
}

function representTimes({ createdAt, updatedAt, closedAt }: Issue): Json {
  return {
    created_at: formatTime(createdAt),
    updated_at: formatTime(updatedAt),
    closed_at: formatTimeOrNull(closedAt),
  };
}
