// The folder of this user's journals: a file for each job that is under way or unfinished, of one item or ten thousand.
// A journal without an undelivered token, an unknown outcome or unfinished work is deleted.
import { randomBytes } from "node:crypto";
import { readdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Failure, usageFailure } from "../errors/errors.ts";
import { syncFolder } from "../files/durable-writes.ts";
import { isLocked, takeLock, type Lock, type ProcessTable } from "../files/lock.ts";
import { checkPrivateFolder, preparePrivateFolder } from "../files/private-folder.ts";
import { checkTrustedFolder } from "../files/trusted.ts";
import { announcedPath } from "./announced.ts";
import {
  hasSomethingToTell,
  isOfLaterVersion,
  makesValues,
  readContents,
  withoutUnsent,
  type Contents,
  type Head,
} from "./entries.ts";
import { elsewhere, idOf, journalOn, lockPath, settle, suffix, unwritable, type Journal } from "./journal.ts";
import type { LaterLeftover, Leftover } from "./leftover.ts";
import {
  createRecordFile,
  isBlankFile,
  readRecords,
  reopenRecordFile,
  type ReadRecords,
} from "./record-file.ts";
import { isSealed, openSealed } from "./sealed-entries.ts";
import { stateFolderPurpose } from "./state-folder.ts";
import type { FindVault, Vault } from "./vault.ts";

/** How many bytes to reserve on the disk for the answers of the requests under way. */
function roomFor({ total }: Head): number {
  return (total > 1 ? 128 : 64) * 1024;
}

export interface Journals {
  create(head: Head): Promise<Journal>;
  /** Throws a usage failure where no journal could be created, as far as that can be told without creating one. */
  checkCanCreate(): Promise<void>;
  /** Opens a leftover again. Throws a usage failure when another run uses it, or when it is no journal. */
  reopen(
    path: string,
  ): Promise<{ readonly journal: Journal; readonly head: Head; readonly outputFiles: readonly string[] }>;
  /**
   * The journals that earlier runs left, oldest first. Deletes those that are of no more use. Throws a usage failure
   * for a folder that cannot be read.
   */
  leftovers(): Promise<readonly Leftover[]>;
  /** The journals that later versions of grantctl left. */
  laterLeftovers(): Promise<readonly LaterLeftover[]>;
  /** Whether any journal, even of a running job, may hold a sealed token. */
  mayHoldSealed(): Promise<boolean>;
  /** Reads a leftover without changing it. Throws a usage failure where there is none, or while it is in use. */
  look(path: string): Promise<Leftover>;
  /**
   * The leftover with its sealed tokens opened. Throws an authentication failure where their key is not available.
   */
  unseal(leftover: Leftover): Promise<Leftover>;
  /** Deletes a leftover. Throws a usage failure while it is in use, and when it cannot be deleted. */
  forget(leftover: LaterLeftover): Promise<void>;
}

