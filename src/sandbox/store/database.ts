// One SQLite database, in memory or in a file that this process owns until it closes the file or ends. Tables and
// queries are elsewhere.
//
// Transactions share a commit. The first transaction of a turn of the event loop begins one in SQLite; those that
// follow in the same turn join it; it is committed in the next turn, because waiting for the disk takes longer than
// everything else about a request.
//
//   begin (first transaction) -> open (others join) -> commit in the next turn -> settled
//                                     | work throws after it has written something, or the commit fails
//                                     v
//                                   undone: everything that shares the commit; `settled` rejects
//
// Invariant: no response may report anything written or read before `settled` resolves.
//
// The driver is slow to pass rows, values and names, so all rows of a result are passed as one JSON text. Text that
// clients chose is stored as a JSON string (`encodeText`), because SQLite's text ends at NUL and cannot hold lone
// surrogates.
import { setImmediate as nextTurn } from "node:timers/promises";
import Libsql from "libsql";
import { SandboxUnavailable } from "../sandbox-unavailable.ts";

type SqlValue = string | number | null;

/** A statement, prepared when it is first used. `Row` is trusted: it states the columns that the statement names. */
interface Query<Row> {
  all(...values: readonly SqlValue[]): Row[];
  first(...values: readonly SqlValue[]): Row | undefined;
  /** Runs a write and returns the ID of the row it inserted last. */
  run(...values: readonly SqlValue[]): number;
}

export interface Database {
  prepare<Row = never>(sql: string): Query<Row>;
  execute(sql: string): void;
  /** Runs synchronous work as one transaction. Undone as a whole when the work throws. */
  transaction<Result>(work: () => Result): Result;
  /** True if a transaction is not on disk yet, so that what is read now may be undone. */
  isInTransaction(): boolean;
  /** Resolves when every transaction is on disk; rejects when one was undone. */
  settled(): Promise<void>;
  close(): void;
}

/** How long to wait for a file that another process may be about to close. */
const lockPatienceMs = 100;

/**
 * Opens the database and takes sole ownership of its file until `close`, or until the process ends in any way.
 * Throws SandboxUnavailable when another process owns it, or when the file is not a database.
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
    isInTransaction: transactions.isOpen,
    settled: transactions.settled,
    close: () => {
      try {
        transactions.end();
      } finally {
        closeConnection(connection);
      }
    },
  };
}

function connect(file: string): Libsql.Database {
  try {
    const connection = new Libsql(file, { timeout: lockPatienceMs });
    try {
      // Exclusive before WAL: the lock is then held permanently, and needs no shared memory file.
      connection.exec("PRAGMA locking_mode = EXCLUSIVE");
      connection.exec("PRAGMA journal_mode = WAL");
      connection.exec("PRAGMA synchronous = FULL");
      // macOS alone: its fsync leaves the drive's cache as it is.
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

/** The failure of a start whose file SQLite cannot write, as on a full disk; anything else as it is. */
export function startFailure(file: string | null, error: unknown): unknown {
  return error instanceof Libsql.SqliteError
    ? new SandboxUnavailable(`${file ?? "the store"} cannot be written: ${error.message}`, { cause: error })
    : error;
}

function prepareQuery<Row>(connection: Libsql.Database, sql: string, onWrite: () => void): Query<Row> {
  // Prepared when it is first used, because a sandbox for one script needs few statements.
  let prepared: Libsql.Statement | undefined;
  const statement = (): Libsql.Statement => (prepared ??= connection.prepare(sql));
  let reading: Reading<Row> | undefined;
  const read = (): Reading<Row> => (reading ??= prepareReading(connection, sql, statement()));
  return {
    // One array, never spread: the driver reads a lone null argument as a set of named values.
    all: (...values) => {
      const { toRow, gathered } = read();
      const [rows] = gathered().get(values) as [string];
      return (JSON.parse(rows) as SqlValue[][]).map(toRow);
    },
    first: (...values) => {
      const row = read().one.get(values) as SqlValue[] | undefined;
      return row === undefined ? undefined : read().toRow(row);
    },
    run: (...values) => {
      onWrite();
      return Number(statement().run(values).lastInsertRowid);
    },
  };
}

