// Implements `grant delete` and `authorization delete`. IDs come from arguments, standard input, an interactive
// selection or the journal. A dry run prints the plan; otherwise a confirmation prompt precedes the job.
import type { Id } from "../api/resources.ts";
import { usageFailure } from "../errors/errors.ts";
import { noneExists } from "../errors/words.ts";
import { withIntent, type Service } from "../http/service.ts";
import { previewJob } from "../jobs/job-journal.ts";
import { planJob, runJob } from "../jobs/job.ts";
import { accountAbsence, type AccountItems } from "../jobs/proof.ts";
import { readIds, type JobOptions } from "../jobs/read-items.ts";
import { reportNothing, type Report } from "../jobs/report.ts";
import { parseJson } from "../json.ts";
import { hasFilters, type FilterOptions, type Listed } from "../lists/filters.ts";
import type { Listing } from "../lists/list-options.ts";
import { column, statusColumn, cellText, type Presentation } from "../output/presentation.ts";
import type { Context } from "../run/context.ts";
import { actionInWords, confirmItems, type ActionWords } from "./question.ts";
import type { JournalOperation } from "../jobs/operations.ts";

/** The outcome of one item. */
interface DeletionRow {
  readonly id: Id;
  readonly status: string;
  /** Its name, if it was read; null if it has none. */
  readonly name: string | null;
  /** Why it is not deleted; null if it is. */
  readonly reason: string | null;
}

export const deletionPresentation: Presentation<DeletionRow> = {
  fields: "id status name reason".split(" "),
  columns: [statusColumn, column("ID", "id", { isWhole: true })],
};

/** With the name of each item. */
const namedPresentation: Presentation<DeletionRow> = {
  ...deletionPresentation,
  columns: [...deletionPresentation.columns, column("NAME", "name", { priority: 2 })],
};

export type DeletionOptions = JobOptions & FilterOptions;

export interface Deletion<Item extends Listed>
  extends Listing<Item>, Pick<AccountItems<Item>, "read">, Pick<ActionWords<Item>, "effect" | "namesOf"> {
  readonly operation: JournalOperation;
  readonly remove: (service: Service, id: string) => Promise<void>;
}

/**
 * Deletes items by ID, after a confirmation prompt; with --dry-run, only reads them. Throws the failure of a single
 * item, or the job's.
 */
export async function deleteItems<Item extends Listed>(
  words: readonly string[],
  options: DeletionOptions,
  context: Context,
  deletion: Deletion<Item>,
): Promise<void> {
  const { operation, name, read, remove } = deletion;
  const { printer } = context;
  const isDryRun = options.dryRun === true;
  const { given, picked } = await findItems(words, options, context, deletion);
  if (given?.length === 0 && options.resume === undefined) {
    await reportNothing(context, `${name} to delete`, deletionPresentation);
    return;
  }
  const { journal, items, pending, argv, checkRequester } = await previewJob(
    context,
    options,
    operation,
    given,
  );
  if (!isDryRun && pending.length > 0) await context.checkCanConfirm();
  const { service, username } = await context.server.accountService();
  checkRequester(username);
  const known = new Map(picked.map((item) => [cellText(item.id), item]));
  const rows = deletionRows(known, context, deletion);
  if (isDryRun) {
    const absence = accountAbsence(service, deletion, context, true);
    const act = async (id: string): Promise<unknown> => known.set(id, await read(service, id));
    await planJob(context, { ...rows, items: pending, absence, act }, (ids) =>
      // A table on a terminal has the names.
      actionInWords("delete", { ids, known: printer.isForPerson ? null : known }, deletion, context),
    );
    return;
  }
  await confirmItems(
    pending,
    {
      read: (id) => read(service, id),
      known,
      inWords: () => actionInWords("delete", { ids: pending, known }, deletion, context),
      words: [...words, ...argv],
      outcome: "nothing was deleted",
    },
    context,
  );
  await runJob<unknown, DeletionRow>(context, {
    ...rows,
    operation,
    journal,
    requester: username,
    items,
    absence: accountAbsence(service, deletion, context),
    async act(id, { intent, earlierEntry }) {
      // The deletion of an earlier run may have taken effect: then this read throws "not found".
      if (earlierEntry !== undefined) await read(service, id);
      await remove(withIntent(service, intent), id);
    },
    done: "deleted",
  });
}

/** The IDs of the command line, or those of the items picked from a list; null with only --resume. */
async function findItems<Item extends Listed>(
  words: readonly string[],
  options: DeletionOptions,
  context: Context,
  deletion: Deletion<Item>,
): Promise<{ readonly given: readonly string[] | null; readonly picked: readonly Item[] }> {
  const { name } = deletion;
  // Allowed with --resume, because its hint repeats the original command line, including the filters of the selection.
  if (words.length > 0 && options.resume === undefined && hasFilters(options))
    throw usageFailure(
      "filters cannot be combined with IDs",
      `Run \`grantctl ${name} list\` with the same filters, and pipe its lines into \`grantctl ${name} delete -\`.`,
    );
  context.server.checkAccounts();
  if (words.length > 0) return { given: await readIds(words, context, name), picked: [] };
  if (options.resume !== undefined) return { given: null, picked: [] };
  const { pickItems } = await import("../lists/pick-items.ts");
  const picked = await pickItems(context, deletion, "delete", { filters: options });
  return { given: picked.map(({ id }) => cellText(id)), picked };
}

/** The rows of items; names are those that are known when a row is printed. */
function deletionRows<Item extends Listed>(
  known: ReadonlyMap<string, Item>,
  { printer }: Context,
  { name, namesOf }: Deletion<Item>,
): Pick<Report<unknown, DeletionRow>, "presentation" | "createRow" | "isGoneDone" | "verified"> {
  return {
    verified: noneExists(name),
    // Names appear only in a table on a terminal; scripts get the documented columns.
    presentation: printer.isForPerson ? namedPresentation : deletionPresentation,
    createRow(id, status, _, reason) {
      const item = known.get(id);
      const names = item === undefined ? [] : namesOf(item);
      return {
        id: parseJson(id) as Id,
        status,
        name: names.length === 0 ? null : names.join(" of "),
        reason,
      };
    },
    isGoneDone: true,
  };
}
