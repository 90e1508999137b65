// The folder of this user's journals: one file per job that is in progress or unfinished, whether it has one item or
// ten thousand. A journal without an undelivered token, an unknown outcome or unfinished work is deleted.
//
//   record-file.ts     lines with checksums, synced in groups; a torn end is dropped, damage is noticed
//   entries.ts         the format of the records: a head, then the states of the items
//   kept-values.ts     responses with new tokens
//   journal.ts         one open journal, and the life cycle of its items
//   journals.ts        all journals: create, reopen, list, forget
//   leftover.ts        the summary of a journal that an earlier run left
//
// A process that changes a journal holds its lock (files/lock.ts). Listing takes no locks and changes nothing, except
// that a journal that is no longer needed is re-read under its lock and then deleted.
import { randomBytes } from "node:crypto";
import { lstat, readdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Failure, usageFailure } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import { hints } from "../errors/hints.ts";
import { Unreadable } from "../files/bounded-reads.ts";
import {
  readLockHolder,
  isLocked,
  releaseForeign,
  takeLock,
  type Holder,
  type Lock,
  type ProcessTable,
} from "../files/lock.ts";
import {
  checkPrivateFolder,
  checkTrustedFolder,
  preparePrivateFolder,
  type Trust,
} from "../files/trusted.ts";
import { syncFolder } from "../files/writes.ts";
import {
  mustBeKept,
  laterVersion,
  readContents,
  unreadable,
  type Contents,
  type Head,
  type HeadAddition,
} from "./entries.ts";
import { createJournal, deleteCompanions, stateFolderFailure, type Journal } from "./journal.ts";
import type { JournalRef, Leftover } from "./leftover.ts";
import {
  createRecordFile,
  isBlankFile,
  readRecords,
  reopenRecordFile,
  type ReadRecords,
} from "./record-file.ts";
import { companionPath, journalIdFromPath, stateFolderPurpose, journalSuffix } from "./state-folder.ts";

export type Journals = ReturnType<typeof createJournals>;

/** The journals in `folder`. The folder is created with the first journal. */
export function createJournals(
  folder: string,
  processes: ProcessTable,
  trust: Trust = { userId: null, named: [] },
) {
  const { bootId } = processes;

  /** All journals in the folder, sorted by name. */
  const paths = async (): Promise<readonly string[]> =>
    (await listFolder(folder, trust))
      .filter((name) => name.endsWith(journalSuffix))
      .map((name) => join(folder, name));

  /** Cleans up under the lock of the journal at `path`, unless another process holds it. */
  const cleanUp = async (path: string, work: () => Promise<void>): Promise<void> => {
    const lock = await takeLock(companionPath(path, "lock"), processes).catch(() => null);
    if (lock === null) return;
    // A file that cannot be deleted stays, and the next run tries again.
    await work().catch(() => undefined);
    await lock.release();
  };

  /** Deletes a journal, after reading it again: another process may have taken it before this one had its lock. */
  const deleteUnused = async (path: string): Promise<void> => {
    const found = await readJournalAt(path, bootId);
    if (found === laterVersion || (found !== null && mustBeKept(found))) return;
    await removeFiles(path);
  };

  /**
   * The journals that earlier runs left, oldest first; `newest` limits how many of the newest are read. Deletes those
   * no longer needed. Throws a usage failure if the folder cannot be read.
   */
  const leftovers = async (newest?: number): Promise<readonly Leftover[]> => {
    const names = await listFolder(folder, trust);
    const all = names.filter((name) => name.endsWith(journalSuffix));
    const wanted = new Set(newest === undefined ? all : all.slice(-newest));
    // Half-written copies, left when a run was killed while it rewrote a journal: the old file is still there.
    for (const draft of names.filter((name) => /\.journal\.[0-9a-f]{8}$/.test(name))) {
      const name = draft.slice(0, draft.lastIndexOf("."));
      if (wanted.has(name)) await cleanUp(join(folder, name), () => unlink(join(folder, draft)));
    }
    const found: Leftover[] = [];
    for (const name of wanted) {
      const path = join(folder, name);
      if (await isLocked(companionPath(path, "lock"), processes)) continue;
      const contents = await readJournalAt(path, bootId);
      if (contents === laterVersion) continue;
      if (contents !== null && mustBeKept(contents)) found.push({ ...refTo(path), contents });
      else await cleanUp(path, () => deleteUnused(path));
    }
    return found;
  };

  return {
    /** Creates a journal on disk; `ids` are those of all items, if the journal keeps them. */
    async create(head: Head, ids?: readonly string[]): Promise<Journal> {
      await preparePrivateFolder(folder, stateFolderPurpose, trust);
      const id = `${head.created_at.slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-")}-${randomBytes(3).toString("hex")}`;
      const path = join(folder, `${id}${journalSuffix}`);
      let lock: Lock | null = null;
      let isOurs = false;
      try {
        lock = await takeLock(companionPath(path, "lock"), processes);
        if (lock === null) throw usageFailure(`the journal ${id} is in use`);
        const file = await createRecordFile(path, reservedBytesFor(head));
        isOurs = true;
        await file.append(head, ...(ids === undefined ? [] : [{ ids } satisfies HeadAddition]));
        await file.reserve();
        await syncFolder(folder);
        return createJournal(path, file, lock, { head, items: new Map(), isDamaged: false }, bootId);
      } catch (error) {
        // Another run may have a journal of this name.
        if (isOurs) await unlink(path).catch(() => undefined);
        await lock?.release();
        throw stateFolderFailure(folder, error);
      }
    },

    /** Throws a usage failure if no journal could be created, as far as that can be checked without creating one. */
    checkCanCreate: () => checkPrivateFolder(folder, stateFolderPurpose, trust),

    /** Reads a leftover without changing it. Throws a usage failure if there is none, or while it is in use. */
    async readLeftover(path: string): Promise<Leftover> {
      try {
        checkTrustedFolder(dirname(path), trust);
        const contents = parseJournal(path, await readRecords(path), bootId);
        if (await isLocked(companionPath(path, "lock"), processes)) throw await inUseFailure(path, processes);
        return { ...refTo(path), contents };
      } catch (error) {
        throw openFailure(path, error);
      }
    },

    /** Reopens a leftover. Throws a usage failure if another run uses it, or if it is not a journal. */
    async reopen(path: string) {
      let lock: Lock | null = null;
      try {
        checkTrustedFolder(dirname(path), trust);
        lock = await takeLock(companionPath(path, "lock"), processes);
        if (lock === null) throw await inUseFailure(path, processes);
        const { file, checked: contents } = await reopenRecordFile(path, (read) =>
          parseJournal(path, read, bootId),
        );
        return { ...contents, journal: createJournal(path, file, lock, contents, bootId) };
      } catch (error) {
        await lock?.release();
        throw openFailure(path, error);
      }
    },

    leftovers,

    /** The journals whose lock belongs to a process that is not visible from here, such as one on another host. */
    async heldElsewhere(): Promise<readonly JournalRef[]> {
      const found: JournalRef[] = [];
      for (const path of await paths()) {
        const holder = await readLockHolder(companionPath(path, "lock"), processes);
        if (holder !== null && !holder.isVisible) found.push(refTo(path));
      }
      return found;
    },

    async laterLeftovers(): Promise<readonly JournalRef[]> {
      const found: JournalRef[] = [];
      for (const path of await paths()) {
        if ((await readJournalAt(path, bootId)) === laterVersion) found.push(refTo(path));
      }
      return found;
    },

    /** Deletes a leftover. Throws a usage failure while it is in use, and when it cannot be deleted. */
    async forget({ path }: JournalRef): Promise<void> {
      const lock = await takeLock(companionPath(path, "lock"), processes);
      if (lock === null) throw await inUseFailure(path, processes);
      try {
        await removeFiles(path);
      } catch (error) {
        await lock.release();
        throw usageFailure(
          `${path} cannot be deleted (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`,
        );
      }
    },

    /** Releases the lock of a journal. Throws a usage failure if its holder is visible from here. */
    async release({ path }: JournalRef): Promise<void> {
      if (!(await releaseForeign(companionPath(path, "lock"), processes)))
        throw await inUseFailure(path, processes);
    },
  };
}

