// The approvals of personal tokens for organizations. Rows are deleted with their token; single-sign-on.ts decides
// which tokens need an approval.
import { decodeText } from "./chosen-text.ts";
import type { Database } from "./database.ts";

/** An approval as the account's settings show it. */
export interface ApprovalRecord {
  readonly authorizationId: number;
  readonly note: string | null;
  readonly tokenLastEight: string;
  readonly organizationId: number;
  /** Seconds since the epoch. */
  readonly approvedAt: number;
}

/** An approval as the organization's owners see it. Times are seconds since the epoch. */
export interface OrganizationApprovalRecord {
  readonly authorizationId: number;
  readonly login: string;
  readonly tokenLastEight: string;
  readonly scopes: readonly string[];
  /** Null for a token that does not expire. */
  readonly expiresAt: number | null;
  readonly approvedAt: number;
  /** Null for an approval that was never used. */
  readonly usedAt: number | null;
}

export type ApprovalStore = ReturnType<typeof createApprovalStore>;

/** The rows of approvals. Times are whole seconds since the epoch. */
export function createApprovalStore(database: Database) {
  const add = database.prepare(
    `INSERT INTO approvals (authorization_id, organization_id, approved_at) VALUES (?, ?, ?)
     ON CONFLICT (authorization_id, organization_id) DO NOTHING`,
  );
  const remove = database.prepare("DELETE FROM approvals WHERE authorization_id = ? AND organization_id = ?");
  const one = database.prepare("SELECT 1 FROM approvals WHERE authorization_id = ? AND organization_id = ?");
  const use = database.prepare(
    "UPDATE approvals SET used_at = ? WHERE authorization_id = ? AND organization_id = ?",
  );
  const count = database.prepare<{ n: number }>(
    "SELECT COUNT(*) AS n FROM approvals WHERE organization_id = ?",
  );
  const listOfOrganization = database.prepare<
    Omit<OrganizationApprovalRecord, "scopes"> & { readonly scopes: string }
  >(
    `SELECT a.id AS authorizationId, u.login, a.token_last_eight AS tokenLastEight, a.scopes,
       a.expires_at AS expiresAt, v.approved_at AS approvedAt, v.used_at AS usedAt
     FROM approvals AS v JOIN authorizations AS a ON a.id = v.authorization_id
       JOIN accounts AS u ON u.id = a.account_id
     WHERE v.organization_id = ? ORDER BY a.id LIMIT ? OFFSET ?`,
  );
  const list = database.prepare<ApprovalRecord>(
    `SELECT a.id AS authorizationId, a.note, a.token_last_eight AS tokenLastEight,
       v.organization_id AS organizationId, v.approved_at AS approvedAt
     FROM approvals AS v JOIN authorizations AS a ON a.id = v.authorization_id
     WHERE a.account_id = ? ORDER BY a.id, v.organization_id LIMIT ?`,
  );
  return {
    add: (authorizationId: number, organizationId: number, at: number) =>
      void add.run(authorizationId, organizationId, at),
    remove: (authorizationId: number, organizationId: number) =>
      void remove.run(authorizationId, organizationId),
    has: (authorizationId: number, organizationId: number) =>
      one.first(authorizationId, organizationId) !== undefined,
    /** Writes down when the token was last used there. */
    use: (authorizationId: number, organizationId: number, at: number) =>
      void use.run(at, authorizationId, organizationId),
    countOfOrganization: (organizationId: number) => count.first(organizationId)?.n ?? 0,
    /** Those of an organization, by ascending token. */
    listOfOrganization: (
      organizationId: number,
      limit: number,
      offset: number,
    ): readonly OrganizationApprovalRecord[] =>
      listOfOrganization
        .all(organizationId, limit, offset)
        .map((row) => ({ ...row, scopes: JSON.parse(row.scopes) as string[] })),
    /** Those of an account's tokens, by token and organization; at most `limit`. */
    list: (accountId: number, limit: number): readonly ApprovalRecord[] =>
      list.all(accountId, limit).map((row) => ({ ...row, note: decodeText(row.note) })),
  };
}
