// The journal of a job: a new one, or the one that --resume names, which must have the same operation, server and
// account. It is read before the question (`previewJob`), and opened after it (`openJournal`).
//
// A resumed job takes from its input the items that the journal knows, so that the whole list, or a part of it, resumes
// any part. Items of the journal that the input lacks stay, and so does the journal.
import { resolve } from "node:path";
import { usageFailure } from "../errors/errors.ts";
import type { Context } from "../run/context.ts";
import type { JournalKey } from "./intent.ts";
import {
  hashOf,
  journalPath,
  otherVersion,
  otherVersionFailure,
  type Contents,
  type Entry,
  type Head,
  type Journal,
  type Receiver,
} from "./journal.ts";
import type { JobOptions } from "./job-options.ts";
import { isFileOfJob } from "./leftover.ts";
import { traitsOf, type JournalOperation } from "./operations.ts";
import { sameInputHint } from "./resume-hint.ts";

interface Subject {
  readonly operation: JournalOperation;
  readonly items: readonly string[];
}

/** What the record of a job needs to know of it. */
export interface Resumable extends Subject {
  readonly options: JobOptions;
  /** The user name or client ID that the requests are made with. */
  readonly requester: string;
  /** Where the values go; absent if there are none. */
  readonly receiver?: Receiver | undefined;
  /** What the record has of an item besides its key, by which a person, or a later look, recognises it. */
  readonly describe?: (item: string) => Omit<JournalKey, "item">;
}

export interface JobPreview {
  /** The items of the job in this input. */
  readonly items: readonly string[];
  /** Those that are to be sent, for the question. */
  readonly pending: readonly string[];
  /** For a rotation: the items with a new token, whose old token is not deleted yet. */
  readonly halfDone: readonly string[];
  /** The receiver of the first run; null for a new job. */
  readonly receiver: Receiver | null;
  /** True if an earlier run has written the receiver's file. */
  readonly isWritten: boolean;
  /** The command line of the first run; empty for a new job. */
  readonly argv: readonly string[];
  /**
   * Throws a usage failure if the journal belongs to another account or application. To be called as soon as the
   * credentials are known: before the first request with them and before the question.
   */
  readonly checkRequester: (requester: string) => void;
}

/**
 * Reads the journal that --resume names, without changing it. Throws a usage failure if it belongs to another job, if a
 * run works on it, or if none could be created.
 */
export async function previewJob(
  context: Context,
  { resume }: JobOptions,
  subject: Subject,
): Promise<JobPreview> {
  const { items, operation } = subject;
  const journals = await context.journals();
  if (resume === undefined) {
    await journals.checkCanCreate();
    return {
      items,
      pending: items,
      halfDone: [],
      receiver: null,
      isWritten: false,
      argv: [],
      checkRequester: () => undefined,
    };
  }
  const { head, entries } = await readResumed(context, resume, operation);
  const own = itemsOfJob(head, subject);
  const entryOf = (item: string): Entry | undefined => entries.get(keyOf(operation, item));
  return {
    items: own,
    pending: own.filter((item) => !["done", "answered"].includes(entryOf(item)?.state ?? "")),
    halfDone: own.filter((item) => entryOf(item)?.state === "answered" && entryOf(item)?.step !== "gone"),
    receiver: head.receiver ?? {},
    isWritten: await isFileOfJob({ head, entries }),
    argv: head.argv,
    checkRequester: (requester) => {
      checkSameJob(head, operation, context, hashOf(requester));
    },
  };
}

/** The IDs of a resumed job, which its journal has. Throws a usage failure if it belongs to another operation. */
export async function readJournalItems(
  context: Context,
  resume: string,
  operation: JournalOperation,
): Promise<readonly string[]> {
  return (await readResumed(context, resume, operation)).head.items;
}

async function readResumed(
  context: Context,
  resume: string,
  operation: JournalOperation,
): Promise<Contents & { readonly head: Head }> {
  const journals = await context.journals();
  const path = journalPath(() => context.stateFolder(), resume);
  const contents = await journals.read(path);
  if (contents === otherVersion) throw otherVersionFailure(resume);
  const { head } = contents;
  if (head === null)
    throw usageFailure(
      `the record ${resume} is damaged, and its operation cannot be read`,
      `Run \`grantctl recover show ${resume}\` to get its values.`,
    );
  checkSameJob(head, operation, context, null);
  if (await journals.isRunning(path)) throw usageFailure(`another grantctl process is working on ${resume}`);
  return { ...contents, head };
}

/** An open journal, with the entries of its job's items. */
export type JobEntries = ReturnType<typeof createJobEntries>;

