// Applications, authorizations (tokens with their metadata), and the grants derived from them.
//
// Invariant (the specification, 1 and 3): a grant exists exactly while its application holds a token of the account. It
// begins with the application's first token and ends with its last. Its scopes are the union of its tokens' scopes, in
// the order in which they were first granted, and are computed when the grant is read.
//
// To keep this invariant, authorizations and grants are written only through `access`. Its methods must run inside a
// transaction that the caller opens, because the caller's checks belong in the same one. Times are whole seconds since
// the epoch.
import { cacheFound, type Database, decodeText, encodeText, existing, type Query } from "./database.ts";

export function createAccessStore(database: Database) {
  const applications = createApplicationStore(database);
  return {
    applications,
    authorizations: createAuthorizationStore(database, applications),
    grants: createGrantStore(database, applications),
    access: createAccess(database),
  };
}

/** All writes. Every method must run inside a transaction. */
function createAccess(database: Database) {
  const insert = database.prepare(
    `INSERT INTO authorizations (account_id, application_id, token_hash, token_last_eight, note, note_url,
       fingerprint, scopes, created_at, updated_at, expires_at, refreshes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = database.prepare(
    `UPDATE authorizations SET token_hash = ?, token_last_eight = ?, note = ?, note_url = ?, fingerprint = ?,
       scopes = ?, updated_at = ? WHERE id = ?`,
  );
  const remove = database.prepare("DELETE FROM authorizations WHERE id = ?");
  const removeAll = database.prepare(
    "DELETE FROM authorizations WHERE account_id = ? AND application_id = ?",
  );
  const beginGrant = database.prepare(
    `INSERT INTO grants (account_id, application_id, created_at, updated_at) VALUES (?1, ?2, ?3, max(?3, ?4))
     ON CONFLICT (account_id, application_id) DO UPDATE SET updated_at = max(updated_at, ?4)`,
  );
  const touchGrant = database.prepare(
    "UPDATE grants SET updated_at = max(updated_at, ?3) WHERE account_id = ?1 AND application_id = ?2",
  );
  const removeUnusedGrant = database.prepare(
    `DELETE FROM grants WHERE account_id = ?1 AND application_id = ?2
     AND NOT EXISTS (SELECT 1 FROM authorizations WHERE account_id = ?1 AND application_id = ?2)`,
  );
  const removeGrant = database.prepare("DELETE FROM grants WHERE account_id = ? AND application_id = ?");

  return {
    /** Adds a token, and the grant if it is the application's first. Returns the authorization's ID. */
    add: (authorization: NewAuthorization): number => {
      const { accountId, application, createdAt, updatedAt } = authorization;
      const id = insert.run(
        accountId,
        application?.id ?? null,
        authorization.tokenHash,
        authorization.tokenLastEight,
        ...encodeTextColumns(authorization),
        createdAt,
        updatedAt,
        authorization.expiresAt,
        authorization.refreshes,
      );
      if (application !== null) beginGrant.run(accountId, application.id, createdAt, updatedAt);
      return id;
    },
    /** Writes all columns that can change, and updates the time of the grant. */
    change: (authorization: AuthorizationRecord): void => {
      const { id, accountId, application, updatedAt } = authorization;
      update.run(
        authorization.tokenHash,
        authorization.tokenLastEight,
        ...encodeTextColumns(authorization),
        updatedAt,
        id,
      );
      if (application !== null) touchGrant.run(accountId, application.id, updatedAt);
    },
    /** Deletes one token, and the grant if it was the application's last. */
    removeAuthorization: ({ id, accountId, application }: AuthorizationRecord, at: number): void => {
      remove.run(id);
      if (application === null) return;
      touchGrant.run(accountId, application.id, at);
      removeUnusedGrant.run(accountId, application.id);
    },
    /** Deletes the grant and all tokens that the application holds for the account. */
    removeGrant: (accountId: number, applicationId: number): void => {
      removeAll.run(accountId, applicationId);
      removeGrant.run(accountId, applicationId);
    },
  };
}

/** The columns that contain text from clients, in the order of the insert and the update. */
function encodeTextColumns({ note, noteUrl, fingerprint, scopes }: NewAuthorization) {
  return [encodeText(note), encodeText(noteUrl), encodeText(fingerprint), JSON.stringify(scopes)];
}

export interface ApplicationRecord {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly clientId: string;
  readonly clientSecretHash: string;
}

type ApplicationStore = ReturnType<typeof createApplicationStore>;

function createApplicationStore(database: Database) {
  const insert = database.prepare(
    "INSERT INTO applications (name, url, client_id, client_secret_hash) VALUES (?, ?, ?, ?)",
  );
  const select = `SELECT id, name, url, client_id AS clientId, client_secret_hash AS clientSecretHash
    FROM applications`;
  const byId = database.prepare<ApplicationRecord>(`${select} WHERE id = ?`);
  const byClientId = database.prepare<ApplicationRecord>(`${select} WHERE client_id = ?`);
  return {
    insert: (application: Omit<ApplicationRecord, "id">): ApplicationRecord => {
      const { name, url, clientId, clientSecretHash } = application;
      return { id: insert.run(name, url, clientId, clientSecretHash), ...application };
    },
    /** The application that another record refers to. */
    get: cacheFound((id: number) => existing(byId.first(id))),
    findByClientId: cacheFound((clientId: string) => byClientId.first(clientId)),
  };
}

export interface GrantRecord {
  readonly id: number;
  readonly application: ApplicationRecord;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

function createGrantStore(database: Database, applications: ApplicationStore) {
  type Row = Omit<GrantRecord, "application" | "scopes"> & { readonly applicationId: number };
  const select = (condition: string) =>
    database.prepare<Row>(
      `SELECT id, application_id AS applicationId, created_at AS createdAt, updated_at AS updatedAt
       FROM grants WHERE ${condition}`,
    );
  const byId = select("account_id = ? AND id = ?");
  // One row per distinct set of scopes: reading each of a hundred thousand similar tokens would be slow.
  const scopeSets = database.prepare<{ application_id: number; scopes: string }>(
    `SELECT application_id, scopes FROM authorizations
     WHERE account_id = ? AND application_id IN (SELECT value FROM json_each(?))
     GROUP BY application_id, scopes ORDER BY MIN(id)`,
  );

  function readRows(rows: readonly Row[], accountId: number): GrantRecord[] {
    const unions = new Map(rows.map((row) => [row.applicationId, new Set<string>()]));
    for (const set of scopeSets.all(accountId, JSON.stringify([...unions.keys()]))) {
      for (const scope of JSON.parse(set.scopes) as string[]) unions.get(set.application_id)?.add(scope);
    }
    return rows.map(({ applicationId, ...row }) => ({
      ...row,
      application: applications.get(applicationId),
      scopes: [...(unions.get(applicationId) ?? [])],
    }));
  }

  return {
    find: (accountId: number, id: number): GrantRecord | undefined => {
      const row = byId.first(accountId, id);
      return row === undefined ? undefined : readRows([row], accountId)[0];
    },
    of: createLists(database, "grants", select, readRows),
  };
}

/** One token with its metadata. `tokenHash` is lower-case hexadecimal SHA-256. */
export interface AuthorizationRecord {
  readonly id: number;
  readonly accountId: number;
  /** Null for a personal token. */
  readonly application: ApplicationRecord | null;
  readonly tokenHash: string;
  readonly tokenLastEight: string;
  readonly note: string | null;
  readonly noteUrl: string | null;
  readonly fingerprint: string | null;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Null for a token that does not expire. */
  readonly expiresAt: number | null;
  /** The ID of the access token that was issued with this refresh token; null for any other token. */
  readonly refreshes: number | null;
}

export type NewAuthorization = Omit<AuthorizationRecord, "id">;

/** Looks up each row's application in a cache: a join would transfer the same few texts with every row. */
function createAuthorizationStore(database: Database, applications: ApplicationStore) {
  interface Row extends Omit<AuthorizationRecord, "application" | "scopes"> {
    readonly applicationId: number | null;
    readonly scopes: string;
  }
  const select = (condition: string) =>
    database.prepare<Row>(
      `SELECT id, account_id AS accountId, application_id AS applicationId, token_hash AS tokenHash,
         token_last_eight AS tokenLastEight, note, note_url AS noteUrl, fingerprint, scopes,
         created_at AS createdAt, updated_at AS updatedAt, expires_at AS expiresAt, refreshes
       FROM authorizations WHERE ${condition}`,
    );
  const readRow = ({ applicationId, ...row }: Row): AuthorizationRecord => ({
    application: applicationId === null ? null : applications.get(applicationId),
    ...row,
    note: decodeText(row.note),
    noteUrl: decodeText(row.noteUrl),
    fingerprint: decodeText(row.fingerprint),
    scopes: JSON.parse(row.scopes) as string[],
  });
  /** Returns a function that finds the first authorization that meets the condition. */
  const finder = (condition: string) => {
    const query = select(`${condition} LIMIT 1`);
    return (...values: readonly (string | number | null)[]): AuthorizationRecord | undefined => {
      const row = query.first(...values);
      return row === undefined ? undefined : readRow(row);
    };
  };
  const byId = finder("id = ?");
  const byTokenHash = finder("token_hash = ?");
  const byFingerprint = finder("account_id = ? AND application_id IS ? AND fingerprint = ?");
  const byNote = finder("account_id = ? AND application_id IS NULL AND note = ?");
  const oldestWithoutFingerprint = finder(
    "account_id = ? AND application_id = ? AND fingerprint IS NULL ORDER BY id",
  );
  const oldest = finder(
    "id = (SELECT MIN(id) FROM authorizations WHERE account_id = ? AND application_id = ?)",
  );

  return {
    find: (id: number) => byId(id),
    findByTokenHash: (tokenHash: string) => byTokenHash(tokenHash),
    /** Searches one application's tokens, or personal tokens if `application` is null. */
    findByFingerprint: (accountId: number, application: ApplicationRecord | null, fingerprint: string) =>
      byFingerprint(accountId, application?.id ?? null, encodeText(fingerprint)),
    findPersonalByNote: (accountId: number, note: string) => byNote(accountId, encodeText(note)),
    /** The application's oldest authorization without a fingerprint; if there is none, its oldest. */
    findForApplication: (accountId: number, applicationId: number) =>
      oldestWithoutFingerprint(accountId, applicationId) ?? oldest(accountId, applicationId),
    of: createLists(database, "authorizations", select, (rows) => rows.map(readRow)),
  };
}

/** Returns a function that lists an account's rows by ascending ID: all, or those of one application. */
function createLists<Row, Each>(
  database: Database,
  table: "grants" | "authorizations",
  select: (condition: string) => Pick<Query<Row>, "all">,
  read: (rows: readonly Row[], accountId: number) => readonly Each[],
) {
  const prepare = (condition: string) => ({
    counting: database.prepare<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table} WHERE ${condition}`),
    listing: select(`${condition} ORDER BY id LIMIT ? OFFSET ?`),
  });
  const ofAccount = prepare("account_id = ?");
  const ofApplication = prepare("account_id = ? AND application_id = ?");
  return (accountId: number, applicationId: number | null = null) => {
    const { counting, listing } = applicationId === null ? ofAccount : ofApplication;
    const values = applicationId === null ? [accountId] : [accountId, applicationId];
    return {
      count: () => counting.first(...values)?.n ?? 0,
      list: (limit: number, offset: number) => read(listing.all(...values, limit, offset), accountId),
    };
  };
}
