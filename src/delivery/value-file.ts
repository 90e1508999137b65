// A file that receives tokens: new, private and never opened through a symbolic link. A token counts as delivered when
// it is on disk under the file's name. An existing file is appended to only if it belongs to the same job.
import { randomBytes } from "node:crypto";
import { constants, fstatSync, lstatSync, unlinkSync, type BigIntStats } from "node:fs";
import { lstat, open, rename, unlink, type FileHandle } from "node:fs/promises";
import { dirname, sep } from "node:path";
import { Failure, usageFailure } from "../errors/errors.ts";
import { inWords } from "../errors/system-codes.ts";
import { readToEnd, Unreadable } from "../files/bounded-reads.ts";
import { namesDeviceOrStream } from "../files/special-paths.ts";
import { syncFolder, writeFully } from "../files/writes.ts";
import type { ValueReceiver } from "./receiver.ts";

/** Bytes to reserve on disk before the first request: more than one token needs. */
const roomBytes = 4096;

interface ValueFileOptions {
  /** --force: the first token that is written replaces an existing file. */
  readonly mayReplace: boolean;
  /** Identities of the files of earlier runs of this job: tokens are appended to such a file. Null for a new job. */
  readonly jobOutputFiles: readonly string[] | null;
  /** Throws a usage failure if an unfinished job of another run wrote to the file with this identity. */
  readonly checkUnclaimed: (identity: string) => Promise<void>;
  /** Registers a handler for a signal that ends the run; returns the function that unregisters it. */
  readonly beforeSignalEnds: (handle: () => void) => () => void;
}

/**
 * Opens the file; to be called before anything is sent. Throws a usage failure if it exists, is a symbolic link, or
 * cannot be written.
 */
export async function openValueFile(path: string, options: ValueFileOptions): Promise<ValueReceiver> {
  if (sep === "\\" && namesDeviceOrStream(path)) {
    throw usageFailure(`${path} is a device or a stream on Windows, not a file`, "Use a plain file.");
  }
  try {
    const found = await lstat(path, { bigint: true }).catch(() => null);
    if (found?.isFile() === true) {
      const identity = fileIdentity(found);
      if (options.jobOutputFiles?.includes(identity) === true) return await continueFile(path);
      await options.checkUnclaimed(identity);
    }
    if (!options.mayReplace) return await newFile(await create(path), path, null, options);
    if (found !== null && !found.isFile()) throw usageFailure(`${path} is not a plain file`);
    const temporary = `${path}.${randomBytes(4).toString("hex")}`;
    return await newFile(await create(temporary), temporary, path, options);
  } catch (error) {
    throw openFailure(path, error, options.jobOutputFiles !== null);
  }
}

/**
 * The inode number and birth time, which survive a reboot and a move to another machine; the device number does not. On
 * Windows only the file ID: it is never reused, while the birth time of a path and of an open handle may differ.
 */
function fileIdentity({ ino, birthtimeNs }: BigIntStats): string {
  return sep === "\\" ? `${ino}` : `${ino} ${birthtimeNs}`;
}

async function create(path: string): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  return open(path, flags, 0o600);
}

/**
 * Opens the file of an earlier run to append after its last complete line. A torn line that a kill or a power cut left
 * at the end is truncated when the first token is written.
 */
async function continueFile(path: string): Promise<ValueReceiver> {
  const file = await open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const text = (await readToEnd(file)).toString("utf8");
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    const zeros = whole.indexOf("\0");
    const written = zeros === -1 ? whole : whole.slice(0, whole.lastIndexOf("\n", zeros) + 1);
    // A power cut leaves zeros at the end. Other bytes may be the user's own text, because the line format is
    // user-defined.
    if (/[^\0\n]/.test(whole.slice(written.length)))
      throw usageFailure(`${path} contains lines that do not belong to this job`, anotherName);
    await file.chmod(0o600);
    const opened = await createFileReceiver(file, path, null, written);
    // `close` does not delete it, even if nothing was written to it.
    return { ...opened, close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error instanceof Unreadable
      ? usageFailure(`${path} cannot be read: ${error.message}`, anotherName)
      : error;
  }
}

