// One journal while a run writes to it: what is known of each item, on disk and in memory. Its end is to be closed, for a
// later run, or to be removed.
import { randomBytes } from "node:crypto";
import { rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { usageFailure } from "../errors/errors.ts";
import type { Lock } from "../files/lock.ts";
import { announcedPath } from "./announced.ts";
import { isFinished, type Contents, type Entry, type Head } from "./entries.ts";
import { noteFinished } from "./finished-shards.ts";
import { createRecordFile, type RecordFile } from "./record-file.ts";
import { toSealed } from "./sealed-entries.ts";
import type { Vault } from "./vault.ts";

/** The end of a journal's name. */
export const suffix = ".journal";

export interface Journal {
  readonly id: string;
  readonly path: string;
  /** What was known of each item when the journal was opened. */
  readonly before: ReadonlyMap<string, Entry>;
  /** What is known of an item by now. */
  latest(item: string): Entry | undefined;
  /** Whether a record of it cannot be read: what it said is missing. */
  readonly isDamaged: boolean;
  /** Whether anything was changed by it, or may have been: else a new job does as well. */
  hasEffect(): boolean;
  /** Notes, on disk, that this run gives its values to another file than those before. */
  addOutputFile(identity: string): Promise<void>;
  /** Resolves when they are on disk. A `sent` also makes sure that there is room for what must follow it. */
  mark(...entries: readonly Entry[]): Promise<void>;
  /** Lets go of an item that is planned on disk: that it is sent outlives this process. Makes room as `mark` does. */
  send(entry: Entry): Promise<void>;
  /**
   * Notes what costs no more than a second look where it is lost: in a moment it outlives this process, and it is on
   * disk with what is marked next. A disk that does not take it changes nothing.
   */
  note(entry: Entry): void;
  /** Ends this run's use; the file stays for a later one. */
  close(): Promise<void>;
  /** Ends it for good. */
  remove(): Promise<void>;
}

/** A journal on its open file, of which this run holds the lock. */
export function journalOn(
  path: string,
  file: RecordFile,
  lock: Lock,
  { head, items, isDamaged }: Contents,
  vault: Vault | null,
  bootId: string | null,
): Journal {
  const onDisk = (entry: Entry): Entry =>
    toSealed(entry.state === "planned" && bootId !== null ? { ...entry, boot: bootId } : entry, vault);
  const latest = new Map(items);
  const learn = (entry: Entry): void => {
    latest.set(entry.item, { ...latest.get(entry.item), ...entry });
  };
  return {
    id: idOf(path),
    path,
    before: items,
    isDamaged,
    latest: (item) => latest.get(item),
    hasEffect: () =>
      isDamaged || [...latest.values()].some(({ state, lost }) => state !== "failed" || lost !== undefined),
    async addOutputFile(identity) {
      await file.append({ output: identity });
    },
    async mark(...entries) {
      try {
        if (entries.some(({ state }) => state === "sent")) await file.reserve();
        await file.append(...entries.map(onDisk));
      } catch (error) {
        const isBehindRequest = entries.some(({ step }) => step !== undefined);
        throw unwritable(path, error, isBehindRequest ? "" : undefined);
      }
      for (const entry of entries) learn(entry);
    },
    async send(entry) {
      try {
        await file.reserve();
        file.write(entry);
      } catch (error) {
        throw unwritable(path, error);
      }
      learn(entry);
    },
    note(entry) {
      file.note(onDisk(entry));
      learn(entry);
    },
    async close() {
      // What could not be synced is what was noted alone.
      await file.close().catch(() => undefined);
      // A disk that is full keeps the old one, which says all the same.
      if (!isDamaged && [...latest.values()].some(holdsDeliveredValue)) {
        await rewrite(path, head, latest.values(), vault).catch(() => undefined);
      }
      await lock.release();
    },
    async remove() {
      await file.close().catch(() => undefined);
      const isSettled = await settle(path, { head, items: latest }).then(
        () => true,
        () => false,
      );
      // What a damaged one said besides is not known.
      if (!isDamaged && isSettled) {
        await unlink(path).catch(() => undefined);
        await unlink(announcedPath(path)).catch(() => undefined);
      }
      await lock.release();
    },
  };
}

/** A shard that is finished says so before its journal goes, which is kept where that cannot be noted. */
export async function settle(path: string, contents: Pick<Contents, "head" | "items"> | null): Promise<void> {
  if (contents !== null && isFinished(contents)) await noteFinished(dirname(path), contents.head);
}

function holdsDeliveredValue({ state, body }: Entry): boolean {
  return state === "done" && body !== undefined;
}

/** Writes the journal anew, without the values that need not be kept any more. */
async function rewrite(
  path: string,
  head: Head,
  entries: Iterable<Entry>,
  vault: Vault | null,
): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString("hex")}`;
  const file = await createRecordFile(temporary);
  const records = [...entries].map(({ body, ...entry }) =>
    entry.state === "answered" && body !== undefined ? toSealed({ ...entry, body }, vault) : entry,
  );
  await Promise.all([head, ...records].map((record) => file.append(record)));
  await file.close();
  await rename(temporary, path);
}

/** What a journal is called. */
export function idOf(path: string): string {
  return path.replace(/^.*[\\/]/, "").replace(/\.journal$/, "");
}

/** Where the lock of a journal is. */
export function lockPath(path: string): string {
  return `${path}.lock`;
}

/** What helps where a state folder takes nothing. */
export const elsewhere = "make room there, or set GRANTCTL_STATE_DIR to another folder";

/** `consequence` is what follows from it. */
/** The usage failure for what the system refused; every other error as it is. */
export function unwritable(
  path: string,
  error: unknown,
  consequence = ", so that a token's value could be lost; nothing was sent",
): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error as Error;
  return usageFailure(`the state folder cannot be written (${code}: ${path})${consequence}`, elsewhere);
}
