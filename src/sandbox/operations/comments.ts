// The comments on an issue or a pull request, for REST and GraphQL: first the generated ones (`seed/contributions.ts`),
// then those in the store.
//
// Their IDs do not overlap, because those of generated comments are far larger. Comments cannot be changed or deleted.
// This module does not check who may see a comment.
import { type Comment, commentsOf } from "../seed/contributions.ts";
import type { Issue } from "../seed/issues.ts";
import type { AccountRecord, CommentRecord, Store } from "../store/store.ts";
import type { Rows } from "./lists.ts";

/** Oldest first. */
export function commentRows(store: Store, issue: Issue): Rows<Comment> {
  const generated = commentsOf(issue);
  return {
    count: () => generated.length + store.comments.count(issue.id),
    list: (limit, offset) => {
      const first = generated.slice(offset, offset + limit);
      const remaining = limit - first.length;
      const stored = store.comments.list(issue.id, remaining, Math.max(offset - generated.length, 0));
      return [...first, ...stored.map((record) => readComment(store, record))];
    },
  };
}

function readComment(store: Store, { id, accountId, body, createdAt }: CommentRecord): Comment {
  const { login } = store.accounts.get(accountId);
  return { id, author: { id: accountId, login }, body, at: createdAt };
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
