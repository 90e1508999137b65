// The journal of a job: a new one, or the one that --resume names, which must have the same operation, server and account.
// That one is opened before the question (`previewJob`), and held until the run ends; a new one is created after it.
//
// A resumed job takes from its input the items that the journal knows, so that the whole list, or a part of it, resumes
// any part. Items of the journal that the input lacks stay, and so does the journal; a file or standard output gets their
// values again with the others, because it is written anew.
import { resolve } from "node:path";
import { usageFailure } from "../errors/errors.ts";
import type { Intent } from "../http/request.ts";
import { isOfGateway } from "../http/responses.ts";
import { parseOrNull } from "../json.ts";
import type { Context } from "../run/context.ts";
import { lastEight } from "../token.ts";
import { hashOf, requireHead, type Entry, type Journal, type Receiver } from "./journal.ts";
import type { JobOptions } from "./read-items.ts";
import {
  extractToken,
  fateOf,
  forLaterRuns,
  isFileOfJob,
  isOver,
  readId,
  sameInputHint,
} from "./leftover.ts";
import { Stopped } from "./loop.ts";
import { traitsOf, type JournalOperation } from "./operations.ts";

/** What the record of a job needs to know of it. */
export interface Resumable {
  readonly operation: JournalOperation;
  readonly items: readonly string[];
  /** The journal that --resume names; absent for a new job. */
  readonly journal?: Journal | undefined;
  /** The user name or client ID that the requests are made with. */
  readonly requester: string;
  /** Where the values go, which is closed when the job ends; absent if there are none. */
  readonly receiver?: (Receiver & { close?(): Promise<void> }) | undefined;
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
  const entryOf = (item: string): Entry | undefined =>
    journal && earlierEntryOf(journal, keyOf(operation, item));
  const isPending = (item: string): boolean => {
    const entry = entryOf(item);
    // With the new token, the old one is still to be deleted.
    if (operation === "rotate") return !isOver(entry) && entry?.old_is_gone !== true;
    return ["untouched", "ineffective", "sent"].includes(fateOf(entry));
  };
  return {
    /** The journal that --resume names. */
    journal,
    /** The items of the job in this input. */
    items,
    /** True for a job of one item, also if this input has one of several. */
    isOfOne: (head?.items ?? items).length === 1,
    /** Those that are still to be changed, for the question. */
    pending: items.filter(isPending),
    /** The entry of an item in the journal that --resume names. */
    entryOf,
    /** True for an item whose request an earlier run may have sent. */
    wasSent: (item: string): boolean => fateOf(entryOf(item)) !== "untouched",
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
  // Hashed once: a job has many tokens.
  const keys = new Map(items.map((item) => [item, keyOf(operation, item)]));
  const key = (item: string): string => keys.get(item) ?? keyOf(operation, item);
  const journal = plan.journal ?? (await createJournal(context, plan));
  const head = requireHead(journal.id, journal.contents);
  /** A file or standard output gets all values again, a command none twice. */
  const givesAgain = receiver !== undefined && receiver.toCommand === undefined;
  const isFinished = (entry: Entry | undefined): boolean =>
    isOver(entry) && (fateOf(entry) === "gone" || !givesAgain || entry?.body === undefined);
  const own = new Set(items.map(key));
  const lacking = head.items.filter((item) => !own.has(item));
  const pending = items.filter((item) => !isFinished(earlierEntryOf(journal, key(item))));
  const fates = head.items.map((item) => fateOf(journal.earlierEntries.get(item)));
  const accepted = fates.filter((fate) => fate === "accepted").length;
  const gone = fates.filter((fate) => fate === "gone").length;
  const missing = lacking.filter((item) => !isOver(journal.earlierEntries.get(item))).length;
  return {
    journal,
    head,
    items,
    /** The items that earlier runs have not finished. */
    pending,
    before: { done: head.items.length - missing - pending.length - accepted - gone, accepted, gone, missing },
    /** Entries of items that this input lacks, whose delivered values are to be given again. */
    givenAgain: lacking.flatMap((item) => {
      const entry = journal.earlierEntries.get(item);
      const isDelivered = entry?.body !== undefined && ["done", "delivered"].includes(fateOf(entry));
      return givesAgain && isDelivered ? [entry] : [];
    }),
    keyOf: (item: string): JournalKey => ({ item: key(item), ...describe?.(item) }),
    /**
     * The entry of an item that an earlier run sent or may have sent, so that its outcome must be determined first, or
     * whose value is given again; otherwise undefined.
     */
    findEarlierEntry: (item: string): Entry | undefined => {
      const entry = earlierEntryOf(journal, key(item));
      return fateOf(entry) === "untouched" || isFinished(entry) ? undefined : entry;
    },
  };
}

/** In a damaged journal, an item without an entry may have been sent: the damaged record may be its own. */
function earlierEntryOf({ earlierEntries, contents }: Journal, item: string): Entry | undefined {
  return earlierEntries.get(item) ?? (contents.fault === null ? undefined : { item, state: "sent" });
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
    // The file as a path that another folder does not change.
    receiver: receiver && {
      outputFile: receiver.outputFile && resolve(receiver.outputFile),
      toCommand: receiver.toCommand,
    },
  });
}

