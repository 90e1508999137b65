// The journal of a job: a new one, or the one that --resume names, which must have the same operation, service, account
// and input. It is read before the user is asked to confirm, and opened after a yes.
import { dirname } from "node:path";
import type { Context } from "../run/context.ts";
import { usageFailure } from "../errors/errors.ts";
import type { Head } from "../journal/entries.ts";
import { traitsOf } from "../journal/operations.ts";
import { noteFinished } from "../journal/finished-shards.ts";
import { hashOf, hashOfList } from "../journal/hashes.ts";
import type { Journal } from "../journal/journal.ts";
import type { Leftover } from "../journal/leftover.ts";
import { journalPath } from "../journal/state-folder.ts";
import { entriesOf, type JobEntries } from "./job-entries.ts";
import type { JobOptions, JobPlan } from "./job-plan.ts";
import { keepsIds, lineAsTyped } from "./resume-line.ts";
import { parseShard, shardText } from "./shard-option.ts";

type Subject = Pick<JobPlan<unknown>, "operation" | "items" | "keepsOld">;

/** What the journal of an earlier run says about this job. */
export interface Outlook {
  /** The items that are still to be done, which the user is asked to confirm. */
  readonly left: readonly string[];
  /** The items of a rotation that has made their new tokens, and has not deleted the old ones yet. */
  readonly toBeDeleted: readonly string[];
  /** The identities of the files that earlier runs wrote tokens to; null for a new job. */
  readonly outputFiles: readonly string[] | null;
  /**
   * Throws a usage failure if the journal is of another account or application. Called as soon as the credentials are
   * known, before they read anything and before the question.
   */
  readonly checkRequester: (requester: string) => void;
}

/**
 * Reads the journal that --resume names, without changing it. Without --resume, tells the user of an unfinished job
 * over the same items, if there is one. Throws a usage failure for a journal of another job, and in a dry run where the
 * run itself could not create one.
 */
export async function lookAhead(context: Context, options: JobOptions, subject: Subject): Promise<Outlook> {
  const journals = await context.journals();
  if (options.resume === undefined) {
    if (context.options.dryRun === true) await journals.checkCanCreate();
    const leftovers = await journals.leftovers().catch(() => []);
    if (leftovers.length > 0) nameUnfinished(context, options, subject, leftovers);
    return { left: subject.items, toBeDeleted: [], outputFiles: null, checkRequester: () => undefined };
  }
  const { contents } = await journals.look(pathOf(context, options.resume));
  const hashes = subject.items.map(hashOf);
  refuseOther(contents.head, headOf(context, options, { ...subject, requester: nobodyYet }, hashes));
  const isToBeSent = (hash: string): boolean => {
    const state = contents.items.get(hash)?.state;
    if (state === "sent" && traitsOf(subject.operation).isNeverRepeated) return false;
    return state !== "done" && state !== "answered";
  };
  const isToBeDeleted = (hash: string): boolean => {
    const entry = contents.items.get(hash);
    return entry?.state === "answered" && entry.step !== "gone";
  };
  const rotates = subject.operation === "rotate" && subject.keepsOld !== true;
  return {
    left: subject.items.filter((_, index) => isToBeSent(hashes[index] ?? "")),
    toBeDeleted: rotates ? subject.items.filter((_, index) => isToBeDeleted(hashes[index] ?? "")) : [],
    outputFiles: contents.outputFiles,
    checkRequester(requester) {
      refuseOther(contents.head, headOf(context, options, { ...subject, requester }, hashes));
    },
  };
}

/**
 * The items of the job that --resume names, from its journal, and its options with the shard that they are. Throws a usage
 * failure for a journal of another operation, or one that does not have them.
 */
export async function itemsOfJournal<Options extends JobOptions>(
  context: Context,
  options: Options,
  operation: JobPlan<unknown>["operation"],
): Promise<{ readonly items: readonly string[]; readonly options: Options }> {
  const { contents } = await (await context.journals()).look(pathOf(context, options.resume ?? ""));
  const { head, ids } = contents;
  if (head.operation !== operation) refuseOther(head, { ...head, operation });
  if (ids === null) {
    throw usageFailure(
      "the journal does not contain the ids",
      "give the same ids as arguments, or as - on standard input",
    );
  }
  const shard = options.shard ?? (head.shard === undefined ? undefined : parseShard(head.shard));
  return { items: ids, options: { ...options, ...(shard === undefined ? {} : { shard }) } };
}

