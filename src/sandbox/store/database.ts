// One SQLite database, in memory or in a file that this process owns alone. Owns opening, transactions and closing;
// leaves tables and queries to the stores. The rule: when `transaction` returns, the change is on disk.
import Libsql from "libsql";
import { SandboxUnavailable } from "../sandbox-unavailable.ts";

type SqlValue = string | number | null;

/** A statement, prepared when it is first used. `Row` is trusted: it states the columns that the statement names. */
interface Query<Row> {
  all(...values: readonly SqlValue[]): Row[];
  first(...values: readonly SqlValue[]): Row | undefined;
  /** Runs a write and gives back the id of the row it inserted last. */
  run(...values: readonly SqlValue[]): number;
}

export interface Database {
  prepare<Row = never>(sql: string): Query<Row>;
  execute(sql: string): void;
  /** Runs synchronous work as one transaction. Undone as a whole when the work throws. */
  transaction<Result>(work: () => Result): Result;
  close(): void;
}

/** How long to wait for a file that another process may be about to let go. */
const lockPatienceMs = 100;

/**
 * Opens the database and takes sole ownership of its file until `close`, or until the process ends in any way.
 * Throws SandboxUnavailable when another process owns it, or when the file is not a database.
 */
export function openDatabase(file: string): Database {
  const connection = connect(file);
  const database: Database = {
    prepare: <Row>(sql: string) => prepareQuery<Row>(connection, sql),
    execute: (sql) => void connection.exec(sql),
    transaction: (work) => runTransaction(connection, work),
    close: () => closeConnection(connection),
  };
  return database;
}

function connect(file: string): Libsql.Database {
  try {
    const connection = new Libsql(file, { timeout: lockPatienceMs });
    try {
      // Exclusive before WAL: the lock is then held for good, and needs no shared memory file.
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

function prepareQuery<Row>(connection: Libsql.Database, sql: string): Query<Row> {
  // Only when it is used: a sandbox that starts for one script needs few of them.
  let prepared: Libsql.Statement | undefined;
  const statement = (): Libsql.Statement => (prepared ??= connection.prepare(sql));
  let gathered: Libsql.Statement | undefined;
  return {
    // One array, never spread: the driver reads a lone null argument as a set of named values.
    all: (...values) => {
      gathered ??= connection.prepare(gatherRows(sql, statement()));
      return JSON.parse((gathered.get(values) as { rows: string }).rows) as Row[];
    },
    first: (...values) => statement().get(values) as Row | undefined,
    run: (...values) => Number(statement().run(values).lastInsertRowid),
  };
}

/** The same rows in one text: the driver takes its time over each row and each value that it hands over. */
function gatherRows(sql: string, statement: Libsql.Statement): string {
  const fields = statement.columns().map(({ name }) => `'${name}', "${name}"`);
  return `SELECT json_group_array(json_object(${fields.join(", ")})) AS rows FROM (${sql})`;
}

function runTransaction<Result>(connection: Libsql.Database, work: () => Result): Result {
  connection.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    connection.exec("COMMIT");
    return result;
  } catch (error) {
    // SQLite has already rolled back after some failures, such as a full disk.
    if (connection.inTransaction) connection.exec("ROLLBACK");
    throw error;
  }
}

function closeConnection(connection: Libsql.Database): void {
  // The driver keeps the file open, and so locked, while prepared statements wait to be collected. Leaving WAL
  // checkpoints, and the first read in normal mode gives the lock back.
  try {
    connection.exec("PRAGMA journal_mode = DELETE");
    connection.exec("PRAGMA locking_mode = NORMAL");
    connection.prepare("SELECT COUNT(*) FROM sqlite_master").get();
  } finally {
    connection.close();
  }
}
