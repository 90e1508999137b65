// The journal of a job: a new one, or the one that --resume names, which must have the same operation, server and account.
// That one is opened before the question (`previewJob`), and held until the run ends; a new one is created after it.
//
// A resumed job takes from its input the items that the journal knows, so that the whole list, or a part of it, resumes
// any part. Items of the journal that the input lacks stay, and so does the journal; a file or standard output gets their
// values again with the others, because it is written anew.
import { resolve } from "node:path";
import { usageFailure } from "../errors/errors.ts";
import type { Context } from "../run/context.ts";
import type { JournalKey } from "./intent.ts";
import { hashOf, requireHead, type Entry, type Journal, type Receiver } from "./journal.ts";
import type { JobOptions } from "./job-options.ts";
import { isFileOfJob } from "./leftover.ts";
import { traitsOf, type JournalOperation } from "./operations.ts";
import { forLaterRuns, sameInputHint } from "./resume-hint.ts";

/** What the record of a job needs to know of it. */
export interface Resumable {
  readonly operation: JournalOperation;
  readonly items: readonly string[];
  /** The journal that --resume names; absent for a new job. */
  readonly journal?: Journal | undefined;
  /** The user name or client ID that the requests are made with. */
  readonly requester: string;
  /** Where the values go; absent if there are none. */
  readonly receiver?: Receiver | undefined;
  /** What the record has of an item besides its key, by which a person, or a later look, recognises it. */
  readonly describe?: (item: string) => Omit<JournalKey, "item">;
}

export type JobPreview = Awaited<ReturnType<typeof previewJob>>;

/**
 * Opens the journal that --resume names. Throws a usage failure if it belongs to another job, if a run works on it, or if
 * none could be created. `given`: the items of the input; null for those of the journal.
 */
export async function previewJob(
  context: Context,
  { resume }: JobOptions,
  operation: JournalOperation,
  given: readonly string[] | null,
) {
  const journals = await context.journals();
  if (resume === undefined) await journals.checkCanCreate();
  const journal = resume === undefined ? undefined : await journals.open(resume);
  const head = journal && requireHead(journal.id, journal.contents);
  if (head !== undefined && head.operation !== operation)
    throw otherJob(`this record belongs to another operation: ${head.operation}`);
  if (head !== undefined && !context.server.isAt(head.server))
    throw otherJob(`the record belongs to another server: ${head.server}`);
  const known = head && new Set(head.items);
  const items = (given ?? head?.items ?? []).filter((item) => known?.has(keyOf(operation, item)) ?? true);
  if (items.length === 0)
    throw usageFailure("this is not the input that the job was started with", sameInputHint(operation));
  const entryOf = (item: string): Entry | undefined => journal?.latestEntry(keyOf(operation, item));
  return {
    /** The journal that --resume names. */
    journal,
    /** The items of the job in this input. */
    items,
    /** True for a job of one item, also if this input has one of several. */
    isOfOne: (head?.items ?? items).length === 1,
    /** Those that are to be sent, for the question. */
    pending: items.filter((item) => !["done", "answered"].includes(entryOf(item)?.state ?? "")),
    /** For a rotation: the items with a new token, whose old token is not deleted yet. */
    halfDone: items.filter((item) => entryOf(item)?.state === "answered" && entryOf(item)?.step !== "gone"),
    /** The receiver of the first run; null for a new job. */
    receiver: head === undefined ? null : (head.receiver ?? {}),
    /** True if an earlier run has written the receiver's file. */
    isWritten: journal !== undefined && (await isFileOfJob(head?.receiver?.outputFile, journal.contents)),
    /** The command line of the first run; empty for a new job. */
    argv: head?.argv ?? [],
    /**
     * Throws a usage failure if the journal belongs to another account or application. To be called as soon as the
     * credentials are known: before the first request with them and before the question.
     */
    checkRequester(this: void, requester: string): void {
      if (head !== undefined && head.requester !== hashOf(requester))
        throw otherJob("the record belongs to another account or application");
    },
  };
}

function otherJob(why: string): Error {
  return usageFailure(why, "Run `grantctl recover list` to see unfinished jobs.");
}

/** An open journal, with the entries of its job's items. */
export type JobEntries = Awaited<ReturnType<typeof openJournal>>;

/** The journal of a job that begins, or of the one that is resumed. */
export async function openJournal(context: Context, plan: Resumable) {
  const { operation, items, describe, receiver } = plan;
  const key = (item: string): string => keyOf(operation, item);
  const journal = plan.journal ?? (await createJournal(context, plan));
  const head = requireHead(journal.id, journal.contents);
  const earlierEntry = (item: string): Entry | undefined =>
    // In a damaged journal, an item without an entry may have been sent: the damaged record may be its own.
    journal.earlierEntries.get(item) ??
    (journal.contents.fault === null ? undefined : { item, state: "sent" });
  /** A file or standard output gets all values again, a command none twice. */
  const givesAgain = receiver !== undefined && receiver.toCommand === undefined;
  const isFinished = (entry: Entry | undefined): boolean =>
    entry?.state === "done" && !(givesAgain && entry.body !== undefined);
  const own = new Set(items.map(key));
  const lacking = head.items.filter((item) => !own.has(item));
  return {
    journal,
    head,
    items,
    /** The items that earlier runs have not finished. */
    pending: items.filter((item) => !isFinished(earlierEntry(key(item)))),
    /** The number of items that this input lacks, and that are unfinished. */
    missing: lacking.filter((item) => journal.earlierEntries.get(item)?.state !== "done").length,
    /** Entries of items that this input lacks, whose delivered values are to be given again. */
    givenAgain: lacking.flatMap((item) => {
      const entry = journal.earlierEntries.get(item);
      const isDelivered = entry?.body !== undefined && (entry.state === "done" || entry.step !== undefined);
      return givesAgain && isDelivered ? [entry] : [];
    }),
    keyOf: (item: string): JournalKey => ({ item: key(item), ...describe?.(item) }),
    /**
     * The entry of an item that an earlier run sent or may have sent, so that its outcome must be determined first, or
     * whose value is given again; otherwise undefined.
     */
    findEarlierEntry: (item: string): Entry | undefined => {
      const entry = earlierEntry(key(item));
      return entry?.state === "failed" || isFinished(entry) ? undefined : entry;
    },
  };
}

async function createJournal(
  context: Context,
  { operation, items, requester, receiver }: Resumable,
): Promise<Journal> {
  return (await context.journals()).create({
    version: 2,
    operation,
    argv: forLaterRuns(context.host.argv),
    reads_input: context.standardInput.wasRead() || undefined,
    server: context.server.origin().href,
    requester: hashOf(requester),
    created_at: new Date(context.host.now()).toISOString(),
    items: items.map((item) => keyOf(operation, item)),
    receiver: receiver === undefined ? undefined : absoluteReceiver(receiver),
  });
}

/** The file as a path that another folder does not change. */
function absoluteReceiver({ outputFile, toCommand }: Receiver): Receiver {
  return { outputFile: outputFile === undefined ? undefined : resolve(outputFile), toCommand };
}

/** The key of an item in a journal: an ID as it is, the hash of anything else. */
function keyOf(operation: JournalOperation, item: string): string {
  return traitsOf(operation).keepsIds ? item : hashOf(item);
}
