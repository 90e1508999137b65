// One open journal: the entry of each item, on disk and in memory.
//
// Life cycle of a journal: created before the first request, or reopened by --resume; this run holds its lock. Each
// item then passes these states:
//
//   written    when                                         what an interruption here leaves
//   planned    a block ahead, if the job has many items     certainly not sent, unless the machine lost power
//   sent       before the request; the space for the         unknown outcome: the next run finds out first
//              response is reserved on the disk
//   answered   the response has a new token                 undelivered token, kept in the entry
//   done       finished, token delivered                    nothing to do
//   failed     nothing was changed                          may be sent again
//
// At the end of the run the journal is removed if nothing is left to do; otherwise it is closed for a later run, and
// rewritten without the tokens that were delivered.
import { randomBytes } from "node:crypto";
import { rename, unlink } from "node:fs/promises";
import { usageFailure } from "../errors/errors.ts";
import { hints } from "../errors/hints.ts";
import type { Lock } from "../files/lock.ts";
import type { Intent } from "../http/request.ts";
import { parseOrNull } from "../json/exact-json.ts";
import { lastEight } from "../token-value.ts";
import type { Contents, Entry, Head, HeadAddition } from "./entries.ts";
import { hashOf } from "./hashes.ts";
import { extractToken } from "./kept-values.ts";
import { createRecordFile, type RecordFile } from "./record-file.ts";
import { companionPath, journalIdFromPath } from "./state-folder.ts";

export interface Journal {
  readonly id: string;
  readonly path: string;
  /** The entry of each item when the journal was opened. */
  readonly initialEntries: ReadonlyMap<string, Entry>;
  /** The entry of an item as it is now. */
  latestEntry(item: string): Entry | undefined;
  /** True if one of the journal's records cannot be read, so that entries may be missing. */
  readonly isDamaged: boolean;
  /** True if the job may have changed anything; if not, there is no need to resume it. */
  hasEffect(): boolean;
  /** Appends to the head, on disk: another output file of this run, or the IDs of all items. */
  addToHead(more: HeadAddition): Promise<void>;
  /** Writes entries; resolves when they are on disk. Before `sent`, also reserves disk space for the response. */
  mark(...entries: readonly Entry[]): Promise<void>;
  /**
   * Records a planned item as sent without waiting for a sync: the record survives a crash of this process, but not a
   * power cut. Reserves disk space like `mark`.
   */
  markSent(entry: Entry): Promise<void>;
  /**
   * Writes an entry that may be lost; a later run then checks the item again. The entry survives a crash of this
   * process after the current turn of the event loop, and is on disk after the next `mark`. Disk errors are ignored.
   */
  note(entry: Entry): void;
  /** Closes the file and keeps it for a later run. */
  close(): Promise<void>;
  remove(): Promise<void>;
}

/** The fields that every entry of an item has. */
export type JournalItem = Pick<Entry, "item" | "last_eight">;

/** Creates the journal for an open file whose lock this run holds. */
export function createJournal(
  path: string,
  file: RecordFile,
  lock: Lock,
  { head, items, isDamaged }: Pick<Contents, "head" | "items" | "isDamaged">,
  bootId: string | null,
): Journal {
  const onDisk = (entry: Entry): Entry =>
    entry.state === "planned" && bootId !== null ? { boot: bootId, ...entry } : entry;
  const latest = new Map(items);
  const updateLatest = (entry: Entry): void => {
    latest.set(entry.item, { ...latest.get(entry.item), ...entry });
  };
  return {
    id: journalIdFromPath(path),
    path,
    initialEntries: items,
    isDamaged,
    latestEntry: (item) => latest.get(item),
    hasEffect: () =>
      isDamaged || [...latest.values()].some(({ state, lost }) => state !== "failed" || lost !== undefined),
    async addToHead(more) {
      await file.append(more);
    },
    async mark(...entries) {
      try {
        if (entries.some(({ state }) => state === "sent")) await file.reserve();
        await file.append(...entries.map(onDisk));
      } catch (error) {
        const isBehindRequest = entries.some(({ step }) => step !== undefined);
        throw stateFolderFailure(path, error, isBehindRequest ? "" : undefined);
      }
      for (const entry of entries) updateLatest(entry);
    },
    async markSent(entry) {
      try {
        await file.reserve();
        await file.write(entry);
      } catch (error) {
        throw stateFolderFailure(path, error);
      }
      updateLatest(entry);
    },
    note(entry) {
      file.note(onDisk(entry));
      updateLatest(entry);
    },
    async close() {
      // If the last sync fails, only entries of `note` are lost.
      await file.close().catch(() => undefined);
      // If the disk is full, the old file stays: it has the same entries, with delivered tokens still in them.
      const hasDelivered = [...latest.values()].some(
        ({ state, body }) => state === "done" && body !== undefined,
      );
      if (!isDamaged && head.keepsDelivered !== true && hasDelivered) {
        await rewrite(path, head, latest.values()).catch(() => undefined);
      }
      await lock.release();
    },
    async remove() {
      await file.close().catch(() => undefined);
      // A damaged journal may have had more entries, so it is not deleted.
      if (!isDamaged) {
        await unlink(path).catch(() => undefined);
        await deleteCompanions(path);
      }
      await lock.release();
    },
  };
}

/** Deletes a journal's companion files, except its lock. */
export async function deleteCompanions(path: string): Promise<void> {
  await unlink(companionPath(path, "announced")).catch(() => undefined);
  await unlink(companionPath(path, "command")).catch(() => undefined);
}

