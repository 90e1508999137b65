// Transactions that share a commit: those of one turn of the event loop, because waiting for the disk takes longer than
// all else about a request. The rule: until `settled` resolves, nobody may be told of what was written or read.
import type Libsql from "libsql";
import { setImmediate as nextTurn } from "node:timers/promises";

/** `countWrites` gives back how many statements have begun to write so far. */
export function createTransactions(
  connection: Pick<Libsql.Database, "exec" | "inTransaction">,
  countWrites: () => number,
) {
  let isOpen = false;
  let committed = Promise.resolve();

  function begin(): void {
    connection.exec("BEGIN IMMEDIATE");
    isOpen = true;
    committed = nextTurn().then(commit);
    // Those who wait are told, and without them there is nobody to tell.
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
    /** Whether something was written that is not on disk yet. */
    isOpen: () => isOpen,
    /** Resolves when what was written is on disk, and rejects when it was undone. */
    settled: (): Promise<void> => (isOpen ? committed : Promise.resolve()),
    /** Commits at once, at the end, when nobody waits any more. */
    end: (): void => {
      // What was undone cannot be committed, and the failure that undid it is the one to tell.
      isOpen &&= connection.inTransaction;
      commit();
    },
  };
}
