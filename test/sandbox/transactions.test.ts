// Transactions that share a commit: which ones are rolled back together, and who gets the error.
import { expect, onTestFinished, test } from "vitest";
import { openDatabase, type Database } from "../../src/sandbox/store/database.ts";

interface Opened {
  readonly database: Database;
  readonly insert: (id: number, parent?: number) => void;
  readonly ids: () => readonly number[];
}

/** A table in memory; a row without a parent makes the commit fail. */
async function openTable(): Promise<Opened> {
  const database = openDatabase(":memory:");
  onTestFinished(() => database.close());
  database.transaction(() =>
    database.execute(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED)",
    ),
  );
  await database.settled();
  const insert = database.prepare("INSERT INTO t VALUES (?, ?)");
  const all = database.prepare<{ id: number }>("SELECT id FROM t ORDER BY id");
  return {
    database,
    insert: (id, parent = id) => void insert.run(id, parent),
    ids: () => all.all().map(({ id }) => id),
  };
}

test("a write is settled when its transaction is committed, and the next one can begin", async () => {
  const { database, insert, ids } = await openTable();
  database.transaction(() => insert(1));
  await database.settled();
  database.transaction(() => insert(2));
  await database.settled();
  expect(ids()).toEqual([1, 2]);
});

test("work that throws before it writes rolls nothing back", async () => {
  const { database, insert, ids } = await openTable();
  database.transaction(() => insert(1));
  expect(() =>
    database.transaction(() => {
      throw new Error("refused");
    }),
  ).toThrow("refused");
  database.transaction(() => insert(2));
  await database.settled();
  expect(ids()).toEqual([1, 2]);
});

test("work that throws after it writes rolls back all that share the commit; all get the error", async () => {
  const { database, insert, ids } = await openTable();
  database.transaction(() => insert(1));
  const first = database.settled();
  expect(() =>
    database.transaction(() => {
      insert(2);
      throw new Error("broken");
    }),
  ).toThrow("broken");
  // A later write would otherwise be committed without the others.
  expect(() => database.transaction(() => insert(3))).toThrow("undone");
  await expect(first).rejects.toThrow("no transaction is active");
  expect(ids()).toEqual([]);
  database.transaction(() => insert(4));
  await database.settled();
  expect(ids()).toEqual([4]);
});

test("a failed statement rolls back the earlier writes of its transaction", async () => {
  const { database, insert, ids } = await openTable();
  expect(() =>
    database.transaction(() => {
      insert(1);
      insert(1);
    }),
  ).toThrow("UNIQUE");
  await expect(database.settled()).rejects.toThrow("no transaction is active");
  expect(ids()).toEqual([]);
});

test("a failed commit rolls back all that share it; all get the error", async () => {
  const { database, insert, ids } = await openTable();
  database.transaction(() => insert(1));
  database.transaction(() => insert(2, 99));
  await expect(database.settled()).rejects.toThrow("FOREIGN KEY");
  expect(ids()).toEqual([]);
  await database.settled();
});

test("a database can be closed after a rollback", () => {
  const database = openDatabase(":memory:");
  expect(() =>
    database.transaction(() => {
      database.execute("CREATE TABLE t (id INTEGER)");
      throw new Error("broken");
    }),
  ).toThrow("broken");
  expect(() => database.close()).not.toThrow();
});
