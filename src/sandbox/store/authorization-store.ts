// The rows of authorizations: finding, listing, writing. Only `access.ts` writes with it, because a change of a token
// may change the grant of its application.
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

export type AuthorizationStore = ReturnType<typeof createAuthorizationStore>;

interface Row extends Omit<AuthorizationRecord, "application" | "scopes"> {
  readonly applicationId: number | null;
  readonly scopes: string;
}

/**
 * `applications` is asked for the application of each row: a join would hand the same few texts over with every one.
 */
export function createAuthorizationStore(database: Database, applications: Pick<ApplicationStore, "find">) {
  const select = `SELECT id, account_id AS accountId, application_id AS applicationId, token_hash AS tokenHash,
    token_last_eight AS tokenLastEight, note, note_url AS noteUrl, fingerprint, scopes, created_at AS createdAt,
    updated_at AS updatedAt, expires_at AS expiresAt FROM authorizations`;
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
  const readRow = ({ applicationId, ...row }: Row): AuthorizationRecord => ({
    application: applicationId === null ? null : applicationOf(applicationId),
    ...row,
    note: decodeText(row.note),
    noteUrl: decodeText(row.noteUrl),
    fingerprint: decodeText(row.fingerprint),
    scopes: JSON.parse(row.scopes) as string[],
  });
  const listed = rememberRecords(
    (ids) => byIds.all(JSON.stringify(ids)).map(readRow),
    () => database.isInTransaction(),
  );
  /** Finds the first authorization for which the condition holds. */
  const finder = (condition: string) => {
    const query = database.prepare<Row>(`${select} WHERE ${condition} LIMIT 1`);
    return (...values: readonly (string | number | null)[]): AuthorizationRecord | undefined => {
      const row = query.first(...values);
      return row === undefined ? undefined : readRow(row);
    };
  };
  const byId = finder("id = ?");
  const byTokenHash = finder("token_hash = ?");
  const byFingerprint = finder("account_id = ? AND application_id IS ? AND fingerprint = ?");
  const byNote = finder("account_id = ? AND application_id IS NULL AND note = ?");
  const plain = finder("account_id = ? AND application_id = ? AND fingerprint IS NULL ORDER BY id");
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
        ...textsOf(authorization),
        authorization.createdAt,
        authorization.updatedAt,
        authorization.expiresAt,
      ),
    /** Writes everything that can change after creation. */
    update: (authorization: AuthorizationRecord) => {
      listed.forget(authorization.id);
      update.run(
        authorization.tokenHash,
        authorization.tokenLastEight,
        ...textsOf(authorization),
        authorization.updatedAt,
        authorization.id,
      );
    },
    remove: (id: number) => {
      listed.forget(id);
      remove.run(id);
    },
    removeOfApplication: (accountId: number, applicationId: number) => {
      listed.forgetAll();
      removeAll.run(accountId, applicationId);
    },
    find: (id: number) => byId(id),
    findByTokenHash: (tokenHash: string) => byTokenHash(tokenHash),
    /** Among the tokens of one application, or among the personal ones. */
    findByFingerprint: (accountId: number, applicationId: number | null, fingerprint: string) =>
      byFingerprint(accountId, applicationId, encodeText(fingerprint)),
    findPersonalByNote: (accountId: number, note: string) => byNote(accountId, encodeText(note)),
    /** The oldest of an application without a fingerprint, else the oldest. */
    findForApplication: (accountId: number, applicationId: number) =>
      plain(accountId, applicationId) ?? oldest(accountId, applicationId),
    /** How many authorizations the account has, of one application or, for null, of all. */
    count: (accountId: number, applicationId: number | null) =>
      (applicationId === null ? count.first(accountId) : countOfApplication.first(accountId, applicationId))
        ?.n ?? 0,
    /** Some of these authorizations, by ascending id. One that was not changed since it was listed last is the same object as then. */
    list: (accountId: number, applicationId: number | null, limit: number, offset: number) => {
      const rows =
        applicationId === null
          ? idsOf.all(accountId, limit, offset)
          : idsOfApplication.all(accountId, applicationId, limit, offset);
      return listed.of(rows.map(({ id }) => id));
    },
  };
}

/** What clients chose, as the columns of an insert and of an update have it. */
function textsOf({ note, noteUrl, fingerprint, scopes }: Omit<NewAuthorization, "applicationId">) {
  return [encodeText(note), encodeText(noteUrl), encodeText(fingerprint), JSON.stringify(scopes)];
}
