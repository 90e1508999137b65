// The record of a job: a new one, or the one that --resume names, which must have the same operation, server and account.
// That one is opened before the question (`openJob`), and held until the run ends; a new one is created after it (`begin`).
//
// A resumed job takes from its input the items that the record knows, so that the whole list, or a part of it, resumes
// any part. Items of the record that the input lacks stay, and so does the record; a file or standard output gets their
// values again with the others, because it is written anew.
import { resolve } from "node:path";
import type { Command } from "commander";
import { extractIdFromBody } from "../api/token-responses.ts";
import { commandLine } from "../config/command-words.ts";
import { usageFailure } from "../errors/errors.ts";
import { counted } from "../errors/words.ts";
import type { Context } from "../run/context.ts";
import { hashOf, lastEight, tokenName } from "../token.ts";
import { requireHead } from "./journal.ts";
import type { Creation, Entry, Head, Journal, ReceiverChoice, EntryStart } from "./journal.ts";
import { fateOf, isGivenAgain, isOver, taskOf, type Task } from "./leftover.ts";
import type { Counts } from "./outcome.ts";
import { traitsOf, type Operation } from "./operations.ts";
import { commandOf, resumeHint, sameInputHint } from "./resume-hint.ts";

export interface JobOptions {
  readonly resume?: string;
  readonly dryRun?: true;
}

export function addJobOptions(command: Command, input = "with the same input"): Command {
  return command
    .option("--resume <id>", `Continue the interrupted job with this ID (${input})`)
    .option("--dry-run", "Show what would be done, without changing anything");
}

/**
 * Opens the job that --resume names, or a new one. Throws a usage failure if the record belongs to another job, if a run
 * works on it, or if none could be created. `given`: the items of the input; null for those of the record.
 */
export async function openJob(
  context: Context,
  { resume }: JobOptions,
  operation: Operation,
  given: readonly string[] | null,
): Promise<Job> {
  const records = await context.records();
  if (resume === undefined) await records.checkCanCreate();
  const journal = resume === undefined ? undefined : await records.open(resume);
  const head = journal && requireHead(journal.id, journal.contents);
  if (head !== undefined && head.operation !== operation)
    throw otherJob(`this record belongs to another operation: ${head.operation}`);
  if (head !== undefined && !context.server.isAt(head.server))
    throw otherJob(`the record belongs to another server: ${head.server}`);
  const known = head && new Set(head.keys);
  const items = (given ?? head?.keys ?? []).filter((item) => known?.has(recordKey(operation, item)) ?? true);
  const unknown = (given?.length ?? 0) - items.length;
  if (unknown > 0 && items.length > 0)
    context.notices.warn(`left out ${counted(unknown, "item")} of the input, which this job does not have`);
  if (items.length === 0)
    throw usageFailure("this is not the input that the job was started with", sameInputHint(operation));
  return new Job(context, operation, items, journal);
}

function otherJob(why: string): Error {
  return usageFailure(why, "Run `grantctl recover list` to see unfinished jobs.");
}

/** The start of a job, known before its first request. */
export interface JobStart {
  /** The user name or client ID that the requests are made with. */
  readonly requester: string;
  /** Those of `Job.tasks`. */
  readonly tasks: Tasks;
  /** Where the values go, which is closed when the job ends; undefined if there are none. */
  readonly receiver?: (ReceiverChoice & { close?(): Promise<void> }) | undefined;
}

/** The task of each item that has one. */
export type Tasks = ReadonlyMap<string, Exclude<Task, "skip">>;

/** A job whose record exists. */
export interface BegunJob {
  readonly journal: Journal;
  readonly head: Head;
  /** Of items that no outcome of this run is about. */
  readonly earlierCounts: Counts;
  /** Items of this input that earlier runs have proven to be gone. */
  readonly earlierGone: readonly string[];
  /** Entries of items that this input lacks, whose delivered values are to be given again. */
  readonly toRedeliver: readonly Entry[];
  readonly startOf: (item: string) => EntryStart;
}

/** The key of an item in a record: an ID as it is, the hash of anything else. */
function recordKey(operation: Operation, item: string): string {
  return traitsOf(operation).items === "ids" ? item : hashOf(item);
}

/** An operation on items. Nothing is written before it begins. */
export class Job {
  readonly operation: Operation;
  /** Those of this input. */
  readonly items: readonly string[];
  /** The record that --resume names; undefined for a new job. */
  readonly resumed: Journal | undefined;
  readonly #context: Context;
  readonly #head: Head | undefined;
  /** Not hashed at every use: a job has many tokens. */
  readonly #keys: ReadonlyMap<string, string>;

  constructor(context: Context, operation: Operation, items: readonly string[], resumed?: Journal) {
    this.operation = operation;
    this.items = items;
    this.resumed = resumed;
    this.#context = context;
    this.#head = resumed && requireHead(resumed.id, resumed.contents);
    this.#keys = new Map(items.map((item) => [item, recordKey(operation, item)]));
  }

  // ---- What an earlier run left

  /** Those of all items, also of those that this input lacks. */
  get keys(): readonly string[] {
    return this.#head?.keys ?? [...this.#keys.values()];
  }

  /** True for a job of one item; false if this input has one of several. */
  get hasOneItem(): boolean {
    return this.keys.length === 1;
  }

