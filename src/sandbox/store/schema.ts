// The tables. Owns their shape and version, and takes a store of 0.1.0 to the present one. Nothing in them is usable as
// a secret: tokens and client secrets are SHA-256 sums, passwords scrypt's, and what a one-time password is made from
// is not here at all.
import { SandboxUnavailable } from "../sandbox-unavailable.ts";
import type { Database } from "./database.ts";

// Text that clients chose is stored as JSON strings: SQLite's text ends at NUL and cannot hold lone surrogates.
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
  expires_at INTEGER
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
-- An approval is the token's: it goes away with its row, and a row is never used for another token.
CREATE TABLE approvals (
  authorization_id INTEGER NOT NULL REFERENCES authorizations (id) ON DELETE CASCADE,
  organization_id INTEGER NOT NULL,
  approved_at INTEGER NOT NULL,
  -- Null for an approval that was not made use of yet.
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

const version = 4;

/** The version that 0.1.0 wrote, with a table of the organizations; those between were never released. */
const firstVersion = 2;

const sinceFirst = `
ALTER TABLE authorizations ADD COLUMN expires_at INTEGER;
ALTER TABLE approvals ADD COLUMN used_at INTEGER;
`;

/** Gives a new database its tables, and one of 0.1.0 what is missing. Throws SandboxUnavailable for any other version. */
export function prepareSchema(database: Database): void {
  const found = database.prepare<{ user_version: number }>("PRAGMA user_version").first()?.user_version ?? 0;
  if (found === version) return;
  if (found !== 0 && found !== firstVersion) {
    throw new SandboxUnavailable(`the store is of version ${found}, this sandbox reads ${version}`);
  }
  const missing = found === 0 ? tables : sinceFirst;
  database.transaction(() => database.execute(`${missing} PRAGMA user_version = ${version};`));
}
