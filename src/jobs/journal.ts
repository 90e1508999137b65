// The records of jobs: one file each, in the state folder, from before the first request until nothing is left to do. A
// record that this run has open, with its lock, is a journal.
//
//   ID.journal   a head that describes the job, then the states of its items; ID is YYYYMMDD-HHMMSS-RANDOM
//
//   state      written                           what an interruption here leaves
//   sent       before the request, synced;       an unknown outcome; also of an item that got another item's token,
//              of several at once (markAhead)    and of one marked before its turn
//   answered   a response has come, synced       a value, the token of `authorization run`, or what is to be verified
//   done       finished, the value delivered     nothing
//   unchanged  nothing was changed               may be sent again
//   ended      the command of a run has ended    its token
//
// The only secrets are responses with values. They stay until the job ends, because a resumed job may give them to its
// receiver again. The run that works on a record holds its lock (line-file.ts); reading needs none. Records of other
// versions are listed, and nothing else.
import { randomBytes } from "node:crypto";
import { unlink } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { recordFile, recordIds } from "../config/folders.ts";
import { isFailure, usageFailure, type Failure } from "../errors/errors.ts";
import { stampOf, systemFailure, typedWord } from "../errors/words.ts";
import { hints } from "../errors/hints.ts";
import { isWindows } from "../system/standard-streams.ts";
import { checkPrivateFolder, checkTrusted, preparePrivateFolder, type Trust } from "../system/trusted.ts";
import { syncFolder } from "../system/writes.ts";
import { operations, traitsOf } from "./operations.ts";
import { createLineFile, openLineFile, readLines, type LineFile, type Lines } from "../system/line-file.ts";

/** Where the values go; neither for standard output. */
const receiverSchema = v.object({ outputFile: v.optional(v.string()), toCommand: v.optional(v.string()) });
export type ReceiverChoice = v.InferOutput<typeof receiverSchema>;

const headSchema = v.object({
  version: v.literal(2),
  operation: v.picklist(operations),
  /** The words of the command line, in which no secret can be. */
  argv: v.array(v.string()),
  reads_input: v.optional(v.boolean()),
  /** The base URL. */
  server: v.string(),
  /** A hash of the user name or client ID that the requests authenticate as. */
  requester: v.string(),
  /** ISO 8601. */
  created_at: v.string(),
  /** The keys of all items: an ID as it is, the hash of anything else. */
  keys: v.array(v.string()),
  receiver: v.optional(receiverSchema),
});
export type Head = v.InferOutput<typeof headSchema>;

/** The note and fingerprint of a rotated token, which its successor gets in the last step, and its scopes. */
const namesSchema = v.object({
  note: v.nullable(v.string()),
  fingerprint: v.nullable(v.string()),
  scopes: v.optional(v.pipe(v.array(v.string()), v.readonly())),
});

/** The fields that identify the token of a creation whose response never came. */
const creationSchema = v.object({
  /** What no other authorization has: a random fingerprint, or a note with the time of a rotation. */
  unique: v.optional(v.picklist(["fingerprint", "note"])),
  client_id: v.nullable(v.string()),
  note: v.nullable(v.string()),
  fingerprint: v.nullable(v.string()),
});
export type Creation = v.InferOutput<typeof creationSchema>;

const entrySchema = v.object({
  key: v.string(),
  state: v.picklist(["sent", "answered", "done", "unchanged", "ended"]),
  /** True if a revocation was answered, and no effect was seen; with `done`, because nothing shows it. A refusal counts. */
  effect_unseen: v.optional(v.boolean()),
  /** True if the item was proven to be gone, whatever the state was. */
  gone: v.optional(v.boolean()),
  /** When the time limit of its request ends, ISO 8601. */
  until: v.optional(v.string()),
  /** The token's last eight characters, if the item is a token. */
  last_eight: v.optional(v.string()),
  /** The raw response, in base64. */
  body: v.optional(v.string()),
  /** True if the response is not one to the request of its item: it is kept, and never given for its value. */
  is_unfit: v.optional(v.boolean()),
  /** The ID of the new authorization, if the value is not kept. */
  id: v.optional(v.string()),
  creation: v.optional(creationSchema),
  /** True if a file or stream that had the value is written anew, and does not have it yet. */
  to_redeliver: v.optional(v.boolean()),
  /** For a rotation: true if the receiver has the new token, and true if the old one is deleted. */
  was_delivered: v.optional(v.boolean()),
  old_is_gone: v.optional(v.boolean()),
  /** The names of the old token, and the interim names of the new one until the old one is deleted. */
  old: v.optional(namesSchema),
  interim: v.optional(namesSchema),
});
export type Entry = v.InferOutput<typeof entrySchema>;

