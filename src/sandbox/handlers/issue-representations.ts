// Repositories, issues, pull requests, and their commits, reviews and comments, as JSON. Field order and names are
// those of real operators, but only the fields that clients usually read are there.
import { baseOf, headOf, type Comment, type Commit, type Review } from "../fixtures/contributions.ts";
import type { Issue } from "../fixtures/issues.ts";
import type { Person } from "../fixtures/people.ts";
import type { Repository } from "../fixtures/repositories.ts";
import { createNodeId } from "./node-ids.ts";
import { formatTime, representUser, timeOrNull } from "./representations.ts";

type Json = Readonly<Record<string, unknown>>;

/** What addresses are made of: the base URL, and the account, which owns repositories without an organization. */
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
export function representIssue(addresses: Addresses, issue: Issue, comments: number): Json {
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
export function representPull(addresses: Addresses, pull: Issue): Json {
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

/** A pull request by itself, which has some fields more. */
export function representWholePull(
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
export function representCommit(addresses: Addresses, { repository }: Issue, commit: Commit): Json {
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
export function representReview(addresses: Addresses, pull: Issue, review: Review): Json {
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

/** A comment on an issue or a pull request. Nobody can change one, so it was updated when it was created. */
export function representComment(addresses: Addresses, issue: Issue, comment: Comment): Json {
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

/** The address for a browser; the sandbox has no such page. */
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
