// Accounts: who may log in. Leaves the checking of passwords to the verifier; holds only what that needs.
import type { Database } from "./database.ts";
import { rememberFound } from "./unchanging-rows.ts";

/** An account. The salt and the hash are scrypt's, in hexadecimal. */
export interface AccountRecord {
  readonly id: number;
  readonly login: string;
  readonly passwordSalt: string;
  readonly passwordHash: string;
}

export type AccountStore = ReturnType<typeof createAccountStore>;

const columns = "id, login, password_salt AS passwordSalt, password_hash AS passwordHash";

/** The rows of accounts, with the salts and hashes of their passwords. */
export function createAccountStore(database: Database) {
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
