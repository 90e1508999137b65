// The journal of a job: a new one, or the one that --resume names, which must have the same operation, server and account.
// That one is opened before the question (`openJob`), and held until the run ends; a new one is created after it (`begin`).
//
// A resumed job takes from its input the items that the journal knows, so that the whole list, or a part of it, resumes
// any part. Items of the journal that the input lacks stay, and so does the journal; a file or standard output gets their
// values again with the others, because it is written anew.
import { resolve } from "node:path";
import { hashOf } from "../api/token-hash.ts";
import { usageFailure } from "../errors/errors.ts";
import type { Intent } from "../http/request.ts";
import { isOfGateway } from "../http/responses.ts";
import { parseOrNull } from "../json.ts";
import type { Context } from "../run/context.ts";
import { lastEight } from "../token.ts";
import { requireHead, type Entry, type Head, type Journal, type Receiver } from "./journal.ts";
import type { JobOptions } from "./read-items.ts";
import { extractToken, fateOf, forLaterRuns, isOver, readId, sameInputHint } from "./leftover.ts";
import { Stopped } from "./loop.ts";
import type { Status } from "./outcome.ts";
import { traitsOf, type JournalOperation } from "./operations.ts";

/** The parts of a job that its record needs besides the items. */
export interface JobMeans {
  /** The user name or client ID that the requests are made with. */
  readonly requester: string;
  /** Where the values go, which is closed when the job ends; absent if there are none. */
  readonly receiver?: (Receiver & { close?(): Promise<void> }) | undefined;
  /** What the record has of an item besides its key, by which a person, or a later look, recognises it. */
  readonly describe?: (item: string) => Omit<JournalKey, "item">;
}

/**
 * Opens the job that --resume names, or a new one. Throws a usage failure if the journal belongs to another job, if a run
 * works on it, or if none could be created. `given`: the items of the input; null for those of the journal.
 */
export async function openJob(
  context: Context,
  { resume }: JobOptions,
  operation: JournalOperation,
  given: readonly string[] | null,
): Promise<Job> {
  const journals = await context.journals();
  if (resume === undefined) await journals.checkCanCreate();
  const journal = resume === undefined ? undefined : await journals.open(resume);
  const head = journal && requireHead(journal.id, journal.contents);
  if (head !== undefined && head.operation !== operation)
    throw otherJob(`this record belongs to another operation: ${head.operation}`);
  if (head !== undefined && !context.server.isAt(head.server))
    throw otherJob(`the record belongs to another server: ${head.server}`);
  const known = head && new Set(head.items);
  const items = (given ?? head?.items ?? []).filter((item) => known?.has(recordKey(operation, item)) ?? true);
  if (items.length === 0)
    throw usageFailure("this is not the input that the job was started with", sameInputHint(operation));
  return new Job(context, operation, items, journal);
}

function otherJob(why: string): Error {
  return usageFailure(why, "Run `grantctl recover list` to see unfinished jobs.");
}

/** The key of an item in a journal: an ID as it is, the hash of anything else. */
function recordKey(operation: JournalOperation, item: string): string {
  return traitsOf(operation).keepsIds ? item : hashOf(item);
}

/** An operation on items. Nothing is written before it begins. */
export class Job {
  readonly operation: JournalOperation;
  /** Those of this input. */
  readonly items: readonly string[];
  /** The journal that --resume names; undefined for a new job. */
  readonly earlier: Journal | undefined;
  readonly #context: Context;
  readonly #head: Head | undefined;
  /** Hashed once: a job has many tokens. */
  readonly #keys: ReadonlyMap<string, string>;

  constructor(context: Context, operation: JournalOperation, items: readonly string[], earlier?: Journal) {
    this.operation = operation;
    this.items = items;
    this.earlier = earlier;
    this.#context = context;
    this.#head = earlier && requireHead(earlier.id, earlier.contents);
    this.#keys = new Map(items.map((item) => [item, recordKey(operation, item)]));
  }

  // ---- What an earlier run left

