// The rows of authorizations: finding, listing, writing. Leaves to `access.ts` what a change of a token means for
// the grant of its application, so nobody else writes through this.
import type { ApplicationRecord, ApplicationStore } from "./application-store.ts";
import { decodeText, encodeText } from "./chosen-text.ts";
import type { Database } from "./database.ts";
import { rememberRecords } from "./remembered-records.ts";

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

type AuthorizationApplication = Omit<ApplicationRecord, "clientSecretHash">;

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
  /** The same, by ascending id. One that was not changed since it was listed last is the same object as then. */
  list(
    accountId: number,
    applicationId: number | null,
    limit: number,
    offset: number,
  ): readonly AuthorizationRecord[];
}

interface Row {
  readonly id: number;
  readonly account_id: number;
  readonly application_id: number | null;
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

/** `applications` is asked for the application of each row: a join would hand the same few texts over with every one. */
export function createAuthorizationStore(
  database: Database,
  applications: Pick<ApplicationStore, "find">,
): AuthorizationStore {
  const select = "SELECT * FROM authorizations";
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
  const byId = database.prepare<Row>(`${select} WHERE id = ?`);
  const byTokenHash = database.prepare<Row>(`${select} WHERE token_hash = ?`);
  const byFingerprint = database.prepare<Row>(
    `${select} WHERE account_id = ? AND application_id IS ? AND fingerprint = ? LIMIT 1`,
  );
  const byNote = database.prepare<Row>(
    `${select} WHERE account_id = ? AND application_id IS NULL AND note = ? LIMIT 1`,
  );
  const withoutFingerprint = database.prepare<Row>(
    `${select} WHERE account_id = ? AND application_id = ? AND fingerprint IS NULL ORDER BY id LIMIT 1`,
  );
  const oldest = database.prepare<Row>(
    `${select} WHERE id = (SELECT MIN(id) FROM authorizations WHERE account_id = ? AND application_id = ?)`,
  );
  const count = database.prepare<{ n: number }>(
    "SELECT COUNT(*) AS n FROM authorizations WHERE account_id = ?",
  );
  const countOfApplication = database.prepare<{ n: number }>(
    "SELECT COUNT(*) AS n FROM authorizations WHERE account_id = ? AND application_id = ?",
  );
  const idsOf = database.prepare<{ id: number }>(
    "SELECT id FROM authorizations WHERE account_id = ? ORDER BY id LIMIT ? OFFSET ?",
  );
  const idsOfApplication = database.prepare<{ id: number }>(
    "SELECT id FROM authorizations WHERE account_id = ? AND application_id = ? ORDER BY id LIMIT ? OFFSET ?",
  );
  const byIds = database.prepare<Row>(`${select} WHERE id IN (SELECT value FROM json_each(?))`);

  const applicationOf = (id: number): AuthorizationApplication => {
    const application = applications.find(id);
    if (application === undefined)
      throw new Error("an authorization without its application is in the store");
    return application;
  };
  const readRow = (row: Row): AuthorizationRecord => ({
    id: row.id,
    accountId: row.account_id,
    application: row.application_id === null ? null : applicationOf(row.application_id),
    tokenHash: row.token_hash,
    tokenLastEight: row.token_last_eight,
    note: decodeText(row.note),
    noteUrl: decodeText(row.note_url),
    fingerprint: decodeText(row.fingerprint),
    scopes: JSON.parse(row.scopes) as string[],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    expiresAt: row.expires_at,
  });
  const listed = rememberRecords(
    (ids) => byIds.all(JSON.stringify(ids)).map(readRow),
    () => database.isInTransaction(),
  );
  const readOptional = (row: Row | undefined): AuthorizationRecord | undefined =>
    row === undefined ? undefined : readRow(row);

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
      listed.forget(authorization.id);
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
    remove: (id) => {
      listed.forget(id);
      remove.run(id);
    },
    removeOfApplication: (accountId, applicationId) => {
      listed.forgetAll();
      removeAll.run(accountId, applicationId);
    },
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
    list: (accountId, applicationId, limit, offset) => {
      const rows =
        applicationId === null
          ? idsOf.all(accountId, limit, offset)
          : idsOfApplication.all(accountId, applicationId, limit, offset);
      return listed.of(rows.map(({ id }) => id));
    },
  };
}