/**
 * The intent that an item's request carries. Marks the item as sent before the request. Keeps the response of a
 * success, and any other that contains a new token. Records after a 4xx response that nothing was changed, if
 * `isUnchanged`. `planned` resolves when the item is on disk as planned; null if it is not planned ahead.
 */
export function createIntent(
  journal: Journal,
  journalItem: JournalItem,
  planned: Promise<void> | null,
  isUnchanged: () => boolean,
): Intent & { readonly hasBeenSent: () => boolean } {
  let isPlanned = planned !== null;
  let isSent = false;
  let hasBeenSent = false;
  return {
    /** True if the request of this intent may have been sent. */
    hasBeenSent: () => hasBeenSent,
    async beforeSending() {
      if (isSent) return;
      await planned;
      if (isPlanned) await journal.markSent({ item: journalItem.item, state: "sent" });
      else await journal.mark({ ...journalItem, state: "sent" });
      isPlanned = false;
      isSent = true;
      hasBeenSent = true;
    },
    async keepResponse(status, body) {
      if (status >= 400 && status < 500) {
        // The same request may be sent again with a one-time password.
        isSent = false;
        if (isUnchanged()) journal.note({ ...journalItem, state: "failed" });
        return;
      }
      if (body.length === 0) return;
      if ((status < 200 || status > 299) && !isWholeAuthorization(body.toString("utf8"))) return;
      const kept = trimResponse(body);
      // A reset whose response contains the old token created no new one, so there is nothing to keep.
      if (containsOldToken(kept.toString("utf8"), journalItem)) return;
      // The token is still in memory: it is delivered even if the disk fails now.
      await journal
        .mark({ state: "answered", body: kept.toString("base64"), ...journalItem })
        .catch(() => undefined);
    },
  };
}

/**
 * Plans items in order, one block ahead of the item that `ready` was last called for. The items of a block share one
 * write and one sync, which overlap with the requests of the previous block. Within limits, each block is as long as
 * all before it, so that after a power cut a job re-checks hardly more items than it has completed.
 */
export function planIntents(journal: Journal, items: readonly JournalItem[]) {
  const planned = new Map<string, Promise<void>>();
  let next = 0;
  let length = 0;

  const planBlock = (): void => {
    length = Math.min(Math.max(minBlockItems, next), maxBlockItems);
    const block = items.slice(next, next + length);
    next += block.length;
    const marked = journal.mark(
      ...block.map((journalItem) => ({ state: "planned" as const, ...journalItem })),
    );
    // The failure is thrown by `ready` of each item in the block; it must not count as unhandled until then.
    marked.catch(() => undefined);
    for (const { item } of block) planned.set(item, marked);
  };

  return {
    /** Resolves when the item is on disk as planned, so that it may be sent; null if it is not one of `items`. */
    ready(item: string): Promise<void> | null {
      while (planned.size <= length && next < items.length) planBlock();
      const marked = planned.get(item) ?? null;
      planned.delete(item);
      return marked;
    },
    /** Records that the remaining planned items were not sent. */
    async abandon(): Promise<void> {
      if (planned.size === 0) return;
      await Promise.allSettled(planned.values());
      await journal.mark(
        ...[...planned.keys()].map((item) => ({ item, state: "failed" as const, isUntried: true })),
      );
    },
  };
}

/** Enough items to hide a slow disk behind the requests. */
const minBlockItems = 32;
/** Large enough to make syncs cheap, small enough to re-check after a power cut. */
const maxBlockItems = 256;

/** Turns a system error into a usage failure, with `consequence` at its end; returns any other error unchanged. */
export function stateFolderFailure(
  path: string,
  error: unknown,
  consequence = ", so grantctl cannot record its changes there; nothing was sent",
): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error as Error;
  return usageFailure(
    `the state directory cannot be written (${code}: ${path})${consequence}`,
    hints.stateFolder,
  );
}

/** Rewrites the journal without the tokens that were delivered. */
async function rewrite(path: string, head: Head, entries: Iterable<Entry>): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString("hex")}`;
  const file = await createRecordFile(temporary);
  const records = [...entries].map(({ body, ...entry }) =>
    entry.state === "answered" && body !== undefined ? { ...entry, body } : entry,
  );
  await Promise.all([head, ...records].map((record) => file.append(record)));
  await file.close();
  await rename(temporary, path);
}

/** Longer responses are cut to this length if the token is within it, as it usually is. */
const maxKeptBytes = 8 * 1024;

function trimResponse(body: Buffer): Buffer {
  if (body.length <= maxKeptBytes) return body;
  const beginning = body.subarray(0, maxKeptBytes);
  return extractToken(beginning.toString("utf8")) === extractToken(body.toString("utf8")) ? beginning : body;
}

/**
 * True if a response contains a token that matches its `token_last_eight`. Even a failed request may return a new
 * token.
 */
function isWholeAuthorization(text: string): boolean {
  if (!text.includes('"token_last_eight"')) return false;
  const response = parseOrNull(text) as { readonly token_last_eight?: unknown } | null;
  const token = extractToken(text);
  return token !== null && token.length > 8 && response?.token_last_eight === lastEight(token);
}

/** True if a response repeats the old token, which the request was about. */
function containsOldToken(text: string, { item, last_eight }: JournalItem): boolean {
  // Fast path: most responses do not contain its last characters. A backslash escape may hide them.
  if (last_eight !== undefined && !text.includes(last_eight) && !text.includes("\\")) return false;
  const token = extractToken(text);
  return token !== null && hashOf(token) === item;
}
