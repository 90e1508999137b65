// Issues and pull requests: the caller's assigned issues in all repositories, the comments of an issue, and the pull
// requests of a repository with their commits and reviews.
//
// `state`, `sort` and `direction` of a query choose and order a list; unknown words count as not sent. By default a
// list has what is open, the newest first.
//
// Representations have the field order and names of real operators, but only the fields that clients usually read.
// Organizations that do not admit the caller are left out of the list of assigned issues, and a header names them.
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
import { countComments, listComments } from "./comments.ts";
import { pageResponse, listOf } from "./lists.ts";
import { type Call, type HandlerOptions, route, type Route } from "./operation.ts";
import { createProtectedResources } from "./user.ts";
import { createNodeId, formatTime, representUser, timeOrNull } from "./representations.ts";

/** The routes of issues and pull requests, for any caller who has proven an account. */
export function createIssueRoutes(options: HandlerOptions): readonly Route<TokenCaller>[] {
  const { store, baseUrl, singleSignOn } = options;
  const resources = createProtectedResources(options);

  const addressesOf = ({ caller }: Call<TokenCaller>): Addresses => ({ baseUrl, account: caller.account });

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
    const { repositories, leftOut } = resources.visible(caller);
    const assigned = repositories
      .flatMap((repository) => issuesOf(repository, caller.account))
      .filter(({ isAssigned }) => isAssigned);
    const keys = { ...timeKeys, comments: (issue: Issue) => countComments(store, issue) };
    const source = listOf(chooseIssues(assigned, request.query, keys, "desc"), (issue) =>
      representIssue(addressesOf(call), issue, countComments(store, issue)),
    );
    const response = pageResponse(options, request, source);
    return { ...response, headers: { ...response.headers, ...singleSignOn.describePartialResults(leftOut) } };
  }

  function commentsResponse(call: Call<TokenCaller>): ServiceResponse {
    const issue = findIssue(call);
    return pageResponse(options, call.request, {
      count: () => countComments(store, issue),
      list: (limit, offset) => listComments(store, issue, limit, offset),
      represent: (comment) => representComment(addressesOf(call), issue, comment),
    });
  }

  function listPulls(call: Call<TokenCaller>): ServiceResponse {
    const { caller, request, variables } = call;
    const repository = resources.repository(caller, variables["owner"] ?? "", variables["repo"] ?? "");
    const pulls = issuesOf(repository, caller.account).filter(({ isPull }) => isPull);
    const source = listOf(chooseIssues(pulls, request.query, timeKeys, "asc"), (pull) =>
      representPull(addressesOf(call), pull),
    );
    return pageResponse(options, request, source);
  }

  function pullResponse(call: Call<TokenCaller>): ServiceResponse {
    const pull = findPull(call);
    const counts = {
      comments: countComments(store, pull),
      commits: commitsOf(pull),
      reviews: reviewsOf(pull).length,
    };
    return json(200, representWholePull(addressesOf(call), pull, counts));
  }

  return [
    route("GET /user/issues", listAssigned),
    route("GET /repos/:owner/:repo/issues/:number/comments", commentsResponse),
    route("GET /repos/:owner/:repo/pulls", listPulls),
    route("GET /repos/:owner/:repo/pulls/:number", pullResponse),
    route("GET /repos/:owner/:repo/pulls/:number/commits", (call) => {
      const pull = findPull(call);
      const source = listOf(commitsOf(pull), (commit) => representCommit(addressesOf(call), pull, commit));
      return pageResponse(options, call.request, source);
    }),
    route("GET /repos/:owner/:repo/pulls/:number/reviews", (call) => {
      const pull = findPull(call);
      const source = listOf(reviewsOf(pull), (review) => representReview(addressesOf(call), pull, review));
      return pageResponse(options, call.request, source);
    }),
  ];
}

