// Organizations, and whether they enforce single sign-on. Every account is a member of each.
import type { Database } from "./database.ts";

export interface OrganizationRecord {
  readonly id: number;
  readonly login: string;
  readonly name: string;
  readonly enforcesSso: boolean;
}

export type OrganizationStore = ReturnType<typeof createOrganizationStore>;

interface Row extends Omit<OrganizationRecord, "enforcesSso"> {
  readonly enforcesSso: number;
}

const select = "SELECT id, login, name, enforces_sso AS enforcesSso FROM organizations";

export function createOrganizationStore(database: Database) {
  const insert = database.prepare(
    "INSERT INTO organizations (id, login, name, enforces_sso) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
  );
  const byId = database.prepare<Row>(`${select} WHERE id = ?`);
  const byLogin = database.prepare<Row>(`${select} WHERE login = ? COLLATE NOCASE`);
  const all = database.prepare<Row>(`${select} ORDER BY id`);
  return {
    /** Adds an organization, unless there is one with its id. */
    insert: ({ id, login, name, enforcesSso }: OrganizationRecord) =>
      void insert.run(id, login, name, enforcesSso ? 1 : 0),
    find: (id: number) => readOptional(byId.first(id)),
    /** In any case of its letters. */
    findByLogin: (login: string) => readOptional(byLogin.first(login)),
    /** By ascending id. */
    list: () => all.all().map(readRow),
  };
}

function readOptional(row: Row | undefined): OrganizationRecord | undefined {
  return row === undefined ? undefined : readRow(row);
}

function readRow(row: Row): OrganizationRecord {
  return { ...row, enforcesSso: row.enforcesSso === 1 };
}