/**
 * Reads a journal regardless of its lock. Null if there is nothing in it: it was never used, or its run has ended
 * meanwhile and deleted it. An unreadable file of any type counts as a damaged journal.
 */
async function readJournalAt(
  path: string,
  bootId: string | null,
): Promise<Contents | typeof laterVersion | null> {
  const read = await readRecords(path).catch(() => null);
  if (read === null) return (await lstat(path).catch(() => null)) === null ? null : unreadable;
  return readContents(read, bootId) ?? ((await isBlankFile(path)) ? null : unreadable);
}

function refTo(path: string): JournalRef {
  return { id: journalIdFromPath(path), path };
}

/** Bytes of disk space to reserve for the responses of the requests in flight. */
function reservedBytesFor({ total }: Head): number {
  return (total > 1 ? 128 : 64) * 1024;
}

/** Deletes a journal, its companion files and its lock. Throws the system's error if the journal cannot be deleted. */
async function removeFiles(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  });
  await deleteCompanions(path);
  await unlink(companionPath(path, "lock")).catch(() => undefined);
}

/** The sorted names in the folder; none if there is no folder yet. */
async function listFolder(folder: string, trust: Trust): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    if (names.length > 0) checkTrustedFolder(folder, trust);
    return names.toSorted();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    if (error instanceof Failure) throw error;
    throw usageFailure(
      `the state directory ${folder} cannot be read (${code ?? "unknown error"})`,
      hints.stateFolder,
    );
  }
}

function parseJournal(path: string, read: ReadRecords, bootId: string | null): Contents {
  const contents = readContents(read, bootId);
  if (contents === laterVersion)
    throw usageFailure(`${path} was written by a later version of grantctl, which this one cannot read`);
  if (contents === null) throw usageFailure(`${path} is not a journal of grantctl`);
  return contents;
}

/** The failure for a journal that another process holds, or may hold. */
async function inUseFailure(path: string, processes: ProcessTable): Promise<Failure> {
  const id = journalIdFromPath(path);
  const holder = await readLockHolder(companionPath(path, "lock"), processes);
  if (holder === null || holder.isVisible)
    return usageFailure(`another grantctl process is working on ${id}`);
  return usageFailure(
    `${id} is locked by ${foreign(describeHolder(holder))}, which cannot be checked from here and may still be running`,
    `Make sure that it has ended, then run \`grantctl recover forget ${id} --force\` to release the lock.`,
  );
}

function describeHolder({ pid, hostname }: Holder): string {
  return hostname === null ? "an unknown process" : `process ${pid} on host ${hostname}`;
}

function openFailure(path: string, error: unknown): unknown {
  // A pipe, a device or a directory instead of a journal.
  if (error instanceof Unreadable && error.code === null)
    return usageFailure(
      `the journal ${path} cannot be read: ${error.message}`,
      "Run `grantctl recover list` to see unfinished jobs.",
    );
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  if (code === "ENOENT" || code === "ENOTDIR") {
    return usageFailure(
      `there is no unfinished job ${journalIdFromPath(path)}; it may be finished`,
      "Run `grantctl recover list` to see unfinished jobs.",
    );
  }
  return stateFolderFailure(path, error);
}
