// The rows of authorizations: finding, listing, writing. Leaves to `access.ts` what a change of a token means for
// the grant of its application, so nobody else writes through this.
import { decodeText, encodeText } from "./chosen-text.ts";
import type { Database } from "./database.ts";

/** One token with its metadata. Times are seconds since the epoch; `tokenHash` is lower-case hexadecimal SHA-256. */
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
}

interface AuthorizationApplication {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly clientId: string;
}

export interface NewAuthorization extends Omit<AuthorizationRecord, "id" | "application"> {
  readonly applicationId: number | null;
}

export interface AuthorizationStore {
  insert(authorization: NewAuthorization): number;
  /** Writes everything that can change after creation. */
  update(authorization: AuthorizationRecord): void;
  remove(id: number): void;
  removeOfApplication(accountId: number, applicationId: number): void;
  find(id: number): AuthorizationRecord | undefined;
  findByTokenHash(tokenHash: string): AuthorizationRecord | undefined;
  /** Among the tokens of one application, or among the personal ones. */
  findByFingerprint(
    accountId: number,
    applicationId: number | null,
    fingerprint: string,
  ): AuthorizationRecord | undefined;
  findPersonalByNote(accountId: number, note: string): AuthorizationRecord | undefined;
  /** The oldest of an application without a fingerprint, else the oldest. */
  findForApplication(accountId: number, applicationId: number): AuthorizationRecord | undefined;
  /** Of the account, or only of one application that it uses. */
  count(accountId: number, applicationId: number | null): number;
  /** The same, by ascending id. */
  list(accountId: number, applicationId: number | null, limit: number, offset: number): AuthorizationRecord[];
}

interface Row {
  readonly id: number;
  readonly account_id: number;
  readonly application_id: number | null;
  readonly application_name: string;
  readonly application_url: string;
  readonly client_id: string;
  readonly token_hash: string;
  readonly token_last_eight: string;
  readonly note: string | null;
  readonly note_url: string | null;
  readonly fingerprint: string | null;
  readonly scopes: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly expires_at: number | null;
}

const selectFrom = (source: string): string => `
  SELECT a.id, a.account_id, a.application_id, p.name AS application_name, p.url AS application_url, p.client_id,
    a.token_hash, a.token_last_eight, a.note, a.note_url, a.fingerprint, a.scopes, a.created_at, a.updated_at,
    a.expires_at
  FROM ${source} AS a LEFT JOIN applications AS p ON p.id = a.application_id`;

export function createAuthorizationStore(database: Database): AuthorizationStore {
  const select = selectFrom("authorizations");
  // The page is cut before the join, so that skipped rows cost no look-up.
  const page = "(SELECT * FROM authorizations WHERE account_id = ? ORDER BY id LIMIT ? OFFSET ?)";
  const pageOfApplication =
    "(SELECT * FROM authorizations WHERE account_id = ? AND application_id = ? ORDER BY id LIMIT ? OFFSET ?)";
  const insert = database.prepare(
    `INSERT INTO authorizations (account_id, application_id, token_hash, token_last_eight, note, note_url,
       fingerprint, scopes, created_at, updated_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = database.prepare(
    `UPDATE authorizations SET token_hash = ?, token_last_eight = ?, note = ?, note_url = ?, fingerprint = ?,
       scopes = ?, updated_at = ? WHERE id = ?`,
  );
  const remove = database.prepare("DELETE FROM authorizations WHERE id = ?");
  const removeAll = database.prepare(
    "DELETE FROM authorizations WHERE account_id = ? AND application_id = ?",
  );
  const byId = database.prepare<Row>(`${select} WHERE a.id = ?`);
  const byTokenHash = database.prepare<Row>(`${select} WHERE a.token_hash = ?`);
  const byFingerprint = database.prepare<Row>(
    `${select} WHERE a.account_id = ? AND a.application_id IS ? AND a.fingerprint = ? LIMIT 1`,
  );
  const byNote = database.prepare<Row>(
    `${select} WHERE a.account_id = ? AND a.application_id IS NULL AND a.note = ? LIMIT 1`,
  );
  const withoutFingerprint = database.prepare<Row>(
    `${select} WHERE a.account_id = ? AND a.application_id = ? AND a.fingerprint IS NULL ORDER BY a.id LIMIT 1`,
  );
  const oldest = database.prepare<Row>(
    `${select} WHERE a.id = (SELECT MIN(id) FROM authorizations WHERE account_id = ? AND application_id = ?)`,
  );
  const count = database.prepare<{ n: number }>(
    "SELECT COUNT(*) AS n FROM authorizations WHERE account_id = ?",
  );
  const countOfApplication = database.prepare<{ n: number }>(
    "SELECT COUNT(*) AS n FROM authorizations WHERE account_id = ? AND application_id = ?",
  );
  const list = database.prepare<Row>(`${selectFrom(page)} ORDER BY a.id`);
  const listOfApplication = database.prepare<Row>(`${selectFrom(pageOfApplication)} ORDER BY a.id`);

  return {
    insert: (authorization) =>
      insert.run(
        authorization.accountId,
        authorization.applicationId,
        authorization.tokenHash,
        authorization.tokenLastEight,
        encodeText(authorization.note),
        encodeText(authorization.noteUrl),
        encodeText(authorization.fingerprint),
        JSON.stringify(authorization.scopes),
        authorization.createdAt,
        authorization.updatedAt,
        authorization.expiresAt,
      ),
    update: (authorization) => {
      update.run(
        authorization.tokenHash,
        authorization.tokenLastEight,
        encodeText(authorization.note),
        encodeText(authorization.noteUrl),
        encodeText(authorization.fingerprint),
        JSON.stringify(authorization.scopes),
        authorization.updatedAt,
        authorization.id,
      );
    },
    remove: (id) => void remove.run(id),
    removeOfApplication: (accountId, applicationId) => void removeAll.run(accountId, applicationId),
    find: (id) => readOptional(byId.first(id)),
    findByTokenHash: (tokenHash) => readOptional(byTokenHash.first(tokenHash)),
    findByFingerprint: (accountId, applicationId, fingerprint) =>
      readOptional(byFingerprint.first(accountId, applicationId, encodeText(fingerprint))),
    findPersonalByNote: (accountId, note) => readOptional(byNote.first(accountId, encodeText(note))),
    findForApplication: (accountId, applicationId) =>
      readOptional(
        withoutFingerprint.first(accountId, applicationId) ?? oldest.first(accountId, applicationId),
      ),
    count: (accountId, applicationId) =>
      (applicationId === null ? count.first(accountId) : countOfApplication.first(accountId, applicationId))
        ?.n ?? 0,
    list: (accountId, applicationId, limit, offset) =>
      (applicationId === null
        ? list.all(accountId, limit, offset)
        : listOfApplication.all(accountId, applicationId, limit, offset)
      ).map(readRow),
  };
}

function readOptional(row: Row | undefined): AuthorizationRecord | undefined {
  return row === undefined ? undefined : readRow(row);
}

function readRow(row: Row): AuthorizationRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    application:
      row.application_id === null
        ? null
        : {
            id: row.application_id,
            name: row.application_name,
            url: row.application_url,
            clientId: row.client_id,
          },
    tokenHash: row.token_hash,
    tokenLastEight: row.token_last_eight,
    note: decodeText(row.note),
    noteUrl: decodeText(row.note_url),
    fingerprint: decodeText(row.fingerprint),
    scopes: JSON.parse(row.scopes) as string[],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    expiresAt: row.expires_at,
  };
}