/** The sort keys, each a function to a number; `created` is the default. */
type SortKeys = Readonly<Record<string, (issue: Issue) => number>> & {
  readonly created: (issue: Issue) => number;
};

const timeKeys: SortKeys = {
  created: ({ createdAt }) => createdAt,
  updated: ({ updatedAt }) => updatedAt,
};

/** The issues that a query selects, in its order. `usualDirection` is the default for other keys than `created`. */
function chooseIssues(
  issues: readonly Issue[],
  query: string,
  keys: SortKeys,
  usualDirection: "asc" | "desc",
): readonly Issue[] {
  const parameters = new URLSearchParams(query);
  const state = parameters.get("state");
  const chosen =
    state === "all"
      ? issues
      : issues.filter((issue) => issue.state === (state === "closed" ? "closed" : "open"));
  const asked = parameters.get("sort") ?? "created";
  const sort = Object.hasOwn(keys, asked) ? asked : "created";
  const direction = parameters.get("direction") ?? (sort === "created" ? "desc" : usualDirection);
  const sign = direction === "asc" ? 1 : -1;
  const key = keys[sort] ?? keys.created;
  return chosen.toSorted((first, second) => sign * (key(first) - key(second) || first.id - second.id));
}

type Json = Readonly<Record<string, unknown>>;

/** The parts of URLs: the base URL, and the account, which owns repositories without an organization. */
export interface Addresses {
  readonly baseUrl: string;
  readonly account: Person;
}

/** `owner/name`. */
export function repositoryName({ account }: Addresses, { organization, name }: Repository): string {
  return `${organization ?? account.login}/${name}`;
}

function representRepository(addresses: Addresses, repository: Repository): Json {
  const name = repositoryName(addresses, repository);
  return {
    id: repository.id,
    node_id: createNodeId("Repository", repository.id),
    name: repository.name,
    full_name: name,
    private: false,
    html_url: `${addresses.baseUrl}/${name}`,
    url: `${addresses.baseUrl}/repos/${name}`,
  };
}

/** An issue, or a pull request as lists of issues show it; `comments` is how many it has. */
function representIssue(addresses: Addresses, issue: Issue, comments: number): Json {
  const repositoryUrl = `${addresses.baseUrl}/repos/${repositoryName(addresses, issue.repository)}`;
  const url = `${repositoryUrl}/issues/${issue.number}`;
  const user = representUser(addresses.baseUrl, issue.author);
  const assignees = issue.isAssigned ? [representUser(addresses.baseUrl, addresses.account)] : [];
  return {
    id: issue.id,
    node_id: createNodeId(issue.isPull ? "PullRequest" : "Issue", issue.id),
    url,
    repository_url: repositoryUrl,
    comments_url: `${url}/comments`,
    html_url: htmlUrl(addresses, issue),
    number: issue.number,
    title: issue.title,
    user,
    labels: [],
    state: issue.state,
    locked: false,
    assignee: assignees[0] ?? null,
    assignees,
    milestone: null,
    comments,
    ...times(issue),
    author_association: "MEMBER",
    body: issue.body,
    repository: representRepository(addresses, issue.repository),
  };
}

/** A pull request as lists show it. */
function representPull(addresses: Addresses, pull: Issue): Json {
  const name = repositoryName(addresses, pull.repository);
  const url = `${addresses.baseUrl}/repos/${name}/pulls/${pull.number}`;
  const user = representUser(addresses.baseUrl, pull.author);
  const repo = representRepository(addresses, pull.repository);
  const side = (ref: string, sha: string): Json => ({
    label: `${name.split("/")[0]}:${ref}`,
    ref,
    sha,
    user,
    repo,
  });
  return {
    url,
    id: pull.id,
    node_id: createNodeId("PullRequest", pull.id),
    html_url: htmlUrl(addresses, pull),
    issue_url: `${addresses.baseUrl}/repos/${name}/issues/${pull.number}`,
    number: pull.number,
    state: pull.state,
    locked: false,
    title: pull.title,
    user,
    body: pull.body,
    ...times(pull),
    merged_at: timeOrNull(pull.closedAt),
    assignee: null,
    assignees: [],
    requested_reviewers: [],
    labels: [],
    milestone: null,
    draft: false,
    commits_url: `${url}/commits`,
    comments_url: `${addresses.baseUrl}/repos/${name}/issues/${pull.number}/comments`,
    head: side(`topic-${pull.number}`, headOf(pull)),
    base: side("main", baseOf(pull)),
    author_association: "MEMBER",
  };
}

