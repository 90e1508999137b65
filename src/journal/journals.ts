// The journals of this machine's user: one file for each job under way or left behind, one item or ten thousand.
// A journal that has nothing left to tell is deleted.
import { randomBytes } from "node:crypto";
import { readdir, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { usageFailure, type Failure } from "../errors/errors.ts";
import { announcedPath } from "./announced.ts";
import {
  isJob,
  isOfLaterVersion,
  makesValues,
  readContents,
  withoutUnsent,
  type Contents,
  type Entry,
  type Head,
} from "./entries.ts";
import { noteFinished } from "./finished-shards.ts";
import { isLocked, takeLock, type Lock, type ProcessTable } from "../files/lock.ts";
import { syncFolder } from "../files/durable-writes.ts";
import { preparePrivateFolder } from "../files/private-folder.ts";
import {
  createRecordFile,
  isBlankFile,
  readRecords,
  reopenRecordFile,
  type ReadRecords,
  type RecordFile,
} from "./record-file.ts";
import { isSealed, openSealed, toSealed } from "./sealed-entries.ts";
import { stateFolderPurpose } from "./state-folder.ts";
import type { FindVault, Vault } from "./vault.ts";

const suffix = ".journal";

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

/** A journal that no running process uses. */
export interface Leftover {
  readonly id: string;
  readonly path: string;
  /** Values that were sealed still are. What was planned and certainly not sent is left out. */
  readonly contents: Contents;
}

/** A journal that only a later version of grantctl can read. */
export interface LaterLeftover {
  readonly id: string;
  readonly path: string;
}

export interface Journals {
  create(head: Head): Promise<Journal>;
  /** Opens a leftover again. Throws a usage failure when it is in use, or is no journal. */
  reopen(
    path: string,
  ): Promise<{ readonly journal: Journal; readonly head: Head; readonly outputFiles: readonly string[] }>;
  /**
   * What earlier runs left, oldest first. Takes away what has nothing left to tell. Throws a usage failure for a folder
   * that cannot be read.
   */
  leftovers(): Promise<readonly Leftover[]>;
  /** What later versions of grantctl left. */
  laterLeftovers(): Promise<readonly LaterLeftover[]>;
  /** Whether any journal, of a running job too, may hold a value that is sealed. */
  mayHoldSealed(): Promise<boolean>;
  /** Reads a leftover as it is. Throws a usage failure where there is none, or it is in use. */
  look(path: string): Promise<Leftover>;
  /** The leftover with its values opened. Throws an authentication failure where that needs a key that is not to be had. */
  unseal(leftover: Leftover): Promise<Leftover>;
  /** Deletes a leftover. Throws a usage failure while it is in use, and when it cannot be deleted. */
  forget(leftover: LaterLeftover): Promise<void>;
}

/** The journals in `folder`. Nothing is created before the first journal is. */
export function createJournals(
  folder: string,
  processes: ProcessTable,
  findVault: FindVault = () => Promise.resolve(null),
): Journals {
  const { bootId = null } = processes;
  const vaultFor = async ({ operation }: Head): Promise<Vault | null> =>
    makesValues(operation) ? findVault() : null;

  const journals: Journals = {
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
        const contents = { head, items: new Map(), outputFiles: [], isDamaged: false };
        return openJournal(path, file, lock, contents, vault, bootId);
      } catch (error) {
        await unlink(path).catch(() => undefined);
        await unlink(lockPath(path)).catch(() => undefined);
        throw unwritable(folder, error);
      }
    },

    async look(path) {
      try {
        const contents = contentsOf(path, await readRecords(path));
        if (await isLocked(lockPath(path), processes)) throw inUse();
        return { id: idOf(path), path, contents: { ...contents, items: withoutUnsent(contents, bootId) } };
      } catch (error) {
        throw unopenable(path, error);
      }
    },

    async reopen(path) {
      let lock: Lock | null = null;
      try {
        lock = await takeLock(lockPath(path), processes);
        if (lock === null) throw inUse();
        const { file, checked } = await reopenRecordFile(path, async (records, isDamaged) => {
          const contents = contentsOf(path, { records, isDamaged });
          const vault = await vaultFor(contents.head);
          const items = openSealed(withoutUnsent(contents, bootId), vault);
          return { contents: { ...contents, items }, vault };
        });
        const { contents, vault } = checked;
        const { head, outputFiles } = contents;
        return { journal: openJournal(path, file, lock, contents, vault, bootId), head, outputFiles };
      } catch (error) {
        await lock?.release();
        throw unopenable(path, error);
      }
    },

    async leftovers() {
      const names = await namesIn(folder);
      const found: Leftover[] = [];
      // What a kill left of a journal that was being written anew; the old one is still there.
      for (const name of names.filter((other) => /\.journal\.[0-9a-f]{8}$/.test(other))) {
        const path = join(folder, name.slice(0, name.lastIndexOf(".")));
        if (!(await isLocked(lockPath(path), processes)))
          await unlink(join(folder, name)).catch(() => undefined);
      }
      for (const name of names.filter((other) => other.endsWith(suffix))) {
        const path = join(folder, name);
        if (await isLocked(lockPath(path), processes)) continue;
        const read = await readRecords(path).catch(() => null);
        const all = read === null ? null : readContents(read);
        const contents = all === null ? null : { ...all, items: withoutUnsent(all, bootId) };
        if (contents !== null && hasSomethingToTell(contents)) found.push({ id: idOf(path), path, contents });
        // Without a head nothing was ever sent; what cannot be read may be of another version, and stays.
        else if (contents !== null || (await isBlankFile(path)))
          await settle(path, contents)
            .then(() => removeFiles(path))
            .catch(() => undefined);
      }
      return found;
    },

    async laterLeftovers() {
      const paths = (await namesIn(folder))
        .filter((name) => name.endsWith(suffix))
        .map((name) => join(folder, name));
      const found: LaterLeftover[] = [];
      for (const path of paths) {
        const { records } = await readRecords(path).catch(() => ({ records: [] }));
        if (isOfLaterVersion(records)) found.push({ id: idOf(path), path });
      }
      return found;
    },

    async mayHoldSealed() {
      const left = await journals.leftovers();
      // What another run is writing to, and what cannot be read, may hold anything.
      const known = new Set(left.map(({ path }) => path));
      const names = (await namesIn(folder)).filter((name) => name.endsWith(suffix));
      return (
        names.some((name) => !known.has(join(folder, name))) ||
        left.some(({ contents }) => contents.isDamaged || [...contents.items.values()].some(isSealed))
      );
    },

    async unseal(leftover) {
      const { contents } = leftover;
      if (![...contents.items.values()].some(isSealed)) return leftover;
      return { ...leftover, contents: { ...contents, items: openSealed(contents.items, await findVault()) } };
    },

    async forget({ id, path }) {
      if (await isLocked(lockPath(path), processes))
        throw usageFailure(`another grantctl is working on ${id}`);
      try {
        await removeFiles(path);
      } catch (error) {
        throw usageFailure(
          `${path} cannot be deleted (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`,
        );
      }
    },
  };
  return journals;
}

