// Organizations, and whether they enforce single sign-on. Every account is a member of each.
import type { Database } from "./database.ts";

export interface OrganizationRecord {
  readonly id: number;
  readonly login: string;
  readonly name: string;
  readonly enforcesSso: boolean;
}

export interface OrganizationStore {
  /** Adds an organization, unless there is one with its id. */
  insert(organization: OrganizationRecord): void;
  find(id: number): OrganizationRecord | undefined;
  /** In any case of its letters. */
  findByLogin(login: string): OrganizationRecord | undefined;
  /** By ascending id. */
  list(): readonly OrganizationRecord[];
}

interface Row extends Omit<OrganizationRecord, "enforcesSso"> {
  readonly enforcesSso: number;
}

const select = "SELECT id, login, name, enforces_sso AS enforcesSso FROM organizations";

export function createOrganizationStore(database: Database): OrganizationStore {
  const insert = database.prepare(
    "INSERT INTO organizations (id, login, name, enforces_sso) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
  );
  const byId = database.prepare<Row>(`${select} WHERE id = ?`);
  const byLogin = database.prepare<Row>(`${select} WHERE login = ? COLLATE NOCASE`);
  const all = database.prepare<Row>(`${select} ORDER BY id`);
  return {
    insert: ({ id, login, name, enforcesSso }) => void insert.run(id, login, name, enforcesSso ? 1 : 0),
    find: (id) => readOptional(byId.first(id)),
    findByLogin: (login) => readOptional(byLogin.first(login)),
    list: () => all.all().map(readRow),
  };
}

function readOptional(row: Row | undefined): OrganizationRecord | undefined {
  return row === undefined ? undefined : readRow(row);
}

function readRow(row: Row): OrganizationRecord {
  return { ...row, enforcesSso: row.enforcesSso === 1 };
}