/** The journals in `folder`. The folder is created with the first journal. */
export function createJournals(
  folder: string,
  processes: ProcessTable,
  findVault: FindVault = () => Promise.resolve(null),
  userId: number | null = null,
): Journals {
  const { bootId } = processes;
  const vaultFor = async ({ operation }: Head): Promise<Vault | null> =>
    makesValues(operation) ? findVault() : null;

  /** The paths of all journals in the folder, in order. */
  const paths = async (): Promise<readonly string[]> =>
    (await namesIn(folder, userId)).filter((name) => name.endsWith(suffix)).map((name) => join(folder, name));

  const journals: Journals = {
    async create(head) {
      await preparePrivateFolder(folder, stateFolderPurpose, userId);
      // The key is fetched before the request, so that the answer need not wait for a keychain.
      const vault = await vaultFor(head);
      const id = `${head.created_at.slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-")}-${randomBytes(3).toString("hex")}`;
      const path = join(folder, `${id}${suffix}`);
      try {
        const lock = await takeLock(lockPath(path), processes);
        if (lock === null) throw usageFailure(`the journal ${id} is in use`);
        const file = await createRecordFile(path, roomFor(head));
        await file.append(head);
        await file.reserve();
        await syncFolder(folder);
        const contents = { head, items: new Map(), outputFiles: [], isDamaged: false };
        return journalOn(path, file, lock, contents, vault, bootId);
      } catch (error) {
        await unlink(path).catch(() => undefined);
        await unlink(lockPath(path)).catch(() => undefined);
        throw unwritable(folder, error);
      }
    },

    checkCanCreate: () => checkPrivateFolder(folder, stateFolderPurpose, userId),

    async look(path) {
      try {
        checkTrustedFolder(dirname(path), userId);
        const contents = contentsOf(path, await readRecords(path));
        if (await isLocked(lockPath(path), processes)) throw inUse();
        return { id: idOf(path), path, contents: withoutUnsent(contents, bootId) };
      } catch (error) {
        throw unopenable(path, error);
      }
    },

    async reopen(path) {
      let lock: Lock | null = null;
      try {
        checkTrustedFolder(dirname(path), userId);
        lock = await takeLock(lockPath(path), processes);
        if (lock === null) throw inUse();
        const { file, checked } = await reopenRecordFile(path, async (records, isDamaged) => {
          const contents = withoutUnsent(contentsOf(path, { records, isDamaged }), bootId);
          const vault = await vaultFor(contents.head);
          return { contents: { ...contents, items: openSealed(contents.items, vault) }, vault };
        });
        const { contents, vault } = checked;
        const { head, outputFiles } = contents;
        return { journal: journalOn(path, file, lock, contents, vault, bootId), head, outputFiles };
      } catch (error) {
        await lock?.release();
        throw unopenable(path, error);
      }
    },

    async leftovers() {
      const found: Leftover[] = [];
      // Half-written copies, left when a run was killed while it rewrote a journal: the old file is still there.
      for (const name of (await namesIn(folder, userId)).filter((other) =>
        /\.journal\.[0-9a-f]{8}$/.test(other),
      )) {
        const path = join(folder, name.slice(0, name.lastIndexOf(".")));
        if (!(await isLocked(lockPath(path), processes)))
          await unlink(join(folder, name)).catch(() => undefined);
      }
      for (const path of await paths()) {
        if (await isLocked(lockPath(path), processes)) continue;
        const read = await readRecords(path).catch(() => null);
        const all = read === null ? null : readContents(read);
        const contents = all === null ? null : withoutUnsent(all, bootId);
        if (contents !== null && hasSomethingToTell(contents)) found.push({ id: idOf(path), path, contents });
        // A blank journal was never used. A journal that cannot be read may be of another version, so it stays.
        else if (contents !== null || (await isBlankFile(path)))
          await settle(path, contents)
            .then(() => removeFiles(path))
            .catch(() => undefined);
      }
      return found;
    },

    async laterLeftovers() {
      const found: LaterLeftover[] = [];
      for (const path of await paths()) {
        const { records } = await readRecords(path).catch(() => ({ records: [] }));
        if (isOfLaterVersion(records)) found.push({ id: idOf(path), path });
      }
      return found;
    },

    async mayHoldSealed() {
      const left = await journals.leftovers();
      // A journal that another run writes to, or that cannot be read, may hold a sealed value.
      const known = new Set(left.map(({ path }) => path));
      return (
        (await paths()).some((path) => !known.has(path)) ||
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

/** Deletes a journal and the files beside it. Throws the system's error where the journal cannot be deleted. */
async function removeFiles(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  });
  await unlink(announcedPath(path)).catch(() => undefined);
  await unlink(lockPath(path, "command")).catch(() => undefined);
  await unlink(lockPath(path)).catch(() => undefined);
}

/** The names in the folder, in order; none where there is no folder yet. */
async function namesIn(folder: string, userId: number | null): Promise<readonly string[]> {
  try {
    checkTrustedFolder(folder, userId);
    return (await readdir(folder)).toSorted();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    if (error instanceof Failure) throw error;
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