  /** The task of each item, without those to skip, in the order of the input. `receiver`: where the values go. */
  tasks(receiver?: ReceiverChoice): Tasks {
    const tasks = new Map<string, Exclude<Task, "skip">>();
    for (const item of this.items) {
      const task = taskOf(this.operation, this.earlierEntryOf(item), receiver);
      if (task !== "skip") tasks.set(item, task);
    }
    return tasks;
  }

  /**
   * The entry of an item when the job was opened; undefined if no earlier run has changed anything. In a damaged record, an
   * item without one may have been sent: the damaged line may be its own.
   */
  earlierEntryOf(item: string): Entry | undefined {
    if (this.resumed === undefined) return undefined;
    const { earlierEntries, contents } = this.resumed;
    const key = this.#keyOf(item);
    const entry = earlierEntries.get(key);
    if (entry === undefined) return contents.fault === null ? undefined : { key, state: "sent" };
    return fateOf(entry) === "untouched" ? undefined : entry;
  }

  /** The command line of the first run; empty for a new job. */
  get argv(): readonly string[] {
    return this.#head?.argv ?? [];
  }

  /**
   * Throws a usage failure if the record belongs to another account or application; for a new job, if an unfinished one has
   * begun an item, and may have its new value. To be called before the question. `receiver`: as typed.
   */
  async checkMayBegin(requester: string, receiver: ReceiverChoice): Promise<void> {
    if (this.#head === undefined) await this.#checkNotBegun(hashOf(requester), receiver);
    else if (this.#head.requester !== hashOf(requester))
      throw otherJob("the record belongs to another account or application");
  }

  async #checkNotBegun(requesterHash: string, receiver: ReceiverChoice): Promise<void> {
    const { keepsValues, items } = traitsOf(this.operation);
    const context = this.#context;
    for (const found of keepsValues ? await (await context.records()).all() : []) {
      const { head, entries, fault } = found.contents;
      if (head?.operation !== this.operation || head.requester !== requesterHash) continue;
      if (!context.server.isAt(head.server)) continue;
      const made = [...entries.values()].map(({ body }) => extractIdFromBody(body));
      const begun = this.items.find((item) => {
        const fate = fateOf(entries.get(this.#keyOf(item)));
        const isLost = fault !== null && head.keys.includes(this.#keyOf(item));
        return (items === "ids" && made.includes(item)) || isLost || !["untouched", "gone"].includes(fate);
      });
      if (begun === undefined) continue;
      const name = items === "ids" ? `authorization ${begun}` : tokenName(begun);
      const hint = await resumeHint({ ...head, ...commandOf(context) }, found, context, receiver);
      throw usageFailure(
        `an earlier run has begun to ${this.operation} ${name}, and has not ended`,
        `${hint} To give it up, run \`${commandLine("recover", "forget", found.id)}\`.`,
      );
    }
  }

  // ---- The beginning

  /** The record, which a new job creates, and what it has of the items. `creation`: what a creation asks for. */
  async begin({ requester, receiver, tasks }: JobStart, creation?: Creation): Promise<BegunJob> {
    const journal = this.resumed ?? (await this.#createJournal(requester, receiver));
    const head = requireHead(journal.id, journal.contents);
    const own = new Set(this.#keys.values());
    const ofOtherItems = head.keys
      .filter((key) => !own.has(key))
      .map((key) => journal.earlierEntries.get(key));
    const again = [...journal.earlierEntries.values()].filter((entry) => isGivenAgain(entry, receiver));
    // From now on, only the record has these values, until the receiver has them again.
    await Promise.all(again.map(({ key, state }) => journal.mark({ key, state, to_redeliver: true })));
    return {
      journal,
      head,
      earlierCounts: countEarlier(head, journal.earlierEntries, ofOtherItems, tasks.size),
      earlierGone: this.items.filter((item) => fateOf(this.earlierEntryOf(item)) === "gone"),
      toRedeliver: again.filter(({ key }) => !own.has(key)),
      startOf: (item) => {
        const isToken = traitsOf(this.operation).items === "tokens";
        const shown = { ...(isToken && { last_eight: lastEight(item) }), ...(creation && { creation }) };
        return { key: this.#keyOf(item), ...shown };
      },
    };
  }

  async #createJournal(requester: string, receiver: ReceiverChoice | undefined): Promise<Journal> {
    const { host, server } = this.#context;
    const records = await this.#context.records();
    return records.create({
      version: 2,
      operation: this.operation,
      ...commandOf(this.#context),
      server: server.origin().href,
      requester: hashOf(requester),
      created_at: new Date(host.now()).toISOString(),
      keys: [...this.keys],
      // The file as a path that another folder does not change.
      receiver: receiver && {
        outputFile: receiver.outputFile && resolve(receiver.outputFile),
        toCommand: receiver.toCommand,
      },
    });
  }

  #keyOf(item: string): string {
    return this.#keys.get(item) ?? recordKey(this.operation, item);
  }
}

/** Counts the items that no outcome of this run is about. `ofOtherItems`: entries of those that its input does not have. */
function countEarlier(
  { keys }: Head,
  entries: Journal["earlierEntries"],
  ofOtherItems: readonly (Entry | undefined)[],
  withTask: number,
): Counts {
  const fates = keys.map((key) => fateOf(entries.get(key)));
  const accepted = fates.filter((fate) => fate === "accepted").length;
  const gone = fates.filter((fate) => fate === "gone").length;
  const notTried = ofOtherItems.filter((entry) => !isOver(entry)).length;
  return new Map([
    ["done", keys.length - notTried - withTask - accepted - gone],
    ["accepted", accepted],
    ["gone", gone],
    ["not-tried", notTried],
  ]);
}
