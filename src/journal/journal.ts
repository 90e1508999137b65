// One open journal: the entry of each item, on disk and in memory. At the end of the run it is either closed, for a
// later run, or removed.
import { randomBytes } from "node:crypto";
import { rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { usageFailure } from "../errors/errors.ts";
import type { Lock } from "../files/lock.ts";
import { announcedPath } from "./announced.ts";
import { isFinished, type Contents, type Entry, type Head, type MoreOfHead } from "./entries.ts";
import { noteFinished } from "./finished-shards.ts";
import { createRecordFile, type RecordFile } from "./record-file.ts";
import { toSealed } from "./sealed-entries.ts";
import type { Vault } from "./vault.ts";

/** The end of a journal's name. */
export const suffix = ".journal";

export interface Journal {
  readonly id: string;
  readonly path: string;
  /** The entry of each item when the journal was opened. */
  readonly before: ReadonlyMap<string, Entry>;
  /** The entry of an item as it is now. */
  latest(item: string): Entry | undefined;
  /** Whether one of the journal's records cannot be read, so that entries may be missing. */
  readonly isDamaged: boolean;
  /** Whether the job may have changed anything; if not, there is no need to resume it. */
  hasEffect(): boolean;
  /** Records, on disk, what the head lacks: another file that this run writes its tokens to, or the IDs of all items. */
  addToHead(more: MoreOfHead): Promise<void>;
  /**
   * Writes entries; resolves when they are on disk. Before `sent`, it also reserves room for the answer on the disk.
   */
  mark(...entries: readonly Entry[]): Promise<void>;
  /**
   * Notes that an item which is planned on disk is now sent, without waiting for the disk: the note survives this
   * process, but not a power cut. Reserves room as `mark` does.
   */
  send(entry: Entry): Promise<void>;
  /**
   * Writes an entry that may be lost: a later run would then check the item again. A moment later the entry survives
   * this process, and with the next `mark` it is on disk. A failing disk is ignored.
   */
  note(entry: Entry): void;
  /** Closes the file, which stays for a later run. */
  close(): Promise<void>;
  remove(): Promise<void>;
}

/** A journal on its open file, whose lock this run holds. */
export function journalOn(
  path: string,
  file: RecordFile,
  lock: Lock,
  { head, items, isDamaged }: Contents,
  vault: Vault | null,
  bootId: string | null,
): Journal {
  const onDisk = (entry: Entry): Entry =>
    toSealed(entry.state === "planned" && bootId !== null ? { boot: bootId, ...entry } : entry, vault);
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
    async addToHead(more) {
      await file.append(more);
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
        await file.write(entry);
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
      // If the last sync fails, only entries of `note` are lost.
      await file.close().catch(() => undefined);
      // Where the disk is full, the old file stays: it has the same entries, with delivered tokens still in them.
      if (!isDamaged && head.keepsDelivered !== true && [...latest.values()].some(holdsDeliveredValue)) {
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
      // A damaged journal may have had more entries, so it is not deleted.
      if (!isDamaged && isSettled) {
        await unlink(path).catch(() => undefined);
        await unlink(announcedPath(path)).catch(() => undefined);
        await unlink(lockPath(path, "command")).catch(() => undefined);
      }
      await lock.release();
    },
  };
}

/** To be called before a journal is deleted: records that its shard is finished, if it is. Throws where that fails. */
export async function settle(path: string, contents: Pick<Contents, "head" | "items"> | null): Promise<void> {
  if (contents !== null && isFinished(contents)) {
    // The folder was checked when the journal was opened.
    await noteFinished(dirname(path), contents.head, null);
  }
}

function holdsDeliveredValue({ state, body }: Entry): boolean {
  return state === "done" && body !== undefined;
}

/** Rewrites the journal without the tokens that were delivered. */
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

/** The ID of the journal at this path: its name without folders and without the suffix. */
export function idOf(path: string): string {
  return path.replace(/^.*[\\/]/, "").replace(/\.journal$/, "");
}

/**
 * The path of a lock beside the journal at this path: of the run that writes the journal, or in the name of the process in
 * which the command of `authorization run` runs.
 */
export function lockPath(path: string, holder: "lock" | "command" = "lock"): string {
  return `${path}.${holder}`;
}

/** The hint where the state folder cannot be written to. */
export const elsewhere = "make room there, or set GRANTCTL_STATE_DIR to another folder";

/** Turns a system error into a usage failure, with `consequence` at its end; any other error comes back as it is. */
export function unwritable(
  path: string,
  error: unknown,
  consequence = ", so grantctl cannot record its changes there; nothing was sent",
): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error as Error;
  return usageFailure(`the state folder cannot be written (${code}: ${path})${consequence}`, elsewhere);
}
