// Applications: who holds tokens of accounts. Knows their secrets only as SHA-256 sums, in hexadecimal.
import type { Database } from "./database.ts";

export interface ApplicationRecord {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly clientId: string;
  readonly clientSecretHash: string;
}

export interface ApplicationStore {
  insert(application: Omit<ApplicationRecord, "id">): number;
  findByClientId(clientId: string): ApplicationRecord | undefined;
}

export function createApplicationStore(database: Database): ApplicationStore {
  const insert = database.prepare(
    "INSERT INTO applications (name, url, client_id, client_secret_hash) VALUES (?, ?, ?, ?)",
  );
  const byClientId = database.prepare<ApplicationRecord>(
    `SELECT id, name, url, client_id AS clientId, client_secret_hash AS clientSecretHash
     FROM applications WHERE client_id = ?`,
  );
  return {
    insert: ({ name, url, clientId, clientSecretHash }) => insert.run(name, url, clientId, clientSecretHash),
    findByClientId: (clientId) => byClientId.first(clientId),
  };
}
