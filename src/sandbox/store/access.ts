// Applications, authorizations (tokens with their metadata), and the grants derived from them.
//
// Invariant (the specification, 1 and 3): a grant exists exactly while its application holds a token of the account. It
// begins with the application's first token and ends with its last. Its scopes are the union of its tokens' scopes, in
// the order in which they were first granted, and are computed when the grant is read.
//
// To keep this invariant, authorizations and grants are written only through `access`. Its methods must run inside a
// transaction that the caller opens, because the caller's checks belong in the same one. Times are whole seconds since
// the epoch.
import { type Database, decodeText, encodeText, cacheFound } from "./database.ts";

/** The public part: all queries, but only the writes that keep the invariant. */
export interface AccessStore {
  readonly applications: ApplicationStore;
  readonly authorizations: Omit<AuthorizationStore, "insert" | "update" | "remove" | "removeOfApplication">;
  readonly grants: Pick<GrantStore, "find" | "count" | "list">;
  readonly access: Access;
}

export function createAccessStore(database: Database): AccessStore {
  const applications = createApplicationStore(database);
  const authorizations = createAuthorizationStore(database, applications);
  const grants = createGrantStore(database);
  return { applications, authorizations, grants, access: createAccess(authorizations, grants) };
}

type Access = ReturnType<typeof createAccess>;

/** Every method must run inside a transaction. */
function createAccess(authorizations: AuthorizationStore, grants: GrantStore) {
  return {
    /** Adds a token, and the grant if it is the application's first. Returns the authorization's ID. */
    add: (authorization: NewAuthorization): number => {
      const id = authorizations.insert(authorization);
      const { accountId, applicationId, createdAt, updatedAt } = authorization;
      if (applicationId !== null) grants.begin(accountId, applicationId, createdAt, updatedAt);
      return id;
    },
    /** Writes a changed authorization, and updates the time of its grant. */
    change: (authorization: AuthorizationRecord): void => {
      authorizations.update(authorization);
      const { accountId, application, updatedAt } = authorization;
      if (application !== null) grants.touch(accountId, application.id, updatedAt);
    },
    /** Deletes one token, and the grant if it was the application's last. */
    removeAuthorization: ({ id, accountId, application }: AuthorizationRecord, at: number): void => {
      authorizations.remove(id);
      if (application === null) return;
      grants.touch(accountId, application.id, at);
      grants.removeUnused(accountId, application.id);
    },
    /** Deletes the grant and all tokens that the application holds for the account. */
    removeGrant: (accountId: number, applicationId: number): void => {
      authorizations.removeOfApplication(accountId, applicationId);
      grants.remove(accountId, applicationId);
    },
  };
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
    insert: ({ name, url, clientId, clientSecretHash }: Omit<ApplicationRecord, "id">) =>
      insert.run(name, url, clientId, clientSecretHash),
    find: cacheFound((id: number) => byId.first(id)),
    findByClientId: cacheFound((clientId: string) => byClientId.first(clientId)),
  };
}