/** A statement that reads. The driver is slow to pass rows, values and names, so all rows are passed as one text. */
interface Reading<Row> {
  /** The first row, its values without their names. */
  readonly one: Libsql.Statement;
  /** All rows in one text, each an array in JSON. */
  readonly gathered: () => Libsql.Statement;
  readonly toRow: (values: readonly SqlValue[]) => Row;
}

function prepareReading<Row>(
  connection: Libsql.Database,
  sql: string,
  statement: Libsql.Statement,
): Reading<Row> {
  const names = statement.columns().map(({ name }) => name);
  const columns = names.map((name) => `"${name}"`).join(", ");
  let gathered: Libsql.Statement | undefined;
  return {
    one: statement.raw(),
    gathered: () =>
      (gathered ??= connection
        .prepare(`SELECT json_group_array(json_array(${columns})) FROM (${sql})`)
        .raw()),
    toRow: (values) => {
      const row: Record<string, SqlValue> = {};
      for (let index = 0; index < names.length; index += 1) row[names[index] ?? ""] = values[index] ?? null;
      return row as Row;
    },
  };
}

function closeConnection(connection: Libsql.Database): void {
  // The driver keeps the file open, and so locked, while prepared statements wait to be collected. Leaving WAL
  // checkpoints, and the first read in normal mode gives the lock back.
  try {
    connection.exec("PRAGMA journal_mode = DELETE");
    connection.exec("PRAGMA locking_mode = NORMAL");
    connection.prepare("SELECT COUNT(*) FROM sqlite_master").get();
  } catch (error) {
    // On a full disk the log stays beside the file, with what was committed; the next start reads it.
    if (!(error instanceof Libsql.SqliteError)) throw error;
  } finally {
    connection.close();
  }
}

/** `countWrites` returns how many statements have begun to write so far. */
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
    // Callers that wait get the rejection; without any, it must not count as unhandled.
    committed.catch(() => undefined);
  }

  function commit(): void {
    if (!isOpen) return;
    isOpen = false;
    try {
      connection.exec("COMMIT");
    } catch (error) {
      undo();
      throw error;
    }
  }

  /** SQLite has already undone everything after some failures, such as a full disk. */
  function undo(): void {
    if (connection.inTransaction) connection.exec("ROLLBACK");
  }

  return {
    /**
     * Runs synchronous work as a transaction. When work throws that has written something, everything that shares the
     * commit is undone, and `settled` rejects.
     */
    run: <Result>(work: () => Result): Result => {
      if (!isOpen) begin();
      else if (!connection.inTransaction) throw new Error("the transaction was undone");
      const before = countWrites();
      try {
        return work();
      } catch (error) {
        if (countWrites() !== before) undo();
        throw error;
      }
    },
    /** True if something was written that is not on disk yet. */
    isOpen: () => isOpen,
    /** Resolves when what was written is on disk, and rejects when it was undone. */
    settled: (): Promise<void> => (isOpen ? committed : Promise.resolve()),
    /** Commits immediately, at the end, when no caller is waiting. */
    end: (): void => {
      // A transaction that was rolled back cannot be committed; its failure has been reported.
      isOpen &&= connection.inTransaction;
      commit();
    },
  };
}

/** The form that is stored; null stays null. */
export function encodeText(text: string | null): string | null {
  return text === null ? null : JSON.stringify(text);
}

/** The text of a form that `encodeText` made. */
export function decodeText(stored: string | null): string | null {
  if (stored === null) return null;
  // Most texts have nothing in them that JSON writes in another way.
  return stored.includes("\\") ? (JSON.parse(stored) as string) : stored.slice(1, -1);
}

/**
 * `find` for rows that never change and are never deleted: a row that was found is remembered. One that was not found
 * is searched again, because it may be added.
 */
export function rememberFound<Key extends string | number, Row>(
  find: (key: Key) => Row | undefined,
): (key: Key) => Row | undefined {
  const found = new Map<Key, Row>();
  return (key) => {
    const known = found.get(key);
    if (known !== undefined) return known;
    const row = find(key);
    if (row !== undefined) found.set(key, row);
    return row;
  };
}