/** A single pull request, which has more fields. */
function representWholePull(
  addresses: Addresses,
  pull: Issue,
  { comments, commits, reviews }: { comments: number; commits: readonly Commit[]; reviews: number },
): Json {
  const isMerged = pull.closedAt !== null;
  return {
    ...representPull(addresses, pull),
    merged: isMerged,
    mergeable: isMerged ? null : true,
    mergeable_state: isMerged ? "unknown" : "clean",
    merged_by: isMerged ? representUser(addresses.baseUrl, addresses.account) : null,
    comments,
    review_comments: reviews,
    maintainer_can_modify: false,
    commits: commits.length,
    additions: 7 * commits.length,
    deletions: 3 * commits.length,
    changed_files: commits.length,
  };
}

/** A commit of a pull request, as lists show it. Its author is its committer, too. */
function representCommit(addresses: Addresses, { repository }: Issue, commit: Commit): Json {
  const url = `${addresses.baseUrl}/repos/${repositoryName(addresses, repository)}`;
  const html = `${addresses.baseUrl}/${repositoryName(addresses, repository)}`;
  const author = {
    name: commit.author.login,
    email: `${commit.author.login}@example.com`,
    date: formatTime(commit.at),
  };
  const user = representUser(addresses.baseUrl, commit.author);
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

/** A review of a pull request; it is about the last commit. */
function representReview(addresses: Addresses, pull: Issue, review: Review): Json {
  return {
    id: review.id,
    node_id: createNodeId("PullRequestReview", review.id),
    user: representUser(addresses.baseUrl, review.author),
    body: review.body,
    state: review.state,
    html_url: `${htmlUrl(addresses, pull)}#pullrequestreview-${review.id}`,
    pull_request_url: `${addresses.baseUrl}/repos/${repositoryName(addresses, pull.repository)}/pulls/${pull.number}`,
    author_association: "MEMBER",
    submitted_at: formatTime(review.at),
    commit_id: headOf(pull),
  };
}

/** A comment on an issue or a pull request. It cannot be changed, so its update time is that of its creation. */
function representComment(addresses: Addresses, issue: Issue, comment: Comment): Json {
  const url = `${addresses.baseUrl}/repos/${repositoryName(addresses, issue.repository)}/issues`;
  return {
    url: `${url}/comments/${comment.id}`,
    html_url: `${htmlUrl(addresses, issue)}#issuecomment-${comment.id}`,
    issue_url: `${url}/${issue.number}`,
    id: comment.id,
    node_id: createNodeId("IssueComment", comment.id),
    user: representUser(addresses.baseUrl, comment.author),
    created_at: formatTime(comment.at),
    updated_at: formatTime(comment.at),
    author_association: "MEMBER",
    body: comment.body,
  };
}

/** The URL of the page for a browser, which the sandbox does not have. */
export function htmlUrl(addresses: Addresses, issue: Issue): string {
  const kind = issue.isPull ? "pull" : "issues";
  return `${addresses.baseUrl}/${repositoryName(addresses, issue.repository)}/${kind}/${issue.number}`;
}

function times({ createdAt, updatedAt, closedAt }: Issue): Json {
  return {
    created_at: formatTime(createdAt),
    updated_at: formatTime(updatedAt),
    closed_at: timeOrNull(closedAt),
  };
}
