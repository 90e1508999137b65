// Comments that accounts have written; those that every sandbox begins with are fixtures and not here.
import { decodeText, encodeText } from "./chosen-text.ts";
import type { Database } from "./database.ts";

/** A comment on an issue or a pull request. `createdAt` is in seconds since the epoch. */
export interface CommentRecord {
  readonly id: number;
  readonly issueId: number;
  readonly accountId: number;
  readonly body: string;
  readonly createdAt: number;
}

export type CommentStore = ReturnType<typeof createCommentStore>;

/** The rows of comments, the oldest of an issue first. Times are whole seconds since the epoch. */
export function createCommentStore(database: Database) {
  const insert = database.prepare(
    "INSERT INTO comments (issue_id, account_id, body, created_at) VALUES (?, ?, ?, ?)",
  );
  const count = database.prepare<{ n: number }>("SELECT COUNT(*) AS n FROM comments WHERE issue_id = ?");
  const select =
    "SELECT id, issue_id AS issueId, account_id AS accountId, body, created_at AS createdAt FROM comments";
  const byId = database.prepare<CommentRecord>(`${select} WHERE id = ?`);
  const list = database.prepare<CommentRecord>(`${select} WHERE issue_id = ? ORDER BY id LIMIT ? OFFSET ?`);
  return {
    insert: ({ issueId, accountId, body, createdAt }: Omit<CommentRecord, "id">) =>
      insert.run(issueId, accountId, encodeText(body), createdAt),
    count: (issueId: number) => count.first(issueId)?.n ?? 0,
    find: (id: number) => {
      const row = byId.first(id);
      return row === undefined ? undefined : readRow(row);
    },
    /** By ascending id. */
    list: (issueId: number, limit: number, offset: number) => list.all(issueId, limit, offset).map(readRow),
  };
}

function readRow(row: CommentRecord): CommentRecord {
  return { ...row, body: decodeText(row.body) ?? "" };
}
