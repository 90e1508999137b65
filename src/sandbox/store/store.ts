// The sandbox's store: its tables, their version, and the queries for accounts, approvals and comments. The other
// queries are in `access.ts`.
//
// | table          | contents                                                | rows are deleted              |
// | -------------- | ------------------------------------------------------- | ----------------------------- |
// | accounts       | who can log in                                          | never; they never change      |
// | applications   | who can hold tokens                                     | never; they never change      |
// | authorizations | tokens with their metadata                              | with the token                |
// | grants         | which application has access to an account              | with its last token           |
// | approvals      | which personal token may access an organization         | with the token, or by an owner|
// | comments       | comments written by accounts; the others are generated  | never                         |
//
// No column can be used as a secret: tokens and client secrets are stored as SHA-256 hashes, passwords as scrypt
// hashes, and the secret of one-time passwords is not stored here. Times are whole seconds since the epoch.
//
// `openStore` creates the tables of a new store, upgrades stores of earlier releases, and rejects any other version.
import { SandboxUnavailable } from "../sandbox-unavailable.ts";
import { createAccessStore } from "./access.ts";
import { cacheFound, type Database, decodeText, encodeText, existing, openDatabase } from "./database.ts";

export { startFailure } from "./database.ts";

export type Store = ReturnType<typeof openStore>;

/** Opens the store in a file, or in memory for null. Throws SandboxUnavailable if it cannot be used. */
export function openStore(file: string | null) {
  const database = openDatabase(file ?? ":memory:");
  try {
    prepareSchema(database);
    return {
      accounts: createAccountStore(database),
      ...createAccessStore(database),
      approvals: createApprovalStore(database),
      comments: createCommentStore(database),
      transaction: database.transaction,
      settled: database.settled,
      close: database.close,
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
  updated_at INTEGER NOT NULL,
  -- Null for a token that does not expire.
  expires_at INTEGER,
  -- The ID of the access token that was issued with a refresh token; null for any other token. IDs are never reused.
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
-- An approval belongs to a token and is deleted with it; IDs are never reused.
CREATE TABLE approvals (
  authorization_id INTEGER NOT NULL REFERENCES authorizations (id) ON DELETE CASCADE,
  organization_id INTEGER NOT NULL,
  approved_at INTEGER NOT NULL,
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

const schemaVersion = 5;

const since4 = "ALTER TABLE authorizations ADD COLUMN refreshes INTEGER;";

const since2 = "ALTER TABLE authorizations ADD COLUMN expires_at INTEGER;";

/** Upgrades by the version found: 0 is an empty store, 2 is of 0.1.0, 4 of 0.2.0. Others were never released. */
const upgrades: ReadonlyMap<number, string> = new Map([
  [0, tables],
  [2, since2 + since4],
  [4, since4],
]);

/** Creates or upgrades the tables. Throws SandboxUnavailable for an unknown version. */
function prepareSchema(database: Database): void {
  const found = database.prepare<{ user_version: number }>("PRAGMA user_version").first()?.user_version ?? 0;
  if (found === schemaVersion) return;
  const upgrade = upgrades.get(found);
  if (upgrade === undefined) {
    throw new SandboxUnavailable(`the store is of version ${found}, this sandbox reads ${schemaVersion}`);
  }
  database.transaction(() => database.execute(`${upgrade} PRAGMA user_version = ${schemaVersion};`));
}

/** The salt and the hash are scrypt's, in hexadecimal. */
export interface AccountRecord {
  readonly id: number;
  readonly login: string;
  readonly passwordSalt: string;
  readonly passwordHash: string;
}

function createAccountStore(database: Database) {
  const insert = database.prepare(
    "INSERT INTO accounts (login, password_salt, password_hash) VALUES (?, ?, ?)",
  );
  const select =
    "SELECT id, login, password_salt AS passwordSalt, password_hash AS passwordHash FROM accounts";
  const byLogin = database.prepare<AccountRecord>(`${select} WHERE login = ?`);
  const byId = database.prepare<AccountRecord>(`${select} WHERE id = ?`);
  const any = database.prepare<{ id: number }>("SELECT id FROM accounts LIMIT 1");
  return {
    insert: ({ login, passwordSalt, passwordHash }: Omit<AccountRecord, "id">) =>
      insert.run(login, passwordSalt, passwordHash),
    findByLogin: cacheFound((login: string) => byLogin.first(login)),
    /** The account that another record refers to. */
    get: cacheFound((id: number) => existing(byId.first(id))),
    isEmpty: () => any.first() === undefined,
  };
}

function createApprovalStore(database: Database) {
  const add = database.prepare(
    `INSERT INTO approvals (authorization_id, organization_id, approved_at) VALUES (?, ?, ?)
     ON CONFLICT (authorization_id, organization_id) DO NOTHING`,
  );
  const one = database.prepare("SELECT 1 FROM approvals WHERE authorization_id = ? AND organization_id = ?");
  return {
    add: (authorizationId: number, organizationId: number, at: number) =>
      void add.run(authorizationId, organizationId, at),
    has: (authorizationId: number, organizationId: number) =>
      one.first(authorizationId, organizationId) !== undefined,
  };
}

/** A comment on an issue or a pull request. */
export interface CommentRecord {
  readonly id: number;
  readonly issueId: number;
  readonly accountId: number;
  readonly body: string;
  readonly createdAt: number;
}

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
