// One SQLite database, in memory or in a file that this process owns until it closes the database or ends. Tables and
// queries are in other modules.
//
// Transactions share a commit, because waiting for the disk takes longer than everything else about a request. The
// first transaction in a turn of the event loop begins one in SQLite, later ones in the same turn join it, and the next
// turn commits it.
//
//   begin (first transaction) -> open (others join) -> commit in the next turn -> settled
//                                     | work throws after a write, or the commit fails
//                                     v
//                                   rolled back: all transactions that share the commit; `settled` rejects
//
// Invariant: no response may report anything written or read before `settled` resolves.
//
// The driver transfers rows, values and names slowly, so a result is transferred as one JSON text. Text from clients is
// stored as a JSON string (`encodeText`), because SQLite's text ends at NUL and cannot contain lone surrogates.
import { setImmediate as nextTurn } from "node:timers/promises";
import Libsql from "libsql";
import { SandboxUnavailable } from "../sandbox-unavailable.ts";

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
  execute(sql: string): void;
  /**
   * Runs synchronous work as one transaction. If it throws after a write, everything that shares the commit is rolled
   * back, and `settled` rejects.
   */
  readonly transaction: <Result>(work: () => Result) => Result;
  /** Resolves when every transaction is on disk; rejects if one was rolled back. */
  readonly settled: () => Promise<void>;
  readonly close: () => void;
}

/** Long enough for another process that is about to close the file. */
const lockTimeoutMs = 100;

/**
 * Opens the database and locks its file until `close` or the end of the process. Throws SandboxUnavailable if another
 * process has locked it, or if the file is not a database.
 */
export function openDatabase(file: string): Database {
  const connection = connect(file);
  let writes = 0;
  const transactions = createTransactions(connection, () => writes);
  return {
    prepare: <Row>(sql: string) => prepareQuery<Row>(connection, sql, () => (writes += 1)),
    execute: (sql) => {
      writes += 1;
      connection.exec(sql);
    },
    transaction: transactions.run,
    settled: transactions.settled,
    close: () => {
      try {
        transactions.commitNow();
      } finally {
        closeConnection(connection);
      }
    },
  };
}

function connect(file: string): Libsql.Database {
  try {
    const connection = new Libsql(file, { timeout: lockTimeoutMs });
    try {
      // Set before WAL: the lock is then held permanently, and no shared memory file is needed.
      connection.exec("PRAGMA locking_mode = EXCLUSIVE");
      connection.exec("PRAGMA journal_mode = WAL");
      connection.exec("PRAGMA synchronous = FULL");
      // On macOS, fsync alone does not flush the drive's cache.
      connection.exec("PRAGMA fullfsync = ON");
      connection.exec("PRAGMA foreign_keys = ON");
      connection.exec("BEGIN IMMEDIATE");
      connection.exec("COMMIT");
    } catch (error) {
      connection.close();
      throw error;
    }
    return connection;
  } catch (error) {
    throw new SandboxUnavailable(describeOpenFailure(file, error), { cause: error });
  }
}

function describeOpenFailure(file: string, error: unknown): string {
  const code = error instanceof Libsql.SqliteError ? error.code : "";
  if (code.startsWith("SQLITE_BUSY")) return `another sandbox is using ${file}`;
  if (code === "SQLITE_NOTADB" || code === "SQLITE_CORRUPT") return `${file} is not a sandbox's store`;
  return `${file} cannot be opened: ${error instanceof Error ? error.message : String(error)}`;
}

/** Converts SQLite's write errors, such as a full disk, to SandboxUnavailable; returns any other error unchanged. */
export function startFailure(file: string | null, error: unknown): unknown {
  return error instanceof Libsql.SqliteError
    ? new SandboxUnavailable(`${file ?? "the store"} cannot be written: ${error.message}`, { cause: error })
    : error;
}

/** Calls `make` when its value is first needed, and only once. */
function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

function prepareQuery<Row>(connection: Libsql.Database, sql: string, onWrite: () => void): Query<Row> {
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
    run: (...values) => {
      onWrite();
      return Number(statement().run(values).lastInsertRowid);
    },
  };
}

function closeConnection(connection: Libsql.Database): void {
  // The driver keeps the file open, and thus locked, until prepared statements are garbage-collected. Leaving WAL mode
  // checkpoints the log, and the first read in normal mode releases the lock.
  try {
    connection.exec("PRAGMA journal_mode = DELETE");
    connection.exec("PRAGMA locking_mode = NORMAL");
    connection.prepare("SELECT COUNT(*) FROM sqlite_master").get();
  } catch (error) {
    // On a full disk the log keeps the committed transactions; the next start reads it.
    if (!(error instanceof Libsql.SqliteError)) throw error;
  } finally {
    connection.close();
  }
}

/** `countWrites` returns the number of write statements so far. */
function createTransactions(
  connection: Pick<Libsql.Database, "exec" | "inTransaction">,
  countWrites: () => number,
) {
  let isOpen = false;
  let committed = Promise.resolve();

  function begin(): void {
    connection.exec("BEGIN IMMEDIATE");
    isOpen = true;
    committed = nextTurn().then(commit);
    // Callers of `settled` get the rejection; if there are none, it must not count as unhandled.
    committed.catch(() => undefined);
  }

  function commit(): void {
    if (!isOpen) return;
    isOpen = false;
    try {
      connection.exec("COMMIT");
    } catch (error) {
      rollBack();
      throw error;
    }
  }

  /** After some failures, such as a full disk, SQLite has already rolled back. */
  function rollBack(): void {
    if (connection.inTransaction) connection.exec("ROLLBACK");
  }

  return {
    run: <Result>(work: () => Result): Result => {
      if (!isOpen) begin();
      else if (!connection.inTransaction) throw new Error("the transaction was undone");
      const before = countWrites();
      try {
        return work();
      } catch (error) {
        if (countWrites() !== before) rollBack();
        throw error;
      }
    },
    settled: (): Promise<void> => (isOpen ? committed : Promise.resolve()),
    /** Commits before the database is closed, when no caller is waiting. */
    commitNow: (): void => {
      // If the transaction was rolled back, its failure has been reported.
      isOpen &&= connection.inTransaction;
      commit();
    },
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
