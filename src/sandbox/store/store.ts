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
// The store is in memory. Secrets are stored as SHA-256 hashes. Times are whole seconds since the epoch.
import { createAccessStore } from "./access.ts";
import { cacheFound, type Database, decodeText, encodeText, existing, openDatabase } from "./database.ts";

export type Store = ReturnType<typeof openStore>;

export function openStore() {
  const database = openDatabase(tables);
  return {
    accounts: createAccountStore(database),
    ...createAccessStore(database),
    approvals: createApprovalStore(database),
    comments: createCommentStore(database),
    transaction: database.transaction,
    close: database.close,
  };
}

const tables = `
CREATE TABLE accounts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  login TEXT NOT NULL UNIQUE,
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

export interface AccountRecord {
  readonly id: number;
  readonly login: string;
  readonly passwordHash: string;
}

function createAccountStore(database: Database) {
  const insert = database.prepare("INSERT INTO accounts (login, password_hash) VALUES (?, ?)");
  const select = "SELECT id, login, password_hash AS passwordHash FROM accounts";
  const byLogin = database.prepare<AccountRecord>(`${select} WHERE login = ?`);
  const byId = database.prepare<AccountRecord>(`${select} WHERE id = ?`);
  return {
    insert: ({ login, passwordHash }: Omit<AccountRecord, "id">) => insert.run(login, passwordHash),
    findByLogin: cacheFound((login: string) => byLogin.first(login)),
    /** The account that another record refers to. */
    get: cacheFound((id: number) => existing(byId.first(id))),
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
