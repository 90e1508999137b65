// One line at the start of a run about what earlier runs left, so that it is never forgotten.
import { readdir } from "node:fs/promises";
import type { Context } from "./context.ts";

/** Announces leftovers. Loads what it needs only where there is something to look at; never fails a run. */
export async function announceLeftovers(context: Context): Promise<void> {
  // A program that reads JSON reads one object from standard error, and nothing else.
  if (context.printer.isJson) return;
  const names = await readdir(context.stateFolder()).catch(() => []);
  if (!names.some((name) => name.endsWith(".journal"))) return;
  const { rowOf } = await import("../commands/recover/leftover-rows.ts");
  const rows = (await (await context.journals()).leftovers()).map(rowOf);
  if (rows.length === 0) return;
  const values = rows.reduce((sum, row) => sum + row.values, 0);
  const unknown = rows.reduce((sum, row) => sum + row.unknown, 0);
  const unfinished = rows.filter((row) => row.journal !== null).length;
  const parts = [
    countOf(values, "token value"),
    countOf(unknown, "unknown outcome"),
    countOf(unfinished, "unfinished job"),
  ].filter((part) => part !== "");
  context.notices.note(`note: earlier runs left ${parts.join(", ")}: grantctl recover list`);
}

function countOf(count: number, name: string): string {
  return count === 0 ? "" : `${count} ${name}${count === 1 ? "" : "s"}`;
}
