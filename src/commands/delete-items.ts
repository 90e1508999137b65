// What deleting grants and deleting authorizations have in common: ids from arguments or standard input, the plan,
// the question, the outcomes.
import type { Id } from "../api/resources.ts";
import { parseJson } from "../exact-json.ts";
import { checkId, readItems } from "../bulk/read-items.ts";
import type { Context } from "../context.ts";
import { isFailure, usageFailure } from "../errors/errors.ts";
import { keeping, type Service } from "../http/service.ts";
import type { JournalOperation } from "../journal/entries.ts";
import { isJobOf, startJob, startReading, type JobOptions } from "../bulk/job.ts";
import { reportNothing, reportOutcomes } from "../bulk/report-outcomes.ts";
import { itemsOfShard } from "../bulk/shard.ts";

export interface Deletion {
  readonly operation: JournalOperation;
  /** In the singular: grant, authorization. */
  readonly name: string;
  /** What goes with it; continues "delete grant 42, …". */
  readonly effect: string;
  readonly remove: (service: Service, id: string) => Promise<void>;
  /** For --dry-run. */
  readonly read: (service: Service, id: string) => Promise<unknown>;
  /** Reads what can always be read; throws where the credentials are wrong. */
  readonly prove: (service: Service) => Promise<unknown>;
}

/** Deletes by id, after asking; with --dry-run only reads. One id fails as itself, many as a job. */
export async function deleteItems(
  words: readonly string[],
  options: JobOptions,
  context: Context,
  deletion: Deletion,
): Promise<void> {
  const ids = itemsOfShard(await readIds(words, context), options);
  if (ids.length === 0) {
    await reportNothing(context, `${deletion.name} to delete`, options, deletionPresentation);
    return;
  }
  const isDryRun = context.options.dryRun === true;
  const { concurrency } = context.options;
  context.printer.checkFields(deletionPresentation);
  const address = context.origin().href;
  if (!isDryRun) await context.confirm(questionOf(ids, address, deletion));

  const { service, username } = await context.accountService();
  const job = isDryRun
    ? startReading(ids, concurrency, (id) => deletion.read(service, id))
    : await startJob<unknown>(context, options, {
        operation: deletion.operation,
        requester: username,
        items: ids,
        concurrency,
        isFinishedWhenDone: true,
        act: (id, keeper) => deletion.remove(keeper === null ? service : keeping(service, keeper), id),
        async takeUp(id, _, keeper) {
          if (await isGone(service, id, deletion)) return;
          await deletion.remove(keeping(service, keeper), id);
        },
      });
  await reportOutcomes<unknown, DeletionRow>(context, job, {
    total: ids.length,
    isJob: isJobOf(ids, options),
    presentation: deletionPresentation,
    rowOf: (id, status) => ({ status, id: parseJson(id) as Id }),
    done: isDryRun ? "would-delete" : "deleted",
    gone: isDryRun ? null : "already-gone",
  });
}

/**
 * Whether an item that an earlier run may have deleted is not there any more. Not found proves that only if the same
 * credentials can read the list.
 */
async function isGone(service: Service, id: string, deletion: Deletion): Promise<boolean> {
  try {
    await deletion.read(service, id);
    return false;
  } catch (error) {
    if (!isFailure(error, "not-found")) throw error;
    await deletion.prove(service);
    return true;
  }
}

const deletionPresentation = {
  fields: ["status", "id"],
  columns: [
    { title: "STATUS", text: (row: DeletionRow) => row.status, minimum: 12 },
    { title: "ID", text: (row: DeletionRow) => String(row.id), minimum: 12 },
  ],
};

/** What became of one item. */
export interface DeletionRow {
  readonly status: string;
  readonly id: Id;
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
