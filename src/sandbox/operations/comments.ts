// The comments on an issue or a pull request, for REST and for GraphQL: first those that it always has, then those that
// were written.
//
// The first are generated (`seed/contributions.ts`), the others are in the store. Their IDs do not overlap, because
// generated ones are far above. Comments cannot be changed or deleted. Who may see one is not checked here.
import { type Comment, commentsOf } from "../seed/contributions.ts";
import type { Issue } from "../seed/issues.ts";
import type { AccountRecord, CommentRecord, Store } from "../store/store.ts";

/** How many comments an issue has: those of the fixtures and those that were added. */
export function countComments(store: Store, issue: Issue): number {
  return commentsOf(issue).length + store.comments.count(issue.id);
}

/** Some of an issue's comments, the oldest first. */
export function listComments(store: Store, issue: Issue, limit: number, offset: number): readonly Comment[] {
  const given = commentsOf(issue);
  const first = given.slice(offset, offset + limit);
  const written = store.comments.list(issue.id, limit - first.length, Math.max(offset - given.length, 0));
  return [...first, ...written.map((record) => readComment(store, record))];
}

function readComment(store: Store, { id, accountId, body, createdAt }: CommentRecord): Comment {
  const account = store.accounts.find(accountId);
  if (account === undefined) throw new Error("a comment without its account is in the store");
  return { id, author: { id: account.id, login: account.login }, body, at: createdAt };
}

/** The comment with this ID and the ID of its issue; who may see it is not checked here. */
export function findWrittenComment(
  store: Store,
  id: number,
): { readonly issueId: number; readonly comment: Comment } | undefined {
  const record = store.comments.find(id);
  return record && { issueId: record.issueId, comment: readComment(store, record) };
}

/** Writes a comment, inside the caller's transaction; `at` is in seconds. */
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
