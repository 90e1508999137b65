// The store of the sandbox: its tables, their version, and the queries for accounts, approvals and comments. The other
// queries are in `access.ts`.
//
// | table          | holds                                                | rows end                    |
// | -------------- | ---------------------------------------------------- | --------------------------- |
// | accounts       | who may log in                                       | never; they never change    |
// | applications   | who may hold tokens                                  | never; they never change    |
// | authorizations | tokens with their metadata                           | with the token              |
// | grants         | which application has access to an account           | with its last token         |
// | approvals      | which personal token may use an organization         | with the token, or by a user|
// | comments       | comments that accounts wrote; others are generated   | never                       |
//
// No row can be used as a secret: tokens and client secrets are SHA-256 sums, passwords are scrypt's, and the secret of
// one-time passwords is not stored here. Times are whole seconds since the epoch.
//
// `openStore` creates the tables of a new store, adds what is missing to one of an earlier release, and rejects any
// other version.
import { SandboxUnavailable } from "../sandbox-unavailable.ts";
import { createAccessStore, type AccessStore } from "./access.ts";
import { decodeText, encodeText, openDatabase, rememberFound, type Database } from "./database.ts";

export { startFailure } from "./database.ts";

export interface Store extends AccessStore, Pick<Database, "transaction" | "settled" | "close"> {
  readonly accounts: AccountStore;
  readonly approvals: ApprovalStore;
  readonly comments: CommentStore;
}