  /** True for a job of one item, also if this input has one of several. */
  get hasOneItem(): boolean {
    return (this.#head?.items ?? this.items).length === 1;
  }

  /** The items that are still to be changed, for the question. */
  get pending(): readonly string[] {
    return this.items.filter((item) => {
      const entry = this.entryOf(item);
      // With the new token, the old one is still to be deleted.
      if (this.operation === "rotate") return !isOver(entry) && entry?.old_is_gone !== true;
      return ["untouched", "ineffective", "sent"].includes(fateOf(entry));
    });
  }

  /**
   * The entry of an item when the job was opened. In a damaged journal, an item without one may have been sent: the damaged
   * line may be its own.
   */
  entryOf(item: string): Entry | undefined {
    if (this.earlier === undefined) return undefined;
    const { earlierEntries, contents } = this.earlier;
    const key = this.#keyOf(item);
    return earlierEntries.get(key) ?? (contents.fault === null ? undefined : { item: key, state: "sent" });
  }

  /** The command line of the first run; empty for a new job. */
  get argv(): readonly string[] {
    return this.#head?.argv ?? [];
  }

  /**
   * Throws a usage failure if the journal belongs to another account or application. To be called as soon as the credentials
   * are known: before the first request with them and before the question.
   */
  checkRequester(requester: string): void {
    if (this.#head !== undefined && this.#head.requester !== hashOf(requester))
      throw otherJob("the record belongs to another account or application");
  }

  // ---- The beginning

  /** The journal, which a new job creates, and what it has of the items. */
  async begin({ requester, receiver, describe }: JobMeans) {
    const journal = this.earlier ?? (await this.#createJournal(requester, receiver));
    const head = requireHead(journal.id, journal.contents);
    /** A file or standard output gets all values again, a command none twice. */
    const redelivers = receiver !== undefined && receiver.toCommand === undefined;
    const isFinished = (entry: Entry | undefined): boolean =>
      isOver(entry) && (fateOf(entry) === "gone" || !redelivers || entry?.body === undefined);
    const own = new Set(this.#keys.values());
    const lacking = head.items.filter((key) => !own.has(key)).map((key) => journal.earlierEntries.get(key));
    const pending = this.items.filter((item) => !isFinished(this.entryOf(item)));
    const fates = head.items.map((key) => fateOf(journal.earlierEntries.get(key)));
    const accepted = fates.filter((fate) => fate === "accepted").length;
    const gone = fates.filter((fate) => fate === "gone").length;
    const missing = lacking.filter((entry) => !isOver(entry)).length;
    const done = head.items.length - missing - pending.length - accepted - gone;
    return {
      journal,
      head,
      pending,
      before: new Map<Status, number>([
        ["done", done],
        ["accepted", accepted],
        ["not-found", gone],
        ["not-tried", missing],
      ]),
      /** Entries of items that this input lacks, whose delivered values are to be given again. */
      toRedeliver: lacking.flatMap((entry) => {
        const isDelivered = entry?.body !== undefined && ["done", "delivered"].includes(fateOf(entry));
        return redelivers && isDelivered ? [entry] : [];
      }),
      keyOf: (item: string): JournalKey => ({ item: this.#keyOf(item), ...describe?.(item) }),
      /**
       * The entry of an item that an earlier run sent or may have sent, so that its outcome must be determined first, or
       * whose value is given again; otherwise undefined.
       */
      findEarlierEntry: (item: string): Entry | undefined => {
        const entry = this.entryOf(item);
        return fateOf(entry) === "untouched" || isFinished(entry) ? undefined : entry;
      },
    };
  }

  async #createJournal(requester: string, receiver: Receiver | undefined): Promise<Journal> {
    const { host, server, standardInput } = this.#context;
    const journals = await this.#context.journals();
    return journals.create({
      version: 2,
      operation: this.operation,
      argv: forLaterRuns(host.argv),
      reads_input: standardInput.wasRead() || undefined,
      server: server.origin().href,
      requester: hashOf(requester),
      created_at: new Date(host.now()).toISOString(),
      items: [...this.#keys.values()],
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

export type JobEntries = Awaited<ReturnType<Job["begin"]>>;

// ---- The request of an item

/** The fields that every entry of an item has. */
export type JournalKey = Pick<Entry, "item" | "last_eight" | "creation">;

/**
 * Marks the item as sent before the request, which is not sent after a signal. Keeps the response of a success, and any other
 * that contains a new token. Records after a 4xx that nothing was changed, unless an earlier request may have had an effect,
 * about which the response to this one says nothing.
 */
export function createIntent(
  journal: Journal,
  key: JournalKey,
  { host, options, redactor }: Pick<Context, "host" | "options" | "redactor">,
  { isStopped, isUnchanged = () => true }: { isStopped: () => boolean; isUnchanged?: () => boolean },
): Intent & { hasBeenSent: () => boolean; isUnsaved: () => boolean } {
  /** For a run, whose value nobody needs again: only the ID of the new authorization is kept. */
  const isOfRun = key.creation !== undefined && !journal.keepsValues;
  /** True until a response says that the same request may be sent again, with a one-time password. */
  let isSent = false;
  let hasBeenSent = false;
  /** True if the response may have a value that the record could not keep. */
  let isUnsaved = false;
  return {
    hasBeenSent: () => hasBeenSent,
    isUnsaved: () => isUnsaved,
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
      const id = isOfRun && status < 300 ? readId(body.toString("base64")) : null;
      if (id !== null) await journal.mark({ ...key, state: "answered", id });
      // A reset whose response contains the old token created no new one, so there is nothing to keep.
      const isOld = token !== null && hashOf(token) === key.item;
      if (!journal.keepsValues || isOld || !mayHaveValue(status, text)) return;
      // The value is still in memory: it is delivered even if the disk fails now.
      await journal.mark({ state: "answered", body: body.toString("base64"), ...key }).catch(() => {
        isUnsaved = true;
      });
    },
  };
}

/** True for a success, and for a failure with a token that matches its `token_last_eight`. */
function mayHaveValue(status: number, text: string): boolean {
  if (status >= 200 && status < 300) return text !== "";
  if (!text.includes('"token_last_eight"')) return false;
  const response = parseOrNull(text) as { readonly token_last_eight?: unknown } | null;
  const token = extractToken(text);
  return token !== null && token.length > 8 && response?.token_last_eight === lastEight(token);
}

/** The part of one item in a journal, for an action of several steps. */
export type ItemJournal = ReturnType<typeof createItemJournal>;

export function createItemJournal(journal: Journal, key: JournalKey) {
  const latestEntry = (): Entry | undefined => journal.latestEntry(key.item);
  return {
    key: key.item,
    latestEntry,
    /** Adds these fields to the entry; resolves when they are on disk. */
    update: (more: Partial<Omit<Entry, "item">>): Promise<void> =>
      journal.mark({ ...key, state: latestEntry()?.state ?? "failed", ...more }),
  };
}
