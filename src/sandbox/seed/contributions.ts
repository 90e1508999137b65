// Commits, reviews and comments of an issue or a pull request, oldest first.
//
// They are generated from its ID and not stored; the store contains only comments that were written later. Most issues
// have a few, and some have more than fit on one page. The ID of a comment or review contains the ID of its issue.
import { createHash } from "node:crypto";
import type { Issue } from "./issues.ts";
import { type Person, personAt } from "./organizations.ts";

/** Times are seconds since the epoch; `sha` and `tree` are 40 hexadecimal characters. */
export interface Commit {
  readonly sha: string;
  readonly tree: string;
  readonly parent: string;
  readonly message: string;
  readonly author: Person;
  readonly at: number;
}

export interface Review {
  readonly id: number;
  readonly author: Person;
  readonly state: "APPROVED" | "CHANGES_REQUESTED" | "COMMENTED";
  readonly body: string;
  readonly at: number;
}

export interface Comment {
  readonly id: number;
  readonly author: Person;
  readonly body: string;
  readonly at: number;
}

const messages = ["Make it work", "Make it right", "Name it", "Test it", "Mend what the tests found"];
const remarks = [
  "I have seen this too.",
  "Works for me on a new clone.",
  "Voilà, c'est mieux.",
  "了解です。",
];
const reviewStates = ["COMMENTED", "CHANGES_REQUESTED", "APPROVED"] as const;
/** Every tenth pull request has more than a page of commits. */
const manyCommits = 34;
/** The first issue of each repository has more than a page of comments. */
const manyComments = 35;
/** More than the number of comments or reviews of any issue. */
const idsPerIssue = 100;

export function commitsOf(pull: Issue): readonly Commit[] {
  const length = pull.number % 10 === 0 ? manyCommits : 1 + (pull.number % 4);
  return Array.from({ length }, (_, index) => ({
    sha: hash(`commit ${pull.id} ${index}`),
    tree: hash(`tree ${pull.id} ${index}`),
    parent: index === 0 ? baseOf(pull) : hash(`commit ${pull.id} ${index - 1}`),
    message: messages[index % messages.length] ?? "",
    author: pull.author,
    at: pull.createdAt - (length - index) * 600,
  }));
}

/** The SHA of a pull request's last commit. */
export function headOf(pull: Issue): string {
  return commitsOf(pull).at(-1)?.sha ?? baseOf(pull);
}

/** The SHA of the commit that a pull request is based on. */
export function baseOf(pull: Issue): string {
  return hash(`base ${pull.repository.id}`);
}

/** Up to three: a remark, a request for changes, an approval. */
export function reviewsOf(pull: Issue): readonly Review[] {
  return reviewStates.slice(0, (pull.number / 2) % 4).map((state, index) => ({
    id: pull.id * idsPerIssue + index,
    author: personAt(10 + index),
    state,
    body: state === "APPROVED" ? "" : (remarks[index] ?? ""),
    at: pull.createdAt + (index + 1) * 3600,
  }));
}

/** The generated comments of an issue or a pull request. */
export function commentsOf(issue: Issue): readonly Comment[] {
  const length = issue.number === 1 ? manyComments : issue.number % 4;
  return Array.from({ length }, (_, index) => ({
    id: issue.id * idsPerIssue + index,
    author: personAt(index % 7),
    body: remarks[(issue.number + index) % remarks.length] ?? "",
    at: issue.createdAt + (index + 1) * 1800,
  }));
}

/** The ID of the issue in the ID of a generated comment or review. */
export function issueIdOf(contributionId: number): number {
  return Math.floor(contributionId / idsPerIssue);
}

function hash(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}