/** A new journal for a job, or the one that --resume names. Throws a usage failure for the journal of another job. */
export async function openJournal(
  context: Context,
  options: JobOptions,
  plan: Subject & Pick<JobPlan<unknown>, "requester" | "outputFile" | "lastEightOf" | "isMissing">,
): Promise<JobEntries> {
  const hashes = new Map(plan.items.map((item) => [item, hashOf(item)]));
  const head = headOf(context, options, plan, [...hashes.values()]);
  const journals = await context.journals();
  if (options.resume === undefined) {
    const created = await journals.create(head, keepsIds(plan.operation) ? plan.items : undefined);
    return entriesOf(created, plan, hashes);
  }
  const { journal, head: found, outputFiles, ids } = await journals.reopen(pathOf(context, options.resume));
  try {
    refuseOther(found, head);
    if (plan.outputFile !== undefined && !outputFiles.includes(plan.outputFile))
      await journal.addToHead({ output: plan.outputFile });
    // Versions up to 0.2.0 did not keep them.
    if (keepsIds(plan.operation) && ids === null) await journal.addToHead({ ids: plan.items });
    return entriesOf(journal, plan, hashes, await markMissing(journal, plan, hashes));
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/** Takes back the delivery of tokens that the receiver no longer has. Resolves with the hashes of their items. */
async function markMissing(
  journal: Journal,
  { items, isMissing }: Pick<JobPlan<unknown>, "items" | "isMissing">,
  hashes: ReadonlyMap<string, string>,
): Promise<ReadonlySet<string>> {
  const missing = new Set<string>();
  if (isMissing === undefined) return missing;
  for (const item of items) {
    const hash = hashes.get(item) ?? hashOf(item);
    const entry = journal.before.get(hash);
    if (entry?.state !== "done" || entry.body === undefined || !(await isMissing(entry.body))) continue;
    journal.note({ item: hash, state: "answered" });
    missing.add(hash);
  }
  return missing;
}

/** Notes that a shard without items is finished: the job counts as finished only when all its shards are. */
export async function finishEmptyShard(
  context: Context,
  options: JobOptions,
  operation: JobPlan<unknown>["operation"],
): Promise<void> {
  if (options.shard === undefined || context.options.dryRun === true) return;
  const head = headOf(context, options, { operation, requester: nobodyYet, items: [] }, []);
  await noteFinished(context.stateFolder(), head, context.host.machine.userId);
}

function pathOf(context: Context, resume: string): string {
  return journalPath(() => context.stateFolder(), resume);
}

/** The name of a journal for --resume: its ID, or its path where the journal is in another folder. */
export function nameOf({ id, path }: Pick<Journal, "id" | "path">, context: Context): string {
  return dirname(path) === context.stateFolder() ? id : path;
}

/** The requester before the credentials are known. It is then the only field of the head that is not compared. */
const nobodyYet = "";

function headOf(
  context: Context,
  options: JobOptions,
  plan: Subject & Pick<JobPlan<unknown>, "requester" | "outputFile" | "isMissing">,
  hashes: readonly string[],
): Head {
  return {
    version: 1,
    operation: plan.operation,
    address: context.address.origin().href,
    operator: context.operator.name,
    requester: plan.requester === nobodyYet ? nobodyYet : hashOf(plan.requester),
    created_at: new Date(context.host.now()).toISOString(),
    total: plan.items.length,
    list: hashOfList(hashes),
    shard: options.shard && shardText(options.shard),
    input: options.wholeInput,
    output: plan.outputFile,
    keepsOld: plan.keepsOld || undefined,
    keepsDelivered: plan.isMissing === undefined ? undefined : true,
  };
}

function refuseOther(journal: Head, job: Head): void {
  const problem = mismatch(journal, job);
  if (problem === null) return;
  throw usageFailure(problem, journal.list === job.list ? "grantctl recover list" : sameInput(job.operation));
}

/** How to resume a job whose input is another one than at its start. */
export function sameInput(operation: Head["operation"]): string {
  return keepsIds(operation)
    ? "leave out the ids: --resume continues with those in the journal"
    : "give it the whole list that the job was started with, with what is done already; if it is lost, start a new job and forget this one: grantctl recover forget ID";
}

/** The reason why a journal does not belong to this job; null where it does. */
function mismatch(journal: Head, job: Head): string | null {
  if (journal.operation === "unknown")
    return "the journal is damaged: what it was for cannot be read any more; grantctl recover show has its values";
  if (journal.operation !== job.operation) return `the journal is of another operation: ${journal.operation}`;
  if (journal.address !== job.address) return `the journal is of another service: ${journal.address}`;
  if (job.requester !== nobodyYet && journal.requester !== job.requester)
    return "the journal is of another account or application";
  if (journal.shard !== job.shard) {
    return `the journal is of ${journal.shard === undefined ? "the whole input" : `--shard ${journal.shard}`}`;
  }
  if ((journal.keepsOld === true) !== (job.keepsOld === true))
    return `the journal is of a rotation with${journal.keepsOld === true ? "" : "out"} --keep-old`;
  if (journal.list !== job.list) return "the input is not the one that this job was started with";
  return null;
}

function nameUnfinished(
  context: Context,
  options: JobOptions,
  subject: Subject,
  leftovers: readonly Leftover[],
): void {
  const job = headOf(context, options, { ...subject, requester: nobodyYet }, subject.items.map(hashOf));
  const same = leftovers.findLast(({ contents }) => mismatch(contents.head, job) === null);
  if (same === undefined) return;
  const done = [...same.contents.items.values()].filter(({ state }) => state === "done").length;
  context.notices.warn(
    `an earlier run over the same input was not finished (${done} of ${same.contents.head.total} done); to continue it: ${lineAsTyped(context, same.id, keepsIds(subject.operation))}`,
  );
}