/** Opens the store in a file, or in memory for null. Throws SandboxUnavailable when it cannot be used. */
export function openStore(file: string | null): Store {
  const database = openDatabase(file ?? ":memory:");
  try {
    prepareSchema(database);
    return {
      accounts: createAccountStore(database),
      ...createAccessStore(database),
      approvals: createApprovalStore(database),
      comments: createCommentStore(database),
      transaction: (work) => database.transaction(work),
      settled: () => database.settled(),
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

const tables = `
CREATE TABLE accounts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  login TEXT NOT NULL UNIQUE,
  password_salt TEXT NOT NULL,
  password_hash TEXT NOT NULL
);
CREATE TABLE applications (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  client_id TEXT NOT NULL UNIQUE,
  client_secret_hash TEXT NOT NULL
);
CREATE TABLE authorizations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  application_id INTEGER REFERENCES applications (id),
  token_hash TEXT NOT NULL UNIQUE,
  token_last_eight TEXT NOT NULL,
  note TEXT,
  note_url TEXT,
  fingerprint TEXT,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- "expires_at" is null for a token that does not expire. "refreshes" is the row of a refresh token's access token, and
  -- null for any other token; IDs are never used again.
  updated_at INTEGER NOT NULL,
  expires_at INTEGER,
  refreshes INTEGER
);
CREATE INDEX authorizations_by_account ON authorizations (account_id);
CREATE INDEX authorizations_by_application ON authorizations (account_id, application_id, fingerprint);
CREATE INDEX authorizations_by_scopes ON authorizations (account_id, application_id, scopes);
CREATE UNIQUE INDEX personal_notes ON authorizations (account_id, note) WHERE application_id IS NULL;
CREATE UNIQUE INDEX fingerprints ON authorizations (account_id, ifnull(application_id, 0), fingerprint)
  WHERE fingerprint IS NOT NULL;
CREATE TABLE grants (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  application_id INTEGER NOT NULL REFERENCES applications (id),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (account_id, application_id)
);
CREATE INDEX grants_by_account ON grants (account_id);
-- An approval belongs to the token: it is deleted with its row, and IDs are never used again.
CREATE TABLE approvals (
  authorization_id INTEGER NOT NULL REFERENCES authorizations (id) ON DELETE CASCADE,
  organization_id INTEGER NOT NULL,
  approved_at INTEGER NOT NULL,
  -- Null for an approval that was never used.
  used_at INTEGER,
  PRIMARY KEY (authorization_id, organization_id)
);
CREATE TABLE comments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  issue_id INTEGER NOT NULL,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX comments_by_issue ON comments (issue_id);
`;

const version = 5;

const sinceFourth = "ALTER TABLE authorizations ADD COLUMN refreshes INTEGER;";

const sinceSecond = `
ALTER TABLE authorizations ADD COLUMN expires_at INTEGER;
ALTER TABLE approvals ADD COLUMN used_at INTEGER;
`;

/**
 * The missing parts of a store, by its version: an empty one, and those of 0.1.0 and 0.2.0. Others were never released.
 */
const missingIn: ReadonlyMap<number, string> = new Map([
  [0, tables],
  [2, sinceSecond + sinceFourth],
  [4, sinceFourth],
]);

/** Adds what is missing in a database. Throws SandboxUnavailable for an unknown version. */
function prepareSchema(database: Database): void {
  const found = database.prepare<{ user_version: number }>("PRAGMA user_version").first()?.user_version ?? 0;
  if (found === version) return;
  const missing = missingIn.get(found);
  if (missing === undefined) {
    throw new SandboxUnavailable(`the store is of version ${found}, this sandbox reads ${version}`);
  }
  database.transaction(() => database.execute(`${missing} PRAGMA user_version = ${version};`));
}

/** An account. The salt and the hash are scrypt's, in hexadecimal. */
export interface AccountRecord {
  readonly id: number;
  readonly login: string;
  readonly passwordSalt: string;
  readonly passwordHash: string;
}

type AccountStore = ReturnType<typeof createAccountStore>;

const columns = "id, login, password_salt AS passwordSalt, password_hash AS passwordHash";

/** The rows of accounts, with the salts and hashes of their passwords. */
function createAccountStore(database: Database) {
  const insert = database.prepare(
    "INSERT INTO accounts (login, password_salt, password_hash) VALUES (?, ?, ?)",
  );
  const byLogin = database.prepare<AccountRecord>(`SELECT ${columns} FROM accounts WHERE login = ?`);
  const byId = database.prepare<AccountRecord>(`SELECT ${columns} FROM accounts WHERE id = ?`);
  const any = database.prepare<{ id: number }>("SELECT id FROM accounts LIMIT 1");
  return {
    insert: ({ login, passwordSalt, passwordHash }: Omit<AccountRecord, "id">) =>
      insert.run(login, passwordSalt, passwordHash),
    findByLogin: rememberFound((login: string) => byLogin.first(login)),
    find: rememberFound((id: number) => byId.first(id)),
    isEmpty: () => any.first() === undefined,
  };
}

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
function createApprovalStore(database: Database) {
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
    /** Records when the token was last used there. */
    use: (authorizationId: number, organizationId: number, at: number) =>
      void use.run(at, authorizationId, organizationId),
    countOfOrganization: (organizationId: number) => count.first(organizationId)?.n ?? 0,
    /** The approvals of an organization, by ascending token. */
    listOfOrganization: (
      organizationId: number,
      limit: number,
      offset: number,
    ): readonly OrganizationApprovalRecord[] =>
      listOfOrganization
        .all(organizationId, limit, offset)
        .map((row) => ({ ...row, scopes: JSON.parse(row.scopes) as string[] })),
    /** The approvals of an account's tokens, by token and organization; at most `limit`. */
    list: (accountId: number, limit: number): readonly ApprovalRecord[] =>
      list.all(accountId, limit).map((row) => ({ ...row, note: decodeText(row.note) })),
  };
}

/** A comment on an issue or a pull request. `createdAt` is in seconds since the epoch. */
export interface CommentRecord {
  readonly id: number;
  readonly issueId: number;
  readonly accountId: number;
  readonly body: string;
  readonly createdAt: number;
}

type CommentStore = ReturnType<typeof createCommentStore>;

/** The rows of comments, the oldest of an issue first. Times are whole seconds since the epoch. */
function createCommentStore(database: Database) {
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
      return row === undefined ? undefined : readComment(row);
    },
    /** By ascending ID. */
    list: (issueId: number, limit: number, offset: number) =>
      list.all(issueId, limit, offset).map(readComment),
  };
}

function readComment(row: CommentRecord): CommentRecord {
  return { ...row, body: decodeText(row.body) ?? "" };
}