export interface GrantRecord {
  readonly id: number;
  readonly applicationId: number;
  readonly application: { readonly name: string; readonly url: string; readonly clientId: string };
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

type GrantStore = ReturnType<typeof createGrantStore>;

type GrantRow = Omit<GrantRecord, "application" | "scopes"> & GrantRecord["application"];

function createGrantStore(database: Database) {
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
  const byId = database.prepare<GrantRow>(`${select} WHERE g.account_id = ? AND g.id = ?`);
  const count = database.prepare<{ n: number }>("SELECT COUNT(*) AS n FROM grants WHERE account_id = ?");
  const list = database.prepare<GrantRow>(`${select} WHERE g.account_id = ? ORDER BY g.id LIMIT ? OFFSET ?`);
  const ofApplication = database.prepare<GrantRow>(
    `${select} WHERE g.account_id = ? AND g.application_id = ? ORDER BY g.id LIMIT ? OFFSET ?`,
  );
  // One row per distinct set of scopes: reading each of a hundred thousand similar tokens would be slow.
  const scopeSets = database.prepare<{ application_id: number; scopes: string }>(
    `SELECT application_id, scopes FROM authorizations
     WHERE account_id = ? AND application_id IN (SELECT value FROM json_each(?))
     GROUP BY application_id, scopes ORDER BY MIN(id)`,
  );

  function withScopes(accountId: number, rows: readonly GrantRow[]): GrantRecord[] {
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
    /** Creates the grant, or updates the time of an existing one. */
    begin: (accountId: number, applicationId: number, createdAt: number, updatedAt: number) =>
      void begin.run(accountId, applicationId, createdAt, updatedAt),
    touch: (accountId: number, applicationId: number, at: number) =>
      void touch.run(accountId, applicationId, at),
    /** Deletes the grant if its application holds no more tokens. */
    removeUnused: (accountId: number, applicationId: number) =>
      void removeUnused.run(accountId, applicationId),
    remove: (accountId: number, applicationId: number) => void remove.run(accountId, applicationId),
    find: (accountId: number, id: number): GrantRecord | undefined => {
      const row = byId.first(accountId, id);
      return row === undefined ? undefined : withScopes(accountId, [row])[0];
    },
    /** Counts the account's grants; all of them if `applicationId` is null. */
    count: (accountId: number, applicationId: number | null) =>
      applicationId === null
        ? (count.first(accountId)?.n ?? 0)
        : ofApplication.all(accountId, applicationId, 1, 0).length,
    /** By ascending ID; all applications if `applicationId` is null. */
    list: (accountId: number, applicationId: number | null, limit: number, offset: number) =>
      withScopes(
        accountId,
        applicationId === null
          ? list.all(accountId, limit, offset)
          : ofApplication.all(accountId, applicationId, limit, offset),
      ),
  };
}

/** One token with its metadata. `tokenHash` is lower-case hexadecimal SHA-256. */
export interface AuthorizationRecord {
  readonly id: number;
  readonly accountId: number;
  /** Null for a personal token. */
  readonly application: AuthorizationApplication | null;
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

type AuthorizationApplication = Omit<ApplicationRecord, "clientSecretHash">;

export interface NewAuthorization extends Omit<AuthorizationRecord, "id" | "application"> {
  readonly applicationId: number | null;
}

type AuthorizationStore = ReturnType<typeof createAuthorizationStore>;

interface AuthorizationRow extends Omit<AuthorizationRecord, "application" | "scopes"> {
  readonly applicationId: number | null;
  readonly scopes: string;
}

/** Looks up each row's application in a cache: a join would transfer the same few texts with every row. */
function createAuthorizationStore(database: Database, applications: Pick<ApplicationStore, "find">) {
  const select = `SELECT id, account_id AS accountId, application_id AS applicationId, token_hash AS tokenHash,
    token_last_eight AS tokenLastEight, note, note_url AS noteUrl, fingerprint, scopes, created_at AS createdAt,
    updated_at AS updatedAt, expires_at AS expiresAt, refreshes FROM authorizations`;
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
  const count = database.prepare<{ n: number }>(
    "SELECT COUNT(*) AS n FROM authorizations WHERE account_id = ?",
  );
  const countOfApplication = database.prepare<{ n: number }>(
    "SELECT COUNT(*) AS n FROM authorizations WHERE account_id = ? AND application_id = ?",
  );
  const list = database.prepare<AuthorizationRow>(
    `${select} WHERE account_id = ? ORDER BY id LIMIT ? OFFSET ?`,
  );
  const listOfApplication = database.prepare<AuthorizationRow>(
    `${select} WHERE account_id = ? AND application_id = ? ORDER BY id LIMIT ? OFFSET ?`,
  );

  const applicationOf = (id: number): AuthorizationApplication => {
    const application = applications.find(id);
    if (application === undefined)
      throw new Error("an authorization without its application is in the store");
    return application;
  };
  const readRow = ({ applicationId, ...row }: AuthorizationRow): AuthorizationRecord => ({
    application: applicationId === null ? null : applicationOf(applicationId),
    ...row,
    note: decodeText(row.note),
    noteUrl: decodeText(row.noteUrl),
    fingerprint: decodeText(row.fingerprint),
    scopes: JSON.parse(row.scopes) as string[],
  });
  /** Returns a function that finds the first authorization that meets the condition. */
  const finder = (condition: string) => {
    const query = database.prepare<AuthorizationRow>(`${select} WHERE ${condition} LIMIT 1`);
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
    insert: (authorization: NewAuthorization) =>
      insert.run(
        authorization.accountId,
        authorization.applicationId,
        authorization.tokenHash,
        authorization.tokenLastEight,
        ...encodeTextColumns(authorization),
        authorization.createdAt,
        authorization.updatedAt,
        authorization.expiresAt,
        authorization.refreshes,
      ),
    /** Writes all columns that can change. */
    update: (authorization: AuthorizationRecord) => {
      update.run(
        authorization.tokenHash,
        authorization.tokenLastEight,
        ...encodeTextColumns(authorization),
        authorization.updatedAt,
        authorization.id,
      );
    },
    remove: (id: number) => void remove.run(id),
    removeOfApplication: (accountId: number, applicationId: number) =>
      void removeAll.run(accountId, applicationId),
    find: (id: number) => byId(id),
    findByTokenHash: (tokenHash: string) => byTokenHash(tokenHash),
    /** Searches one application's tokens, or personal tokens if `applicationId` is null. */
    findByFingerprint: (accountId: number, applicationId: number | null, fingerprint: string) =>
      byFingerprint(accountId, applicationId, encodeText(fingerprint)),
    findPersonalByNote: (accountId: number, note: string) => byNote(accountId, encodeText(note)),
    /** The application's oldest authorization without a fingerprint; if there is none, its oldest. */
    findForApplication: (accountId: number, applicationId: number) =>
      oldestWithoutFingerprint(accountId, applicationId) ?? oldest(accountId, applicationId),
    /** Counts the account's authorizations; all of them if `applicationId` is null. */
    count: (accountId: number, applicationId: number | null) =>
      (applicationId === null ? count.first(accountId) : countOfApplication.first(accountId, applicationId))
        ?.n ?? 0,
    /** By ascending ID; all applications if `applicationId` is null. */
    list: (accountId: number, applicationId: number | null, limit: number, offset: number) => {
      const rows =
        applicationId === null
          ? list.all(accountId, limit, offset)
          : listOfApplication.all(accountId, applicationId, limit, offset);
      return rows.map(readRow);
    },
  };
}

/** The columns that contain text from clients, in the order of the insert and the update. */
function encodeTextColumns({ note, noteUrl, fingerprint, scopes }: Omit<NewAuthorization, "applicationId">) {
  return [encodeText(note), encodeText(noteUrl), encodeText(fingerprint), JSON.stringify(scopes)];
}
