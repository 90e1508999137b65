// Applications: who holds tokens of accounts. Knows their secrets only as SHA-256 sums, in hexadecimal.
import type { Database } from "./database.ts";
import { rememberFound } from "./unchanging-rows.ts";

export interface ApplicationRecord {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly clientId: string;
  readonly clientSecretHash: string;
}

export type ApplicationStore = ReturnType<typeof createApplicationStore>;

/** The rows of applications, with the hashes of their secrets. */
export function createApplicationStore(database: Database) {
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
    find: rememberFound((id: number) => byId.first(id)),
    findByClientId: rememberFound((clientId: string) => byClientId.first(clientId)),
  };
}