/** The key of an item in a journal: an ID as it is, the hash of anything else. */
function keyOf(operation: JournalOperation, item: string): string {
  return traitsOf(operation).keepsIds ? item : hashOf(item);
}

// ---- The request of an item

/** The fields that every entry of an item has. */
export type JournalKey = Pick<Entry, "item" | "last_eight" | "creation">;

interface IntentOptions {
  /** False if an earlier request may have had an effect, about which the response to this one says nothing. */
  readonly isUnchanged?: () => boolean;
  /** True after a signal: nothing more is sent. */
  readonly isStopped: () => boolean;
  /** For a run, whose value nobody needs again: only the ID of the new authorization is kept, and no job waits for limits. */
  readonly keepsOnlyId?: boolean;
}

/**
 * Marks the item as sent before the request. Keeps the answer of a success, and any other that contains a new token.
 * Records after a 4xx that nothing was changed, if `isUnchanged`.
 */
export function createIntent(
  journal: Journal,
  key: JournalKey,
  { host, options, redactor }: Pick<Context, "host" | "options" | "redactor">,
  { isUnchanged = () => true, isStopped, keepsOnlyId = false }: IntentOptions,
): Intent & { hasBeenSent: () => boolean; isUnkept: () => boolean } {
  /** True until an answer says that the same request may be sent again, with a one-time password. */
  let isSent = false;
  let hasBeenSent = false;
  /** True if the answer may have a value that the record could not keep. */
  let isUnkept = false;
  return {
    waits: keepsOnlyId,
    hasBeenSent: () => hasBeenSent,
    isUnkept: () => isUnkept,
    async beforeSending() {
      if (isSent) return;
      if (isStopped()) throw new Stopped();
      const until = new Date(host.now() + options.timeout * 1000).toISOString();
      await journal.mark({ ...key, state: "sent", until });
      isSent = true;
      hasBeenSent = true;
    },
    async keepResponse(status, body) {
      const text = body.toString("utf8");
      const token = text === "" ? null : extractToken(text);
      // It may also be in a message.
      if (token !== null) redactor.add(token);
      // A gateway that gave up on the server says nothing of the request.
      if (status >= 400 && status < 500 && !isOfGateway(status)) {
        isSent = false;
        if (isUnchanged()) journal.note({ ...key, state: "failed" });
        return;
      }
      if (body.length === 0) return;
      if (keepsOnlyId) {
        const id = status < 300 ? readId(body) : null;
        if (id !== null) await journal.mark({ ...key, state: "answered", id });
        return;
      }
      if (!journal.keepsValues) return;
      if ((status < 200 || status > 299) && !isWholeAuthorization(text)) return;
      // A reset whose answer contains the old token created no new one, so there is nothing to keep.
      if (token !== null && hashOf(token) === key.item) return;
      // The value is still in memory: it is delivered even if the disk fails now.
      await journal.mark({ state: "answered", body: body.toString("base64"), ...key }).catch(() => {
        isUnkept = true;
      });
    },
  };
}

/** True if an answer contains a token that matches its `token_last_eight`. Even a failed request may return a value. */
function isWholeAuthorization(text: string): boolean {
  if (!text.includes('"token_last_eight"')) return false;
  const answer = parseOrNull(text) as { readonly token_last_eight?: unknown } | null;
  const token = extractToken(text);
  return token !== null && token.length > 8 && answer?.token_last_eight === lastEight(token);
}

/** The record of one item, for an action of several steps. */
export type ItemRecord = ReturnType<typeof createItemRecord>;

export function createItemRecord(journal: Journal, key: JournalKey) {
  const latestEntry = (): Entry | undefined => journal.latestEntry(key.item);
  return {
    /** The item in the record. */
    key: key.item,
    latestEntry,
    /** Adds these fields to the entry; resolves when they are on disk. */
    update: (more: Partial<Omit<Entry, "item">>): Promise<void> =>
      journal.mark({ ...key, state: latestEntry()?.state ?? "failed", ...more }),
  };
}
