// The journals of this machine's user: one file for each job under way or left behind, one item or ten thousand.
// A journal that has nothing left to tell is deleted.
import { randomBytes } from "node:crypto";
import { readdir, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { usageFailure } from "../errors/errors.ts";
import { makesValues, readContents, type Contents, type Entry, type Head } from "./entries.ts";
import { isLocked, takeLock, type Lock, type ProcessTable } from "../files/lock.ts";
import { syncFolder } from "../files/durable-writes.ts";
import { preparePrivateFolder } from "../files/private-folder.ts";
import {
  createRecordFile,
  isBlankFile,
  readRecords,
  reopenRecordFile,
  type RecordFile,
} from "./record-file.ts";
import { isJob } from "./resumption.ts";
import { isSealed, openSealed, toSealed } from "./sealed-entries.ts";
import type { FindVault, Vault } from "./vault.ts";

const suffix = ".journal";

const stateFolderPurpose = {
  name: "state folder",
  consequence: "that a token's value could be lost",
  hint: "set GRANTCTL_STATE_DIR to a folder of yours",
};

/** Room for what must follow a request that has left: one answer, or those of all that are on their way. */
const singleRoomBytes = 64 * 1024;
const jobRoomBytes = 128 * 1024;

export interface Journal {
  readonly id: string;
  readonly path: string;
  /** What was known of each item when the journal was opened. */
  readonly before: ReadonlyMap<string, Entry>;
  /** What is known of an item by now. */
  latest(item: string): Entry | undefined;
  /** Whether anything was changed by it, or may have been: else a new job does as well. */
  hasEffect(): boolean;
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

/** A journal that no running process uses. */
export interface Leftover {
  readonly id: string;
  readonly path: string;
  /** Values that were sealed still are. */
  readonly contents: Contents;
}

export interface Journals {
  create(head: Head): Promise<Journal>;
  /** Opens a leftover again. Throws a usage failure when it is in use, or is no journal. */
  reopen(path: string): Promise<{ readonly journal: Journal; readonly head: Head }>;
  /** What earlier runs left, oldest first. Takes away what has nothing left to tell. */
  leftovers(): Promise<readonly Leftover[]>;
  /** The leftover with its values opened. Throws an authentication failure where that needs a key that is not to be had. */
  unseal(leftover: Leftover): Promise<Leftover>;
  /** Deletes a leftover. Throws a usage failure while it is in use. */
  forget(leftover: Leftover): Promise<void>;
}

/** The journals in `folder`. Nothing is created before the first journal is. */
export function createJournals(
  folder: string,
  processes: ProcessTable,
  findVault: FindVault = () => Promise.resolve(null),
): Journals {
  const vaultFor = async ({ operation }: Head): Promise<Vault | null> =>
    makesValues(operation) ? findVault() : null;

  return {
    async create(head) {
      await preparePrivateFolder(folder, stateFolderPurpose);
      // Before the request, so that the answer need not wait for a keychain.
      const vault = await vaultFor(head);
      const id = `${head.created_at.slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-")}-${randomBytes(3).toString("hex")}`;
      const path = join(folder, `${id}${suffix}`);
      try {
        const lock = await takeLock(lockPath(path), processes);
        if (lock === null) throw usageFailure(`the journal ${id} is in use`);
        const file = await createRecordFile(path, head.total > 1 ? jobRoomBytes : singleRoomBytes);
        await file.append(head);
        await file.reserve();
        await syncFolder(folder);
        return openJournal(path, file, lock, { head, items: new Map() }, vault);
      } catch (error) {
        await unlink(path).catch(() => undefined);
        await unlink(lockPath(path)).catch(() => undefined);
        throw unwritable(folder, error);
      }
    },

    async reopen(path) {
      const lock = await takeLock(lockPath(path), processes);
      if (lock === null) throw usageFailure("another grantctl is working on this journal");
      try {
        const { file, checked } = await reopenRecordFile(path, async (records) => {
          const { head, items } = contentsOf(path, records);
          const vault = await vaultFor(head);
          return { contents: { head, items: openSealed(items, vault) }, vault };
        });
        const { contents, vault } = checked;
        return { journal: openJournal(path, file, lock, contents, vault), head: contents.head };
      } catch (error) {
        await lock.release();
        throw (error as NodeJS.ErrnoException).code === undefined
          ? error
          : usageFailure(
              `there is no journal at ${path}; a job that is finished leaves none`,
              "grantctl recover list",
            );
      }
    },

    async leftovers() {
      const names = await readdir(folder).catch(() => []);
      const found: Leftover[] = [];
      // What a kill left of a journal that was being written anew; the old one is still there.
      for (const name of names.filter((other) => /\.journal\.[0-9a-f]{8}$/.test(other))) {
        const path = join(folder, name.slice(0, name.lastIndexOf(".")));
        if (!(await isLocked(lockPath(path), processes)))
          await unlink(join(folder, name)).catch(() => undefined);
      }
      for (const name of names.filter((other) => other.endsWith(suffix)).toSorted()) {
        const path = join(folder, name);
        if (await isLocked(lockPath(path), processes)) continue;
        const records = await readRecords(path).catch(() => null);
        const contents = records === null ? null : readContents(records);
        if (contents !== null && hasSomethingToTell(contents)) found.push({ id: idOf(path), path, contents });
        // Without a head nothing was ever sent; what cannot be read may be of another version, and stays.
        else if (contents !== null || (await isBlankFile(path))) await removeFiles(path);
      }
      return found;
    },

    async unseal(leftover) {
      const { head, items } = leftover.contents;
      if (![...items.values()].some(isSealed)) return leftover;
      return { ...leftover, contents: { head, items: openSealed(items, await findVault()) } };
    },

    async forget({ id, path }) {
      if (await isLocked(lockPath(path), processes))
        throw usageFailure(`another grantctl is working on ${id}`);
      await removeFiles(path);
    },
  };
}

function openJournal(
  path: string,
  file: RecordFile,
  lock: Lock,
  { head, items }: Contents,
  vault: Vault | null,
): Journal {
  const latest = new Map(items);
  const learn = (entry: Entry): void => {
    latest.set(entry.item, { ...latest.get(entry.item), ...entry });
  };
  return {
    id: idOf(path),
    path,
    before: items,
    latest: (item) => latest.get(item),
    hasEffect: () => [...latest.values()].some(({ state }) => state !== "failed" && state !== "planned"),
    async mark(...entries) {
      try {
        if (entries.some(({ state }) => state === "sent")) await file.reserve();
        await file.append(...entries.map((entry) => toSealed(entry, vault)));
      } catch (error) {
        throw unwritable(path, error);
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
      file.note(toSealed(entry, vault));
      learn(entry);
    },
    async close() {
      // What could not be synced is what was noted alone.
      await file.close().catch(() => undefined);
      // A disk that is full keeps the old one, which says all the same.
      if ([...latest.values()].some(holdsDeliveredValue)) {
        await rewrite(path, head, latest.values(), vault).catch(() => undefined);
      }
      await lock.release();
    },
    async remove() {
      await file.close().catch(() => undefined);
      await unlink(path).catch(() => undefined);
      await lock.release();
    },
  };
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

/** Something was sent of which the end is not known, a value waits, or a job of many is not finished. */
function hasSomethingToTell({ head, items }: Contents): boolean {
  const states = [...items.values()].map(({ state }) => state);
  if (states.some((state) => state === "sent" || state === "answered")) return true;
  return isJob(head) && states.filter((state) => state === "done").length < head.total;
}

function idOf(path: string): string {
  return path.replace(/^.*[\\/]/, "").replace(/\.journal$/, "");
}

function lockPath(path: string): string {
  return `${path}.lock`;
}

async function removeFiles(path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
  await unlink(lockPath(path)).catch(() => undefined);
}

function contentsOf(path: string, records: readonly unknown[]): Contents {
  const contents = readContents(records);
  if (contents === null) throw usageFailure(`${path} is not a journal of grantctl`);
  return contents;
}

function unwritable(path: string, error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error as Error;
  return usageFailure(
    `the state folder cannot be written (${code}: ${path}), so that a token's value could be lost; nothing was sent`,
    "make room there, or set GRANTCTL_STATE_DIR to another folder",
  );
}
