// Implements `grant delete` and `authorization delete`. IDs come from arguments, standard input, an interactive
// selection or the journal. A dry run prints the plan; otherwise a confirmation prompt precedes the job.
import type { Id } from "../api/resources.ts";
import { failureOf, usageFailure } from "../errors/errors.ts";
import { withCommas } from "../errors/words.ts";
import { withIntent, type Service } from "../http/service.ts";
import { previewJob, type JobPreview } from "../jobs/job-journal.ts";
import { runJob, runReads } from "../jobs/job.ts";
import { accountAbsence, type AccountItems } from "../jobs/proof.ts";
import { readIds } from "../jobs/read-items.ts";
import { reportNothing, type Report } from "../jobs/report.ts";
import { parseJson } from "../json.ts";
import type { FilterOptions, Listed } from "../lists/filters.ts";
import { hasFilters, type Listing } from "../lists/list-options.ts";
import { column, statusColumn, cellText, type FieldOf, type Presentation } from "../output/presentation.ts";
import type { Context } from "../run/context.ts";
import { lookUpItems } from "./look-up.ts";
import {
  deletionInWords,
  deletionQuestion,
  mostNamed,
  type NamedItem,
  type DeletionWords,
} from "./question.ts";
import type { JobOptions } from "../jobs/job-options.ts";
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
  fields: ["id", "status", "name", "reason"] satisfies readonly FieldOf<DeletionRow>[],
  columns: [statusColumn, column("ID", "id", { isWhole: true })],
};

/** With the name of each item. */
const namedPresentation: Presentation<DeletionRow> = {
  ...deletionPresentation,
  columns: [...deletionPresentation.columns, column("NAME", "name", { priority: 2 })],
};

export type DeletionOptions = JobOptions & FilterOptions;

export interface Deletion<Item extends Listed>
  extends Listing<Item>, Pick<AccountItems<Item>, "read">, Pick<DeletionWords, "effect"> {
  readonly operation: JournalOperation;
  readonly remove: (service: Service, id: string) => Promise<void>;
  /** The names that a person recognises, such as the item's note and its application; empty if it has none. */
  readonly namesOf: (item: Item) => readonly string[];
  /** How this machine uses the item, as in "the token in GRANTCTL_TOKEN", or null. */
  readonly inUse: (item: Item, own: OwnCredentials) => string | null;
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
  /** Names appear only in a table on a terminal; scripts get the documented columns. */
  const isNamed = context.stdout.isTerminal && context.printer.format === "table";
  const isPicked = words.length === 0 && options.resume === undefined;
  if (!isPicked) checkFilters(options, deletion.name);
  context.server.checkAccounts();
  const picked = isPicked
    ? await (
        await import("../lists/pick-items.ts")
      ).pickItems(context, deletion, "delete", { filters: options })
    : [];
  const given = isPicked
    ? picked.map(({ id }) => cellText(id))
    : words.length === 0
      ? null
      : await readIds(words, context, deletion.name);
  if (given?.length === 0) {
    const what = `${deletion.name} to delete`;
    await reportNothing(context, what, options, deletionPresentation, deletion.operation);
    return;
  }
  const job = await previewJob(context, options, deletion.operation, given);
  const known = new Map(picked.map((item) => [cellText(item.id), item]));
  const isListed = isPicked || words.includes("-");
  const batch = { job, known, isPicked, isListed, isNamed };
  await (options.dryRun === true ? planDeletion : runDeletion)(batch, context, deletion);
}

interface Batch<Item> {
  readonly job: JobPreview;
  /** The items that were read, by ID; added to when more are read. */
  readonly known: Map<string, Item>;
  readonly isPicked: boolean;
  /** True if the IDs were not named one by one. */
  readonly isListed: boolean;
  readonly isNamed: boolean;
}

/** The rows of items; names are those that are known when a row is printed. */
function deletionRows<Item extends Listed>(
  { known, isNamed }: Batch<Item>,
  deletion: Deletion<Item>,
): Pick<Report<unknown, DeletionRow>, "presentation" | "createRow" | "isGoneDone" | "verified"> {
  return {
    verified: (count) =>
      count === 1
        ? `verified: the ${deletion.name} does not exist`
        : `verified: none of the ${withCommas(count)} ${deletion.name}s exists`,
    presentation: isNamed ? namedPresentation : deletionPresentation,
    createRow: (id, status, _, reason) => ({
      id: parseJson(id) as Id,
      status,
      name: joinNames(known.get(id), deletion),
      reason,
    }),
    isGoneDone: true,
  };
}