function openJournal(
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
async function settle(path: string, contents: Pick<Contents, "head" | "items"> | null): Promise<void> {
  if (contents !== null && isFinished(contents)) await noteFinished(dirname(path), contents.head);
}

/** Whether every item is done. */
export function isFinished({ head, items }: Pick<Contents, "head" | "items">): boolean {
  return [...items.values()].filter(({ state }) => state === "done").length >= head.total;
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
export function hasSomethingToTell({ head, items, isDamaged }: Contents): boolean {
  const states = [...items.values()].map(({ state }) => state);
  if (isDamaged || states.some((state) => state !== "done" && state !== "failed")) return true;
  return isJob(head) && states.filter((state) => state === "done").length < head.total;
}

function idOf(path: string): string {
  return path.replace(/^.*[\\/]/, "").replace(/\.journal$/, "");
}

function lockPath(path: string): string {
  return `${path}.lock`;
}

/** Throws the system's error where the journal stays. */
async function removeFiles(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  });
  await unlink(announcedPath(path)).catch(() => undefined);
  await unlink(lockPath(path)).catch(() => undefined);
}

/** The names in the folder, in order; none where there is no folder yet. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).toSorted();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    throw usageFailure(`the state folder ${folder} cannot be read (${code ?? "unknown error"})`, elsewhere);
  }
}

function contentsOf(path: string, read: ReadRecords): Contents {
  if (isOfLaterVersion(read.records)) {
    throw usageFailure(`${path} was written by a later version of grantctl, which this one cannot read`);
  }
  const contents = readContents(read);
  if (contents === null) throw usageFailure(`${path} is not a journal of grantctl`);
  return contents;
}

function inUse(): Failure {
  return usageFailure("another grantctl is working on this journal");
}

function unopenable(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  if (code === "ENOENT" || code === "ENOTDIR") {
    return usageFailure(
      `there is no journal at ${path}; a job that is finished leaves none`,
      "grantctl recover list",
    );
  }
  return unwritable(path, error);
}

const elsewhere = "make room there, or set GRANTCTL_STATE_DIR to another folder";

/** `consequence` is what follows from it. */
function unwritable(
  path: string,
  error: unknown,
  consequence = ", so that a token's value could be lost; nothing was sent",
): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error as Error;
  return usageFailure(`the state folder cannot be written (${code}: ${path})${consequence}`, elsewhere);
}
