// What deleting grants and deleting authorizations have in common: ids from arguments or standard input, the plan,
// the question, the outcomes.
import { parseJson } from "../exact-json.ts";
import { checkId, readItems } from "../bulk/read-items.ts";
import { runItems } from "../bulk/run-items.ts";
import type { Context } from "../context.ts";
import { usageFailure } from "../errors/errors.ts";
import type { Service } from "../http/service.ts";
import { reportOutcomes } from "./report-outcomes.ts";

export interface Deletion {
  /** In the singular: grant, authorization. */
  readonly name: string;
  /** What goes with it; continues "delete grant 42, …". */
  readonly effect: string;
  readonly remove: (service: Service, id: string) => Promise<void>;
  /** For --dry-run. */
  readonly read: (service: Service, id: string) => Promise<unknown>;
}

/** Deletes by id, after asking; with --dry-run only reads. One id fails as itself, many as a job. */
export async function deleteItems(
  words: readonly string[],
  context: Context,
  deletion: Deletion,
): Promise<void> {
  const ids = await readIds(words, context);
  const isDryRun = context.options.dryRun === true;
  context.printer.checkFields(deletionPresentation);
  if (!isDryRun) await context.confirm(questionOf(ids, context.origin().href, deletion));
  else context.origin();

  const service = await context.accountService();
  const act = async (id: string): Promise<void> => {
    if (isDryRun) await deletion.read(service, id);
    else await deletion.remove(service, id);
  };
  const outcomes = runItems(ids, context.options.concurrency, act);
  await reportOutcomes(context, outcomes, {
    isJob: ids.length > 1,
    presentation: deletionPresentation,
    rowOf: (id, status) => ({ status, id: parseJson(id) }),
    done: isDryRun ? "would-delete" : "deleted",
    gone: isDryRun ? null : "already-gone",
  });
}

const deletionPresentation = {
  fields: ["status", "id"],
  columns: [
    { title: "STATUS", text: (row: DeletionRow) => row.status, minimum: 12 },
    { title: "ID", text: (row: DeletionRow) => String(row.id), minimum: 12 },
  ],
};

interface DeletionRow {
  readonly status: string;
  /** As digits: a number, or one too large for it. */
  readonly id: unknown;
}

async function readIds(words: readonly string[], context: Context): Promise<readonly string[]> {
  if (!words.includes("-")) return [...new Set(words.map((word) => checkId(word)))];
  if (words.length > 1)
    throw usageFailure("- stands alone: ids come from standard input or as arguments, not both");
  return readItems(await context.standardInput.read("the ids"), "id");
}

function questionOf(ids: readonly string[], address: string, { name, effect }: Deletion): string {
  const what = ids.length === 1 ? `${name} ${ids[0] ?? ""}` : `${ids.length} ${name}s`;
  return `Delete ${what} at ${address}, ${ids.length === 1 ? effect : effect.replace("its", "their")}?`;
}
