// Which personal token is approved for which organization. The rows go away with their token; which tokens need one
// is for the single sign-on rules to say.
import { decodeText } from "./chosen-text.ts";
import type { Database } from "./database.ts";

/** An approval as a person wants to see it. */
export interface ApprovalRecord {
  readonly authorizationId: number;
  readonly note: string | null;
  readonly tokenLastEight: string;
  readonly organizationId: number;
  readonly organizationLogin: string;
  /** Seconds since the epoch. */
  readonly approvedAt: number;
}

export interface ApprovalStore {
  add(authorizationId: number, organizationId: number, at: number): void;
  remove(authorizationId: number, organizationId: number): void;
  has(authorizationId: number, organizationId: number): boolean;
  /** Those of an account's tokens, by token and organization; at most `limit`. */
  list(accountId: number, limit: number): readonly ApprovalRecord[];
}

export function createApprovalStore(database: Database): ApprovalStore {
  const add = database.prepare(
    `INSERT INTO approvals (authorization_id, organization_id, approved_at) VALUES (?, ?, ?)
     ON CONFLICT (authorization_id, organization_id) DO NOTHING`,
  );
  const remove = database.prepare("DELETE FROM approvals WHERE authorization_id = ? AND organization_id = ?");
  const one = database.prepare("SELECT 1 FROM approvals WHERE authorization_id = ? AND organization_id = ?");
  const list = database.prepare<ApprovalRecord>(
    `SELECT a.id AS authorizationId, a.note, a.token_last_eight AS tokenLastEight, o.id AS organizationId,
       o.login AS organizationLogin, v.approved_at AS approvedAt
     FROM approvals AS v JOIN authorizations AS a ON a.id = v.authorization_id
       JOIN organizations AS o ON o.id = v.organization_id
     WHERE a.account_id = ? ORDER BY a.id, o.id LIMIT ?`,
  );
  return {
    add: (authorizationId, organizationId, at) => void add.run(authorizationId, organizationId, at),
    remove: (authorizationId, organizationId) => void remove.run(authorizationId, organizationId),
    has: (authorizationId, organizationId) => one.first(authorizationId, organizationId) !== undefined,
    list: (accountId, limit) =>
      list.all(accountId, limit).map((row) => ({ ...row, note: decodeText(row.note) })),
  };
}
