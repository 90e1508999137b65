// The rows of grants, one for each account and application, with the union of their tokens' scopes. `access.ts` decides
// when a grant begins and ends.
import type { Database } from "./database.ts";

/** A grant. Times are seconds since the epoch; `scopes` are in the order in which they were first given. */
export interface GrantRecord {
  readonly id: number;
  readonly applicationId: number;
  readonly application: { readonly name: string; readonly url: string; readonly clientId: string };
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type GrantStore = ReturnType<typeof createGrantStore>;

type Row = Omit<GrantRecord, "application" | "scopes"> & GrantRecord["application"];

/** The rows of grants. Times are whole seconds since the epoch. */
export function createGrantStore(database: Database) {
  const select = `SELECT g.id, g.application_id AS applicationId, p.name, p.url, p.client_id AS clientId,
      g.created_at AS createdAt, g.updated_at AS updatedAt
    FROM grants AS g JOIN applications AS p ON p.id = g.application_id`;
  const begin = database.prepare(
    `INSERT INTO grants (account_id, application_id, created_at, updated_at) VALUES (?1, ?2, ?3, max(?3, ?4))
     ON CONFLICT (account_id, application_id) DO UPDATE SET updated_at = max(updated_at, ?4)`,
  );
  const touch = database.prepare(
    "UPDATE grants SET updated_at = max(updated_at, ?3) WHERE account_id = ?1 AND application_id = ?2",
  );
  const removeUnused = database.prepare(
    `DELETE FROM grants WHERE account_id = ?1 AND application_id = ?2
     AND NOT EXISTS (SELECT 1 FROM authorizations WHERE account_id = ?1 AND application_id = ?2)`,
  );
  const remove = database.prepare("DELETE FROM grants WHERE account_id = ? AND application_id = ?");
  const byId = database.prepare<Row>(`${select} WHERE g.account_id = ? AND g.id = ?`);
  const count = database.prepare<{ n: number }>("SELECT COUNT(*) AS n FROM grants WHERE account_id = ?");
  const list = database.prepare<Row>(`${select} WHERE g.account_id = ? ORDER BY g.id LIMIT ? OFFSET ?`);
  const ofApplication = database.prepare<Row>(
    `${select} WHERE g.account_id = ? AND g.application_id = ? ORDER BY g.id LIMIT ? OFFSET ?`,
  );
  // One row for each different set of scopes, so that a hundred thousand like tokens are not read one by one.
  const scopeSets = database.prepare<{ application_id: number; scopes: string }>(
    `SELECT application_id, scopes FROM authorizations
     WHERE account_id = ? AND application_id IN (SELECT value FROM json_each(?))
     GROUP BY application_id, scopes ORDER BY MIN(id)`,
  );

  function withScopes(accountId: number, rows: readonly Row[]): GrantRecord[] {
    const unions = new Map(rows.map((row) => [row.applicationId, new Set<string>()]));
    for (const set of scopeSets.all(accountId, JSON.stringify([...unions.keys()]))) {
      for (const scope of JSON.parse(set.scopes) as string[]) unions.get(set.application_id)?.add(scope);
    }
    return rows.map(({ name, url, clientId, ...row }) => ({
      ...row,
      application: { name, url, clientId },
      scopes: [...(unions.get(row.applicationId) ?? [])],
    }));
  }

  return {
    /** Begins the grant, or marks the one that there is as changed. */
    begin: (accountId: number, applicationId: number, createdAt: number, updatedAt: number) =>
      void begin.run(accountId, applicationId, createdAt, updatedAt),
    touch: (accountId: number, applicationId: number, at: number) =>
      void touch.run(accountId, applicationId, at),
    /** Ends the grant if no token of the application is left. */
    removeUnused: (accountId: number, applicationId: number) =>
      void removeUnused.run(accountId, applicationId),
    remove: (accountId: number, applicationId: number) => void remove.run(accountId, applicationId),
    find: (accountId: number, id: number): GrantRecord | undefined => {
      const row = byId.first(accountId, id);
      return row === undefined ? undefined : withScopes(accountId, [row])[0];
    },
    /** How many grants the account has, to one application or, for null, to all. */
    count: (accountId: number, applicationId: number | null) =>
      applicationId === null
        ? (count.first(accountId)?.n ?? 0)
        : ofApplication.all(accountId, applicationId, 1, 0).length,
    /** Some of these grants, by ascending id. */
    list: (accountId: number, applicationId: number | null, limit: number, offset: number) =>
      withScopes(
        accountId,
        applicationId === null
          ? list.all(accountId, limit, offset)
          : ofApplication.all(accountId, applicationId, limit, offset),
      ),
  };
}