async function newFile(
  file: FileHandle,
  path: string,
  target: string | null,
  { beforeSignalEnds }: ValueFileOptions,
): Promise<ValueReceiver> {
  // Until a token is written, a signal that ends the run deletes the file: the next run would reject it because it
  // exists.
  const unregister = beforeSignalEnds(() => deleteNow(file, path));
  try {
    // A full disk fails here, before anything is sent.
    await writeFully(file, Buffer.alloc(roomBytes, "\n"), 0);
    await file.sync();
    await file.truncate(0);
    const opened = await createFileReceiver(file, path, target, "");
    return {
      ...opened,
      write(batch) {
        unregister();
        return opened.write(batch);
      },
      async close() {
        await opened.close();
        unregister();
      },
    };
  } catch (error) {
    unregister();
    await file.close();
    await unlink(path).catch(() => undefined);
    throw error;
  }
}

/** Deletes the file, unless the path now leads to another one. */
function deleteNow({ fd }: FileHandle, path: string): void {
  try {
    const [found, own] = [lstatSync(path, { bigint: true }), fstatSync(fd, { bigint: true })];
    if (fileIdentity(found) === fileIdentity(own)) unlinkSync(path);
  } catch {
    // It is gone already.
  }
}

async function createFileReceiver(
  file: FileHandle,
  draft: string,
  target: string | null,
  written: string,
): Promise<ValueReceiver> {
  const lines = new Set(written.split("\n"));
  const stats = await file.stat({ bigint: true });
  // On Windows even an exclusive open of a device succeeds.
  if (!stats.isFile()) throw usageFailure(`${draft} is not a plain file`);
  const identity = fileIdentity(stats);
  let length = Buffer.byteLength(written);
  let path = draft;
  const isIntact = async (): Promise<boolean> => {
    const found = await lstat(path, { bigint: true }).catch(() => null);
    return found !== null && fileIdentity(found) === identity;
  };
  // The earlier run may have been killed between the write and its record in the journal.
  const isWritten = (text: string): boolean =>
    text.trimEnd().includes("\n") ? `\n${written}`.includes(`\n${text}`) : lines.has(text.trimEnd());
  return {
    kind: "file",
    place: `is in ${target ?? draft}`,
    flags: [],
    identity,
    isIntact,
    // Resolves when the texts are on disk under the file's name. Skips those that an earlier run wrote.
    async write(batch) {
      try {
        const texts = batch.map(({ text }) => text).filter((text) => !isWritten(text));
        const bytes = Buffer.from(texts.join(""));
        await file.truncate(length);
        await writeFully(file, bytes, length);
        await file.sync();
        length += bytes.length;
        if (target !== null && path !== target) {
          await rename(path, target);
          path = target;
        }
        if (length === bytes.length) await syncFolder(dirname(path));
      } catch (cause) {
        const code = (cause as NodeJS.ErrnoException).code ?? "unknown error";
        throw undeliveredFailure(`${target ?? path} could not be written (${code})`, cause);
      }
      if (!(await isIntact()))
        throw undeliveredFailure(`${path} is no longer the file that the value was written to`);
    },
    has: (token) => Promise.resolve(written.includes(token)),
    // Deletes the file if nothing was written to it.
    async close() {
      const isBlank = length === 0 && (await isIntact());
      await file.close();
      if (isBlank) await unlink(path).catch(() => undefined);
    },
  };
}

function undeliveredFailure(what: string, cause?: unknown): Failure {
  return new Failure("undelivered", `the token exists, but ${what}`, { cause });
}

const anotherName = "Use a new file for the tokens of this job that are not delivered yet.";

function openFailure(path: string, error: unknown, isResumed: boolean): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined || error instanceof Failure) return error as Error;
  if (code === "EEXIST")
    return isResumed
      ? usageFailure(`${path} already exists, and is not the output file of this job`, anotherName)
      : usageFailure(`${path} already exists`, "Use a new file, or add --force to replace it.");
  return usageFailure(`${path} cannot be written (${inWords(code)}); nothing was sent`);
}