/** Reads the items that would be deleted. */
async function planDeletion<Item extends Listed>(
  batch: Batch<Item>,
  context: Context,
  deletion: Deletion<Item>,
): Promise<void> {
  const { known } = batch;
  const { pending, checkRequester } = batch.job;
  const { service, username } = await context.server.accountService();
  checkRequester(username);
  try {
    await runReads<unknown, DeletionRow>(context, {
      ...deletionRows(batch, deletion),
      items: pending,
      absence: accountAbsence(service, deletion, context, true),
      async act(id) {
        known.set(id, known.get(id) ?? (await deletion.read(service, id)));
      },
      done: "would-change",
      hidden: [],
    });
  } finally {
    const found = pending.filter((id) => known.has(id));
    const items = found.map((id) => namedItem(id, known.get(id), null, deletion));
    if (found.length > 0)
      context.notices.note(`would delete ${deletionInWords(items, context.server.origin().href, deletion)}`);
  }
}

/** Prompts with the items' names, and deletes the items. Skips the prompt if the server finds none of them. */
async function runDeletion<Item extends Listed>(
  batch: Batch<Item>,
  context: Context,
  deletion: Deletion<Item>,
): Promise<void> {
  const { known, isPicked, isListed, isNamed } = batch;
  const { journal, items: ids, pending, checkRequester } = batch.job;
  const needsConfirmation = context.options.yes !== true && pending.length > 0;
  if (needsConfirmation) await context.checkCanConfirm();
  const { service, username } = await context.server.accountService();
  checkRequester(username);
  let absent: ReadonlySet<string> = new Set();
  if (!isPicked && (needsConfirmation || isNamed)) {
    const { found, missing } = await lookUpItems(pending, (id) => deletion.read(service, id));
    for (const [id, item] of found) known.set(id, item);
    if (needsConfirmation && journal === undefined && missing.size === pending.length) {
      await runReads<unknown, DeletionRow>(context, {
        ...deletionRows(batch, deletion),
        items: pending,
        absence: accountAbsence(service, deletion, context, true),
        act: (id) => Promise.reject(missing.get(id) ?? new Error(id)),
        done: "deleted",
      });
      return;
    }
    // If a resumed job finds none, the prompt lists all, and the job records that they are gone.
    if (missing.size < pending.length) absent = new Set(missing.keys());
  }
  if (needsConfirmation) {
    const own = await ownCredentials(context);
    const existing = pending.filter((id) => !absent.has(id));
    const items = existing.map((id) => namedItem(id, known.get(id), own, deletion));
    const question = deletionQuestion(items, context.server.origin().href, deletion, [...absent]);
    const count = `${items.length}`;
    const mustType = isListed && items.length > mostNamed;
    const typing = mustType ? ` Type ${count} to delete ${count} ${deletion.name}s:` : "";
    await context.confirm(question + typing, "nothing was deleted", mustType ? count : undefined);
  }
  await runJob<unknown, DeletionRow>(context, {
    ...deletionRows(batch, deletion),
    operation: deletion.operation,
    journal,
    requester: username,
    items: ids,
    absence: accountAbsence(service, deletion, context),
    async act(id, { intent, earlierEntry }) {
      // The deletion of an earlier run may have taken effect: then this read throws "not found".
      if (earlierEntry !== undefined) await deletion.read(service, id);
      await deletion.remove(withIntent(service, intent), id);
    },
    done: "deleted",
  });
}

function namedItem<Item extends Listed>(
  id: string,
  item: Item | undefined,
  own: OwnCredentials | null,
  { namesOf, inUse }: Deletion<Item>,
): NamedItem {
  if (item === undefined) return { id, names: [], inUse: null };
  return { id, names: namesOf(item), inUse: own === null ? null : inUse(item, own) };
}

function joinNames<Item extends Listed>(item: Item | undefined, { namesOf }: Deletion<Item>): string | null {
  const names = item === undefined ? [] : namesOf(item);
  return names.length === 0 ? null : names.join(" of ");
}

/** Throws a usage failure for filters combined with IDs. */
function checkFilters(options: DeletionOptions, name: string): void {
  // Allowed with --resume, because its hint repeats the original command line, including the filters of the selection.
  if (options.resume === undefined && hasFilters(options)) {
    throw usageFailure(
      "filters cannot be combined with IDs",
      `Run \`grantctl ${name} list\` with the same filters, and pipe its lines into \`grantctl ${name} delete -\`.`,
    );
  }
}

interface OwnCredentials {
  /** The tokens that commands send, and their source, as in "GRANTCTL_TOKEN". */
  readonly tokens: readonly { readonly value: string; readonly where: string }[];
  /** The client ID with which commands act as an application, or null if none is configured. */
  readonly clientId: string | null;
}

/** The token and the client ID in use at this server. */
async function ownCredentials({ server: { logins }, settings }: Context): Promise<OwnCredentials> {
  const tokens: { value: string; where: string }[] = [];
  const { source, read } = logins.secrets.find("token", "");
  if (source === "environment") tokens.push({ value: await read(), where: "GRANTCTL_TOKEN" });
  else if (source !== "prompt") {
    // A store that does not respond must not prevent the deletion.
    const where = source === "file" ? "the file of stored secrets" : "the keychain";
    await failureOf(read().then((value) => tokens.push({ value, where })));
  }
  return { tokens, clientId: settings.clientId?.value ?? null };
}
