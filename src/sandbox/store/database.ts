// One SQLite database in memory. Tables and queries are in other modules.
//
// The driver transfers rows, values and names slowly, so a result is transferred as one JSON text. Text from clients is
// stored as a JSON string (`encodeText`), because SQLite's text ends at NUL and cannot contain lone surrogates.
import Libsql from "libsql";

type SqlValue = string | number | null;

/** A statement, prepared on first use. Nothing checks that `Row` matches the statement's columns. */
export interface Query<Row> {
  all(...values: readonly SqlValue[]): Row[];
  first(...values: readonly SqlValue[]): Row | undefined;
  /** Runs a write and returns the ID of the last inserted row. */
  run(...values: readonly SqlValue[]): number;
}

export interface Database {
  prepare<Row = never>(sql: string): Query<Row>;
  /** Runs synchronous work as one transaction; if it throws, its writes are rolled back. */
  readonly transaction: <Result>(work: () => Result) => Result;
  readonly close: () => void;
}

/** Opens a new database with these tables. */
export function openDatabase(tables: string): Database {
  const connection = new Libsql(":memory:");
  connection.exec("PRAGMA foreign_keys = ON");
  connection.exec(tables);
  return {
    prepare: <Row>(sql: string) => prepareQuery<Row>(connection, sql),
    transaction: (work) => {
      connection.exec("BEGIN");
      try {
        const result = work();
        connection.exec("COMMIT");
        return result;
      } catch (error) {
        connection.exec("ROLLBACK");
        throw error;
      }
    },
    close: () => void connection.close(),
  };
}

/** Calls `make` when its value is first needed, and only once. */
function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

function prepareQuery<Row>(connection: Libsql.Database, sql: string): Query<Row> {
  // Prepared on first use, because a sandbox for one script needs few statements.
  const statement = lazy(() => connection.prepare(sql));
  const names = lazy(() =>
    statement()
      .columns()
      .map(({ name }) => name),
  );
  const firstRow = lazy(() => statement().raw());
  // Returns one JSON text, with an array of values for each row.
  const allRows = lazy(() => {
    const columns = names()
      .map((name) => `"${name}"`)
      .join(", ");
    return connection.prepare(`SELECT json_group_array(json_array(${columns})) FROM (${sql})`).raw();
  });
  const toRow = (values: readonly SqlValue[]): Row => {
    const row: Record<string, SqlValue> = {};
    const columns = names();
    for (let index = 0; index < columns.length; index += 1) row[columns[index] ?? ""] = values[index] ?? null;
    return row as Row;
  };
  return {
    // Values are passed as one array: the driver reads a lone null argument as a set of named values.
    all: (...values) => {
      const [rows] = allRows().get(values) as [string];
      return (JSON.parse(rows) as SqlValue[][]).map(toRow);
    },
    first: (...values) => {
      const row = firstRow().get(values) as SqlValue[] | undefined;
      return row === undefined ? undefined : toRow(row);
    },
    run: (...values) => Number(statement().run(values).lastInsertRowid),
  };
}

/** Encodes text as a JSON string for storage; null stays null. */
export function encodeText(text: string | null): string | null {
  return text === null ? null : JSON.stringify(text);
}

export function decodeText(stored: string | null): string | null {
  if (stored === null) return null;
  // Most texts contain nothing that JSON escapes.
  return stored.includes("\\") ? (JSON.parse(stored) as string) : stored.slice(1, -1);
}

/**
 * Caches the rows that `find` returns, for tables whose rows never change and are never deleted. A missing row is not
 * cached, because it may be added later.
 */
export function cacheFound<Key extends string | number, Row>(find: (key: Key) => Row): (key: Key) => Row {
  const found = new Map<Key, Row>();
  return (key) => {
    const row = found.get(key) ?? find(key);
    if (row !== undefined) found.set(key, row);
    return row;
  };
}

/** A row that another one refers to. The database refuses to delete it. */
export function existing<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error("the store lacks a row that another one refers to");
  return row;
}
