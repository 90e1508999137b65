// A file that receives tokens: new, private, never through a symbolic link, on disk and under its name before a value
// counts as delivered. A file that is there already is only touched when it is known to be of the same job.
import { randomBytes } from "node:crypto";
import { constants, type BigIntStats } from "node:fs";
import { lstat, open, rename, unlink, type FileHandle } from "node:fs/promises";
import { dirname, sep } from "node:path";
import { Failure, usageFailure } from "../errors/errors.ts";
import { readToEnd, Unreadable } from "../files/bounded-reads.ts";
import { syncFolder, writeWholly } from "../files/durable-writes.ts";

/** Room that must be free before the first request: more than one value takes. */
const roomBytes = 4096;

export interface ValueFile {
  /** What tells this file from every other one, for the journal. */
  readonly identity: string;
  /** Whether an earlier run wrote this text already. */
  has(text: string): boolean;
  /** Resolves when the text is on disk, under the file's name. Throws an `undelivered` failure when it is not. */
  write(text: string): Promise<void>;
  /** Whether what was written can still be found under the file's name. */
  isThere(): Promise<boolean>;
  /** Closes it; takes it away when nothing was written to it. */
  close(): Promise<void>;
}

export interface ValueFileOptions {
  /** Replace an existing file, with the first value that is written. */
  readonly mayReplace: boolean;
  /** The files of earlier runs of this job, by their identities: such a one is gone on with. */
  readonly ofThisJob: readonly string[];
}

/**
 * Opens the file before anything is sent. Throws a usage failure when it exists, is a symbolic link, or cannot be
 * written.
 */
export async function openValueFile(path: string, options: ValueFileOptions): Promise<ValueFile> {
  try {
    const found = await lstat(path, { bigint: true }).catch(() => null);
    if (found?.isFile() === true && options.ofThisJob.includes(identityOf(found))) {
      return await continueFile(path);
    }
    if (!options.mayReplace) return await newFile(await create(path), path, null);
    if (found !== null && !found.isFile()) throw usageFailure(`${path} is not a plain file`);
    const temporary = `${path}.${randomBytes(4).toString("hex")}`;
    return await newFile(await create(temporary), temporary, path);
  } catch (error) {
    throw unusable(path, error, options.ofThisJob.length > 0);
  }
}

/**
 * The same after a restart and on another machine: numbers of devices are not. The number of a file on Windows is used
 * once, and its birth is not told alike by its name and by what was opened.
 */
function identityOf({ ino, birthtimeNs }: BigIntStats): string {
  return sep === "\\" ? `${ino}` : `${ino} ${birthtimeNs}`;
}

async function create(path: string): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  return open(path, flags, 0o600);
}

/**
 * Opens the file of an earlier run to go on behind its last whole line. What a kill or a power cut left of a line
 * behind that goes with the first value that is written.
 */
async function continueFile(path: string): Promise<ValueFile> {
  const file = await open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const text = (await readToEnd(file)).toString("utf8");
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    const zeros = whole.indexOf("\0");
    const written = zeros === -1 ? whole : whole.slice(0, whole.lastIndexOf("\n", zeros) + 1);
    // A disk that lost power leaves zeros; anything else somebody wrote. What a line looks like is the user's choice.
    if (/[^\0\n]/.test(whole.slice(written.length)))
      throw usageFailure(`${path} has other lines than those of this job in it`, anotherName);
    await file.chmod(0o600);
    return await openedFile(file, path, null, written);
  } catch (error) {
    await file.close();
    throw error instanceof Unreadable
      ? usageFailure(`${path} cannot be read: ${error.message}`, anotherName)
      : error;
  }
}

async function newFile(file: FileHandle, path: string, target: string | null): Promise<ValueFile> {
  try {
    // A full disk shows now, while nothing has been sent.
    await writeWholly(file, Buffer.alloc(roomBytes, "\n"), 0);
    await file.sync();
    await file.truncate(0);
    return await openedFile(file, path, target, "");
  } catch (error) {
    await file.close();
    await unlink(path).catch(() => undefined);
    throw error;
  }
}

async function openedFile(
  file: FileHandle,
  draft: string,
  target: string | null,
  written: string,
): Promise<ValueFile> {
  const lines = new Set(written.split("\n"));
  const stats = await file.stat({ bigint: true });
  // Windows opens a device as if it were new.
  if (!stats.isFile()) throw usageFailure(`${draft} is not a plain file`);
  const identity = identityOf(stats);
  let length = Buffer.byteLength(written);
  let path = draft;
  const isThere = async (): Promise<boolean> => {
    const found = await lstat(path, { bigint: true }).catch(() => null);
    return found !== null && identityOf(found) === identity;
  };
  return {
    identity,
    isThere,
    has: (text) =>
      text.trimEnd().includes("\n") ? `\n${written}`.includes(`\n${text}`) : lines.has(text.trimEnd()),
    async write(text) {
      try {
        const bytes = Buffer.from(text);
        await file.truncate(length);
        await writeWholly(file, bytes, length);
        await file.sync();
        length += bytes.length;
        if (target !== null && path !== target) {
          await rename(path, target);
          path = target;
        }
        if (length === bytes.length) await syncFolder(dirname(path));
      } catch (cause) {
        const code = (cause as NodeJS.ErrnoException).code ?? "unknown error";
        throw undelivered(`${target ?? path} did not take its value (${code})`, cause);
      }
      if (!(await isThere())) throw undelivered(`${path} is not the file any more that took its value`);
    },
    async close() {
      const isBlank = length === 0 && (await isThere());
      await file.close();
      if (isBlank) await unlink(path).catch(() => undefined);
    },
  };
}

function undelivered(what: string, cause?: unknown): Failure {
  return new Failure("undelivered", `the token exists, but ${what}`, cause === undefined ? {} : { cause });
}

const anotherName = "name a new file: this job's values that are not delivered yet go there";

function unusable(path: string, error: unknown, isTakenUp: boolean): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined || error instanceof Failure) return error as Error;
  if (code === "EEXIST")
    return isTakenUp
      ? usageFailure(`${path} exists already, and is not the output file of this job`, anotherName)
      : usageFailure(`${path} exists already`, "name a new file, or add --force to replace it");
  return usageFailure(`${path} cannot be written (${code}); nothing was sent`);
}
