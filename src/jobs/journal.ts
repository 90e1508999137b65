// The journals of jobs: one file each, in the state folder, from before the first request until nothing is left to do.
//
//   ID.journal   a head that describes the job, then the states of its items; ID is YYYYMMDD-HHMMSS-RANDOM
//
//   state      written                           what an interruption here leaves
//   sent       before the request, synced        an unknown outcome
//   answered   the answer has a value, synced    a value, or the token of `authorization run`
//   done       finished, the value delivered     nothing
//   failed     nothing was changed               may be sent again
//   ended      the command of a run has ended    its token
//
// The only secrets are answers with values. They stay until the job ends, because a resumed job gives its file or stream
// all values again. The run that works on a journal holds its lock (record.ts); reading needs none. Records of other
// versions are listed, and nothing else.
import { hash, randomBytes } from "node:crypto";
import { constants, readdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { Failure, usageFailure } from "../errors/errors.ts";
import { hints } from "../errors/hints.ts";
import { Unreadable } from "../system/bounded-reads.ts";
import { openLocked } from "../system/lock.ts";
import {
  checkPrivateFolder,
  checkTrustedFolder,
  preparePrivateFolder,
  type Trust,
} from "../system/trusted.ts";
import { syncFolder } from "../system/writes.ts";
import { serverTypeNames, type ServerTypeName } from "../server-types.ts";
import { operations, traitsOf } from "./operations.ts";
import { stampOf } from "./stamp.ts";
import { createRecordFile, readRecords, reopenRecordFile, type RecordFile, type Records } from "./record.ts";

/** Where the values go; neither for standard output. */
const receiver = v.object({ outputFile: v.optional(v.string()), toCommand: v.optional(v.string()) });
export type Receiver = v.InferOutput<typeof receiver>;

const head = v.object({
  version: v.literal(2),
  operation: v.picklist(operations),
  /** The words of the command line, in which no secret can be. */
  argv: v.array(v.string()),
  /** True if it read standard input. */
  reads_input: v.optional(v.boolean()),
  /** The base URL. */
  server: v.string(),
  server_type: v.picklist(serverTypeNames),
  /** A hash of the user name or client ID that the requests authenticate as. */
  requester: v.string(),
  /** ISO 8601. */
  created_at: v.string(),
  /** The keys of all items: an ID as it is, the hash of a token. */
  items: v.array(v.string()),
  receiver: v.optional(receiver),
});
export type Head = v.InferOutput<typeof head>;

/** The note and fingerprint of a rotated token. Its successor gets them in the last step. */
const names = v.object({ note: v.nullable(v.string()), fingerprint: v.nullable(v.string()) });

/** What finds the token of a creation without an answer. */
const creation = v.object({
  /** What no other authorization has: a random fingerprint, or a note with the time of a rotation. */
  unique: v.optional(v.picklist(["fingerprint", "note"])),
  client_id: v.nullable(v.string()),
  note: v.nullable(v.string()),
  fingerprint: v.nullable(v.string()),
});
export type Creation = v.InferOutput<typeof creation>;

const entry = v.object({
  /** The item's key. */
  item: v.string(),
  state: v.picklist(["sent", "answered", "done", "failed", "ended"]),
  /** When it was sent, ISO 8601. */
  at: v.optional(v.string()),
  /** The token's last eight characters, if the item is a token. */
  last_eight: v.optional(v.string()),
  /** The raw answer, in base64. */
  body: v.optional(v.string()),
  /** The ID of the new authorization, if the value is not kept. */
  id: v.optional(v.string()),
  /** The kept answer holds the token of another item, so it is never delivered. */
  is_unfit: v.optional(v.boolean()),
  creation: v.optional(creation),
  /**
   * The latest step of a rotation after the new token was created. delivered: the receiver has the new token. proven:
   * the service accepted the new token. gone: the old token is deleted.
   */
  step: v.optional(v.picklist(["delivered", "proven", "gone"])),
  /** For a rotation: the names of the old token, and the interim names of the new one until the old one is deleted. */
  old: v.optional(names),
  interim: v.optional(names),
});
export type Entry = v.InferOutput<typeof entry>;

/** The contents of one journal: its head, null if it is unreadable, and the latest entry of each item. */
export interface Contents {
  readonly head: Head | null;
  readonly entries: ReadonlyMap<string, Entry>;
  /** True if a record is unreadable, so that entries may be missing. */
  readonly isDamaged: boolean;
}

/** Stands for the contents of a journal that another version of grantctl wrote. */
export const otherVersion = "other version" as const;

/** A journal that an earlier run left, or that another run works on. */
export interface JournalRef {
  readonly id: string;
  readonly path: string;
}

/** A journal in use, whose lock this run holds. */
export interface Journal extends JournalRef {
  /** The entries when the journal was opened. */
  readonly earlierEntries: ReadonlyMap<string, Entry>;
  readonly isDamaged: boolean;
  /** For a child that is to hold the lock as well. */
  readonly descriptor: number;
  /** The entry of an item as it is now. */
  latestEntry(item: string): Entry | undefined;
  /** As they are now. */
  contents(): Contents;
  /** True if the job may have changed anything; if not, there is no need to resume it. */
  hasEffect(): boolean;
  /** Writes an entry, whose fields add to those before; resolves when it is on disk. */
  mark(entry: Entry): Promise<void>;
  /** Writes an entry that a power cut may lose, so that a later run checks the item again. Ignores errors of the disk. */
  note(entry: Entry): void;
  /** Closes the file and keeps it for a later run. */
  close(): Promise<void>;
  /** Deletes the file, unless it is damaged. */
  remove(): Promise<void>;
}

export type Journals = ReturnType<typeof createJournals>;

/** The journals in `folder`. The folder is created with the first journal. */
export function createJournals(folder: string, trust: Trust = { userId: null, named: [] }) {
  const read = async (path: string): Promise<Contents | typeof otherVersion> => {
    try {
      checkTrustedFolder(dirname(path), trust);
      return readContents(await readRecords(path));
    } catch (error) {
      throw openFailure(path, error);
    }
  };
  return {
    /** Creates a journal on disk. */
    async create(described: Head): Promise<Journal> {
      await preparePrivateFolder(folder, "state directory", trust);
      const stamp = stampOf(Date.parse(described.created_at));
      try {
        let file: RecordFile | null = null;
        let path = "";
        while (file === null) {
          path = join(folder, `${stamp}-${randomBytes(3).toString("hex")}${journalSuffix}`);
          file = await createRecordFile(path, [described]);
        }
        if (traitsOf(described.operation).makesValues) await file.reserve();
        await syncFolder(folder);
        return createJournal(path, file, {
          head: described,
          entries: new Map(),
          isDamaged: false,
        });
      } catch (error) {
        throw stateFolderFailure(folder, error);
      }
    },

    /** Throws a usage failure if no journal could be created, as far as that can be checked without creating one. */
    checkCanCreate: () => checkPrivateFolder(folder, "state directory", trust),

    /** Reads a journal without changing it, whoever holds its lock. Throws a usage failure if there is none. */
    read,

    /** Reopens a journal. Throws a usage failure if another run holds it, or if it cannot be read. */
    async reopen(path: string): Promise<Contents & { readonly head: Head; readonly journal: Journal }> {
      try {
        checkTrustedFolder(dirname(path), trust);
        const opened = await reopenRecordFile(path, (found) => requireHead(path, readContents(found)));
        if (opened === null) throw usageFailure(`another grantctl process is working on ${idOf(path)}`);
        const { file, checked } = opened;
        return { ...checked, journal: createJournal(path, file, checked) };
      } catch (error) {
        throw openFailure(path, error);
      }
    },

    /** True if another process holds the lock of this journal. */
    async isRunning(path: string): Promise<boolean> {
      // A lock file that a holder without flock(1) has made is a usage failure.
      const locked = await openLocked(path, constants.O_RDWR).catch((error: unknown) =>
        error instanceof Failure ? null : undefined,
      );
      if (locked === undefined) return false;
      await locked?.release();
      return locked === null;
    },

    /** All journals, oldest first. Throws a usage failure if the folder cannot be read. */
    async all(): Promise<readonly JournalRef[]> {
      return (await listFolder(folder, trust))
        .filter((name) => name.endsWith(journalSuffix))
        .map((name) => ({ id: idOf(name), path: join(folder, name) }));
    },

    /** Deletes a journal, whatever is in it. Throws a usage failure if it cannot be deleted. */
    async forget({ path }: JournalRef): Promise<void> {
      await unlink(path).catch((error: unknown) => {
        const { code = "unknown error" } = error as NodeJS.ErrnoException;
        if (code !== "ENOENT") throw usageFailure(`${path} cannot be deleted (${code})`);
      });
    },
  };
}

function createJournal(
  path: string,
  file: RecordFile,
  { head: described, entries, isDamaged }: Contents,
): Journal {
  const latest = new Map(entries);
  const keepsValues = described !== null && traitsOf(described.operation).makesValues;
  const update = (changed: Entry): void => {
    latest.set(changed.item, { ...latest.get(changed.item), ...changed });
  };
  return {
    id: idOf(path),
    path,
    earlierEntries: entries,
    isDamaged,
    descriptor: file.descriptor,
    latestEntry: (item) => latest.get(item),
    contents: () => ({ head: described, entries: latest, isDamaged }),
    hasEffect: () => isDamaged || [...latest.values()].some(({ state }) => state !== "failed"),
    async mark(changed) {
      try {
        if (keepsValues && changed.state === "sent") await file.reserve();
        await file.append(changed);
      } catch (error) {
        throw stateFolderFailure(path, error, changed.state === "sent" ? undefined : "");
      }
      update(changed);
    },
    note(changed) {
      try {
        file.note(changed);
      } catch {
        // A later run checks the item again.
      }
      update(changed);
    },
    close: () => file.close(),
    async remove() {
      // A damaged journal may have had more entries, so it is not deleted.
      if (!isDamaged) await unlink(path).catch(() => undefined);
      await file.close();
    },
  };
}

/** The latest entries of the records. Records that are none count as damage. */
function readContents({ records, isDamaged }: Records): Contents | typeof otherVersion {
  const first = v.safeParse(head, records[0]);
  if (!first.success && v.is(v.looseObject({ version: v.number() }), records[0])) return otherVersion;
  const entries = new Map<string, Entry>();
  let hasStrange = false;
  for (const record of first.success ? records.slice(1) : records) {
    const parsed = v.safeParse(entry, record);
    if (parsed.success)
      entries.set(parsed.output.item, { ...entries.get(parsed.output.item), ...parsed.output });
    else hasStrange = true;
  }
  return {
    head: first.success ? first.output : null,
    entries,
    // A run that was killed before its head was written has sent nothing.
    isDamaged: isDamaged || hasStrange || (!first.success && records.length > 0),
  };
}

function requireHead(path: string, contents: Contents | typeof otherVersion) {
  if (contents === otherVersion) throw otherVersionFailure(idOf(path));
  const { head: described } = contents;
  if (described === null)
    throw usageFailure(
      `the record ${idOf(path)} is damaged, and its operation cannot be read`,
      `Run \`grantctl recover show ${idOf(path)}\` to get its values.`,
    );
  return { ...contents, head: described };
}

export function otherVersionFailure(id: string): Failure {
  return usageFailure(`${id} was made by another version of grantctl: use that version`);
}

const journalSuffix = ".journal";

/** The path of a journal, from its ID or from its path. */
export function journalPath(folder: () => string, idOrPath: string): string {
  return /^[\w-]+$/.test(idOrPath) ? join(folder(), `${idOrPath}${journalSuffix}`) : idOrPath;
}

function idOf(path: string): string {
  return path.replace(/^.*[\\/]/, "").replace(/\.journal$/, "");
}

/** The server type of the job at this path, which a later run keeps, even if the configuration has changed; or null. */
export async function rememberedServerType(path: string): Promise<ServerTypeName | null> {
  const read = await readRecords(path).catch(() => null);
  const contents = read === null ? null : readContents(read);
  return contents === null || contents === otherVersion ? null : (contents.head?.server_type ?? null);
}

/** The key of a token in a journal. Unsalted: a token is too random to be guessed from its hash. */
export function hashOf(text: string): string {
  return hash("sha256", text);
}

/** The sorted names in the folder; none if there is no folder yet. */
async function listFolder(folder: string, trust: Trust): Promise<readonly string[]> {
  try {
    const found = await readdir(folder);
    if (found.length > 0) checkTrustedFolder(folder, trust);
    return found.toSorted();
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

/** Turns a system error into a usage failure, with `consequence` at its end; returns any other error unchanged. */
function stateFolderFailure(
  path: string,
  error: unknown,
  consequence = ", so grantctl cannot record its changes there; nothing was sent",
): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined || error instanceof Failure) return error;
  return usageFailure(
    `the state directory cannot be written (${code}: ${path})${consequence}`,
    hints.stateFolder,
  );
}

function openFailure(path: string, error: unknown): unknown {
  if (error instanceof Failure) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR")
    return usageFailure(
      `there is no unfinished job ${idOf(path)}; it may be finished`,
      "Run `grantctl recover list` to see unfinished jobs.",
    );
  // A pipe, a device or a directory instead of a journal.
  if (error instanceof Unreadable) return usageFailure(`the record ${path} cannot be read: ${error.message}`);
  return stateFolderFailure(path, error);
}
