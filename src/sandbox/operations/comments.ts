// The comments on an issue or a pull request, for REST and GraphQL: first the generated ones (`seed/contributions.ts`),
// then those in the store.
//
// Their IDs do not overlap, because those of generated comments are far larger. Comments cannot be changed or deleted.
// This module does not check who may see a comment.
import { type Comment, commentsOf } from "../seed/contributions.ts";
import type { Issue } from "../seed/issues.ts";
import type { AccountRecord, CommentRecord, Store } from "../store/store.ts";

export function countComments(store: Store, issue: Issue): number {
  return commentsOf(issue).length + store.comments.count(issue.id);
}

/** Oldest first. */
export function listComments(store: Store, issue: Issue, limit: number, offset: number): readonly Comment[] {
  const generated = commentsOf(issue);
  const first = generated.slice(offset, offset + limit);
  const stored = store.comments.list(issue.id, limit - first.length, Math.max(offset - generated.length, 0));
  return [...first, ...stored.map((record) => readComment(store, record))];
}

function readComment(store: Store, { id, accountId, body, createdAt }: CommentRecord): Comment {
  const account = store.accounts.find(accountId);
  if (account === undefined) throw new Error("a comment without its account is in the store");
  return { id, author: { id: account.id, login: account.login }, body, at: createdAt };
}

export function findStoredComment(
  store: Store,
  id: number,
): { readonly issueId: number; readonly comment: Comment } | undefined {
  const record = store.comments.find(id);
  return record && { issueId: record.issueId, comment: readComment(store, record) };
}

/** Must run inside a transaction. `at` is in seconds since the epoch. */
export function writeComment(
  store: Store,
  issue: Issue,
  account: AccountRecord,
  body: string,
  at: number,
): Comment {
  const id = store.comments.insert({ issueId: issue.id, accountId: account.id, body, createdAt: at });
  return { id, author: { id: account.id, login: account.login }, body, at };
}