/** The fields with which every entry of an item starts: its key, and by what a later look recognises it. */
export type EntryStart = Pick<Entry, "key" | "last_eight" | "creation">;

export interface Contents {
  /** Null if it is unreadable, or of another version. */
  readonly head: Head | null;
  /** The latest entry of each item. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** Why entries may be missing; null if none is. */
  readonly fault: "damaged" | "other-version" | null;
  /** The lines of a damaged record that are unreadable. */
  readonly broken?: readonly string[];
}

/** What stands for the contents of a file that cannot be read. */
const unreadable: Contents = { head: null, entries: new Map(), fault: "damaged" };

/** A record that an earlier run left, or that another run works on. */
export interface StoredRecord {
  readonly id: string;
  readonly contents: Contents;
}

/** The records in a folder, by ID. The folder is created with the first one. */
export class Records {
  readonly #folder: string;
  readonly #trust: Trust;
  readonly #used: Journal[] = [];

  constructor(folder: string, trust: Trust) {
    this.#folder = folder;
    this.#trust = trust;
  }

  async create(head: Head): Promise<Journal> {
    await preparePrivateFolder(this.#folder, this.#trust);
    const stamp = stampOf(Date.parse(head.created_at));
    const tryNew = async (): Promise<Journal | null> => {
      const id = `${stamp}-${randomBytes(3).toString("hex")}`;
      const file = await createLineFile(this.#pathOf(id), head, traitsOf(head.operation).keepsValues);
      return file && this.#use(id, file, { head, entries: new Map(), fault: null });
    };
    try {
      // `recover list` may have looked at the first one before its lock was there.
      const journal = (await tryNew()) ?? (await tryNew());
      if (journal === null)
        throw usageFailure(`nothing was sent, because no new record in ${this.#folder} can be locked`);
      await syncFolder(this.#folder);
      return journal;
    } catch (error) {
      throw writeFailureOf(this.#folder, error);
    }
  }

  /** Throws a usage failure if no record could be created, as far as that can be checked without creating one. */
  checkCanCreate(): Promise<void> {
    return checkPrivateFolder(this.#folder, this.#trust);
  }

  /** Reads a record, whoever holds its lock. */
  read(id: string): Promise<Contents> {
    return this.#found(id, async (path) => readContents(await readLines(path)));
  }

  /** Opens a record, and takes its lock. Throws a usage failure if another process holds it. */
  async open(id: string): Promise<Journal> {
    const journal = await this.#found(id, (path) => this.#openIfFree(id, path));
    if (journal === null) throw inUse(id);
    return journal;
  }

  /** Like `open`; null if another process may hold the lock, or has deleted the record meanwhile. */
  tryOpen(id: string): Promise<Journal | null> {
    return this.#found(id, (path) =>
      this.#openIfFree(id, path).catch((error: unknown) => {
        const { code, syscall } = error as NodeJS.ErrnoException;
        if (code !== "ENOENT" && syscall?.startsWith("spawn") !== true) throw error;
        return null;
      }),
    );
  }

  /** All records, oldest first. Throws a usage failure if the folder cannot be read. */
  async all(): Promise<readonly StoredRecord[]> {
    const all: StoredRecord[] = [];
    // One after another: there may be more than a process may open.
    for (const id of listIds(this.#folder, this.#trust)) {
      const contents = await readLines(this.#pathOf(id)).then(readContents, (error: unknown) =>
        codeOf(error) === "ENOENT" ? null : unreadable,
      );
      // Its run has deleted it meanwhile.
      if (contents !== null) all.push({ id, contents });
    }
    return all;
  }

  /** Deletes a record, whatever is in it. Throws a usage failure if it cannot be deleted. */
  async forget(id: string): Promise<void> {
    // Windows deletes no file that is open under a lock, even its own process's.
    if (isWindows) await this.#used.find((journal) => journal.id === id)?.close();
    await unlink(this.#pathOf(id)).catch((error: unknown) => {
      if (codeOf(error) !== "ENOENT") throw systemFailure(error, `cannot delete ${this.#pathOf(id)}`);
    });
  }

  async close(): Promise<void> {
    for (const journal of this.#used) await journal.close();
  }

  /** Throws a usage failure if there is no such record. */
  async #found<Result>(id: string, read: (path: string) => Promise<Result>): Promise<Result> {
    try {
      if (!/^[\w-]+$/.test(id)) throw noRecord(id);
      checkTrusted(this.#folder, this.#trust);
      return await read(this.#pathOf(id));
    } catch (error) {
      if (["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) throw noRecord(id);
      throw systemFailure(error, `cannot read the record ${id}`);
    }
  }

  async #openIfFree(id: string, path: string): Promise<Journal | null> {
    const opened = await openLineFile(path);
    return opened && this.#use(id, opened.file, readContents(opened.read));
  }

  #use(id: string, file: LineFile, contents: Contents): Journal {
    const journal = new Journal(id, this.#pathOf(id), file, contents);
    this.#used.push(journal);
    return journal;
  }

  #pathOf(id: string): string {
    return join(this.#folder, recordFile(id));
  }
}

/** A record that this run has open, whose lock it holds. */
export class Journal {
  readonly id: string;
  readonly path: string;
  readonly keepsValues: boolean;
  /** The entries when the record was opened. */
  readonly earlierEntries: Contents["entries"];
  /** As it is now. */
  readonly contents: Contents;
  readonly #traits: ReturnType<typeof traitsOf> | null;
  readonly #file: LineFile;
  readonly #latest: Map<string, Entry>;
  /** Items whose response has not come. */
  readonly #inFlight = new Set<string>();
  /** Items that are marked as sent before their turn, and when that is on disk. */
  readonly #ahead = new Map<string, Promise<void>>();
  /** Responses that could not be written, and why: with one of them, nothing more is sent. */
  readonly #unsaved = new Map<string, Entry>();
  #writeFailure: unknown = null;
  #isOpen = true;

  constructor(id: string, path: string, file: LineFile, contents: Contents) {
    const { head, entries } = contents;
    this.id = id;
    this.path = path;
    this.#traits = head && traitsOf(head.operation);
    this.keepsValues = this.#traits?.keepsValues === true;
    this.earlierEntries = entries;
    this.#file = file;
    this.#latest = new Map(entries);
    this.contents = { ...contents, entries: this.#latest };
  }

  /** For a child that is to hold the lock as well. */
  get descriptor(): number {
    return this.#file.descriptor;
  }

  get aheadCount(): number {
    return this.#ahead.size;
  }

  latestEntry(key: string): Entry | undefined {
    return this.#latest.get(key);
  }

  /** Writes `sent` before the turn of an item, so that `mark` need not wait. `close` takes it back if that never comes. */
  markAhead(start: EntryStart): void {
    if (this.#ahead.has(start.key)) return;
    const written = this.#file.append({ ...start, state: "sent" });
    written.catch(() => undefined);
    this.#ahead.set(start.key, written);
  }

  /** Writes an entry, whose fields add to those before; resolves when it is on disk. */
  async mark(changed: Entry): Promise<void> {
    const { key, state } = changed;
    if (state === "sent" && this.#writeFailure !== null) throw this.#writeFailure;
    try {
      if (this.keepsValues && state === "sent") await this.#file.reserve(this.#inFlight.add(key).size);
      await ((state === "sent" && this.#ahead.get(key)) || this.#file.append(changed));
    } catch (error) {
      this.#inFlight.delete(key);
      if (state === "sent") throw writeFailureOf(this.path, error);
      this.#writeFailure ??= writeFailureOf(this.path, error, "nothing more is sent");
      if (state === "answered") this.#unsaved.set(key, changed);
      throw this.#writeFailure;
    }
    this.#unsaved.delete(key);
    this.#update(changed);
  }

  /** Writes an entry that a power cut may lose, so that a later run checks the item again. Ignores errors of the disk. */
  markUnsynced(changed: Entry): void {
    this.#file.appendUnsynced({ ...this.#unsaved.get(changed.key), ...changed });
    this.#unsaved.delete(changed.key);
    this.#update(changed);
  }

  /** Notes that the receiver has the value. Unless further steps follow, the item is done. */
  markTaken(key: string): void {
    const was_delivered = this.#traits?.hasLaterSteps === true;
    const state = was_delivered ? (this.latestEntry(key)?.state ?? "answered") : "done";
    this.markUnsynced({ key, state, was_delivered, to_redeliver: false });
  }

  /** Resolves when what was marked so far survives a crash of the process. */
  written(): Promise<void> {
    return this.#file.written();
  }

  /** Adds to the failure of a delivery that the record has no response of the item either, if it still cannot be written. */
  async keepOrExplain(key: string, failure: Failure): Promise<Failure> {
    const response = this.#unsaved.get(key);
    if (response === undefined || !isFailure(this.#writeFailure)) return failure;
    try {
      await this.#file.append(response);
    } catch {
      return failure.with({}, `${failure.message}, and its value is lost: ${this.#writeFailure.message}`);
    }
    this.#unsaved.delete(key);
    this.#update(response);
    return failure;
  }

  /** Closes the file and keeps it for a later run. */
  async close(): Promise<void> {
    for (const key of this.#ahead.keys()) this.markUnsynced({ key, state: "unchanged" });
    if (this.#isOpen) await this.#file.close();
    this.#isOpen = false;
  }

  async remove(): Promise<void> {
    if (isWindows) await this.close();
    await unlink(this.path).catch(() => undefined);
    await this.close();
  }

  #update(changed: Entry): void {
    if (changed.state !== "sent") this.#inFlight.delete(changed.key);
    this.#ahead.delete(changed.key);
    this.#latest.set(changed.key, { ...this.#latest.get(changed.key), ...changed });
  }
}

/** The latest entries in the lines. Lines that are none count as damage. */
function readContents({ objects, isDamaged, broken }: Lines): Contents {
  const first = v.safeParse(headSchema, objects[0]);
  const isOther = !first.success && v.is(v.looseObject({ version: v.number() }), objects[0]);
  if (isOther) return { head: null, entries: new Map(), fault: "other-version" };
  const entries = new Map<string, Entry>();
  // A run that was killed before its head was written has sent nothing.
  let isFaulty = isDamaged || (!first.success && objects.length > 0);
  for (const object of first.success ? objects.slice(1) : objects) {
    const parsed = v.safeParse(entrySchema, object);
    if (!parsed.success) isFaulty = true;
    else entries.set(parsed.output.key, { ...entries.get(parsed.output.key), ...parsed.output });
  }
  return { head: first.success ? first.output : null, entries, broken, fault: isFaulty ? "damaged" : null };
}

/** The head of a record. Throws a usage failure if it cannot be read. */
export function requireHead(id: string, { head, fault }: Contents): Head {
  if (head !== null) return head;
  if (fault === "other-version")
    throw usageFailure(`${id} was made by another version of grantctl: use that version`);
  throw usageFailure(
    `the record ${id} is damaged, and its operation cannot be read`,
    `Run \`grantctl recover show ${id}\` to get its values.`,
  );
}

export function inUse(id: string): Failure {
  return usageFailure(`${id} is in use: its run, or the command that it started, has not ended`);
}

function noRecord(id: string): Failure {
  return usageFailure(
    `there is no record ${/^\d{8}-\d{6}-[\da-f]{6}$/.test(id) ? id : typedWord(id)}`,
    "The job may have ended. Run `grantctl recover list` to see what is left.",
  );
}

const codeOf = (error: unknown): string | null | undefined => (error as NodeJS.ErrnoException).code;

/** The sorted IDs of the records in the folder; none if there is no folder yet. */
function listIds(folder: string, trust: Trust): readonly string[] {
  try {
    const found = recordIds(folder);
    if (found.length > 0) checkTrusted(folder, trust);
    return found;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw systemFailure(error, `cannot read the state directory ${folder}`, hints.stateFolder);
  }
}

function writeFailureOf(path: string, error: unknown, consequence = "nothing was sent"): unknown {
  const what = `${consequence}, because the record ${path} cannot be written`;
  return systemFailure(error, what, hints.stateFolder);
}
