// What deleting grants and deleting authorizations have in common: ids from arguments, standard input or a list to
// tick, the plan, the question, the outcomes.
import { parseJson } from "../exact-json.ts";
import { checkId, readItems } from "../bulk/read-items.ts";
import type { Context } from "../run/context.ts";
import { usageFailure } from "../errors/errors.ts";
import type { Id } from "../api/resources.ts";
import { keeping, type Service } from "../http/service.ts";
import type { JournalOperation } from "../journal/entries.ts";
import type { Presentation } from "../output/presentation.ts";
import { isJobOf, startJob, type JobOptions } from "../bulk/job.ts";
import { createProof, proving } from "../bulk/proof.ts";
import { startReading } from "../bulk/reading-job.ts";
import { reportNothing, reportOutcomes } from "../bulk/report-outcomes.ts";
import { itemsOfShard } from "../bulk/shard.ts";
import { sanitise } from "../output/sanitise.ts";
import { shorten } from "../output/shorten.ts";
import { textOf } from "../output/presentation.ts";
import type { Picking } from "./pick-items.ts";
import { isGone, vetByList } from "./prove-by-list.ts";

export interface Deletion<Item> extends Picking<Item> {
  readonly operation: JournalOperation;
  /** What goes with it; continues "delete grant 42, …" and "delete 2 grants, …". */
  readonly effect: { readonly ofOne: string; readonly ofMany: string };
  readonly remove: (service: Service, id: string) => Promise<void>;
  /** For --dry-run. */
  readonly read: (service: Service, id: string) => Promise<unknown>;
  /** What a person calls it; empty where it has no name. */
  readonly title: (item: Item) => string;
}

/** More names than these say less than their number. */
const mostNamed = 5;
const longestName = 40;

/** So many ids still make a command to paste. */
const mostRepeated = 50;

/** Deletes by id, after asking; with --dry-run only reads. One id fails as itself, many as a job. */
export async function deleteItems<Item extends { readonly id: Id }>(
  words: readonly string[],
  options: JobOptions,
  context: Context,
  deletion: Deletion<Item>,
): Promise<void> {
  context.printer.checkFields(deletionPresentation);
  const isPicked = words.length === 0;
  if (isPicked && (options.resume ?? options.shard) !== undefined) {
    throw usageFailure(
      "--resume and --shard need ids, as arguments or on standard input",
      "grantctl recover list",
    );
  }
  const picked = isPicked ? await (await import("./pick-items.ts")).pickItems(context, deletion) : [];
  const ids = isPicked
    ? picked.map(({ id }) => textOf(id))
    : itemsOfShard(await readIds(words, context, deletion), options);
  if (ids.length === 0) {
    await reportNothing(context, `${deletion.name} to delete`, options, deletionPresentation);
    return;
  }
  const isDryRun = context.options.dryRun === true;
  const address = context.address.origin().href;
  if (!isDryRun) {
    const names =
      picked.length > mostNamed ? [] : picked.map((item) => deletion.title(item) || textOf(item.id));
    // The list was read, if nothing else.
    const cancelled = isPicked ? "nothing was deleted" : "nothing was sent";
    await context.confirm(questionOf(ids, names, address, deletion), cancelled);
  }

  const login = await context.address.accountService();
  const { username } = login;
  const proof = createProof();
  const service = proving(login.service, proof);
  const vet = vetByList(service, deletion);
  const job = isDryRun
    ? startReading(context, ids, { proof, vet }, (id) => deletion.read(service, id))
    : await startJob<unknown>(context, options, {
        operation: deletion.operation,
        requester: username,
        items: ids,
        ...(isPicked ? { input: inputOf(ids) } : {}),
        proof,
        vet,
        isFinishedWhenDone: true,
        act: (id, keeper) => deletion.remove(keeping(service, keeper), id),
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

/** How what became of each is shown. */
export const deletionPresentation: Presentation<DeletionRow> = {
  fields: ["status", "id"],
  columns: [
    { title: "STATUS", text: (row: DeletionRow) => row.status, minimum: 12 },
    { title: "ID", field: "id", text: (row: DeletionRow) => String(row.id), isWhole: true },
  ],
};

/** What became of one item. */
export interface DeletionRow {
  readonly status: string;
  readonly id: Id;
}

async function readIds(
  words: readonly string[],
  context: Context,
  { name }: Pick<Deletion<never>, "name">,
): Promise<readonly string[]> {
  const hint = `grantctl ${name} list shows the ids`;
  if (!words.includes("-")) {
    const placeOf = (index: number): string => (words.length > 1 ? `argument ${index + 1}: ` : "");
    return [...new Set(words.map((word, index) => checkId(word, placeOf(index), hint)))];
  }
  if (words.length > 1)
    throw usageFailure("- stands alone: ids come from standard input or as arguments, not both");
  return readItems(await context.standardInput.read("the ids"), "id", { thing: name, hint });
}

/** What was picked stands nowhere else. */
function inputOf(ids: readonly string[]): string {
  return ids.length > mostRepeated
    ? "the same ids in the same order as arguments"
    : `the arguments ${ids.join(" ")}`;
}

function questionOf(
  ids: readonly string[],
  names: readonly string[],
  address: string,
  { name, effect }: Pick<Deletion<never>, "name" | "effect">,
): string {
  const isOne = ids.length === 1;
  const what = isOne ? `${name} ${ids[0] ?? ""}` : `${ids.length} ${name}s`;
  // Made safe before it is cut: an escape is longer than what it stands for.
  const quoted = names.map((text) => `"${shorten(sanitise(text), longestName)}"`);
  const whose = quoted.length === 0 ? "" : ` (${quoted.join(", ")})`;
  return `Delete ${what}${whose} at ${address}, ${isOne ? effect.ofOne : effect.ofMany}?`;
}