/** Creates a journal, or reopens the one that --resume names. Throws a usage failure if that belongs to another job. */
export async function openJournal(context: Context, plan: Resumable): Promise<JobEntries> {
  const journals = await context.journals();
  const {
    operation,
    options: { resume },
  } = plan;
  if (resume === undefined) {
    const head: Head = {
      version: 2,
      operation,
      argv: [...context.host.argv],
      reads_input: context.standardInput.wasRead() || undefined,
      server: context.server.origin().href,
      server_type: context.serverType.name,
      requester: hashOf(plan.requester),
      created_at: new Date(context.host.now()).toISOString(),
      items: plan.items.map((item) => keyOf(operation, item)),
      receiver: plan.receiver === undefined ? undefined : absoluteReceiver(plan.receiver),
    };
    return createJobEntries(await journals.create(head), head, plan);
  }
  const { journal, head } = await journals.reopen(journalPath(() => context.stateFolder(), resume));
  try {
    checkSameJob(head, operation, context, hashOf(plan.requester));
    return createJobEntries(journal, head, { ...plan, items: itemsOfJob(head, plan) });
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/** The file as a path that another folder does not change. */
function absoluteReceiver({ outputFile, toCommand }: Receiver): Receiver {
  return { outputFile: outputFile === undefined ? undefined : resolve(outputFile), toCommand };
}

function createJobEntries(journal: Journal, head: Head, { items, operation, describe, receiver }: Resumable) {
  const earlierEntry = (text: string): Entry | undefined => {
    const item = keyOf(operation, text);
    // In a damaged journal, an item without an entry may have been sent: the damaged record may be its own.
    return journal.earlierEntries.get(item) ?? (journal.isDamaged ? { item, state: "sent" } : undefined);
  };
  const givesAgain = receiver !== undefined && receiver.toCommand === undefined;
  /** True for an item whose value is given again: a file or standard output gets all of them, a command none twice. */
  const isGivenAgain = ({ state, body }: Entry): boolean =>
    state === "done" && body !== undefined && givesAgain;
  const own = new Set(items.map((item) => keyOf(operation, item)));
  return {
    journal,
    head,
    items,
    /** The items that earlier runs have not finished. */
    pending: items.filter((item) => {
      const entry = earlierEntry(item);
      return entry?.state !== "done" || isGivenAgain(entry);
    }),
    /** The number of items that this input lacks, and that are unfinished or have a value to be given again. */
    missing: head.items.filter((item) => {
      const entry = own.has(item) ? undefined : (journal.latestEntry(item) ?? null);
      return entry === null || (entry !== undefined && (entry.state !== "done" || isGivenAgain(entry)));
    }).length,
    keyOf: (item: string): JournalKey => ({ item: keyOf(operation, item), ...describe?.(item) }),
    /**
     * The entry of an item that an earlier run sent or may have sent, so that its outcome must be determined first, or
     * whose value is given again; otherwise undefined.
     */
    findEarlierEntry: (item: string): Entry | undefined => {
      const entry = earlierEntry(item);
      if (entry === undefined || entry.state === "failed") return undefined;
      return entry.state === "done" && !isGivenAgain(entry) ? undefined : entry;
    },
    /** The entry of an item as it is now. */
    latestEntry: (item: string) => journal.latestEntry(keyOf(operation, item)),
  };
}

/** The key of an item in a journal: an ID as it is, the hash of anything else. */
function keyOf(operation: JournalOperation, item: string): string {
  return traitsOf(operation).keepsIds ? item : hashOf(item);
}

/** The items of the input that the job has. Throws a usage failure if there are none. */
function itemsOfJob(head: Head, { items, operation }: Subject): readonly string[] {
  const known = new Set(head.items);
  const own = items.filter((item) => known.has(keyOf(operation, item)));
  if (own.length > 0) return own;
  throw usageFailure("this is not the input that the job was started with", sameInputHint(operation));
}

/** Throws a usage failure for the journal of another job. `requester` is null while the credentials are unknown. */
function checkSameJob(
  head: Head,
  operation: JournalOperation,
  { server }: Context,
  requester: string | null,
): void {
  const fault = ((): string | null => {
    if (head.operation !== operation) return `this record belongs to another operation: ${head.operation}`;
    if (!server.isAt(head.server)) return `the record belongs to another server: ${head.server}`;
    return requester === null || head.requester === requester
      ? null
      : "the record belongs to another account or application";
  })();
  if (fault !== null) throw usageFailure(fault, "Run `grantctl recover list` to see unfinished jobs.");
}
