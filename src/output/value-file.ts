// A file that receives tokens: new, private, never through a symbolic link, on disk before it counts as delivered.
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, rename, unlink, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { Failure, usageFailure } from "../errors/errors.ts";
import { syncFolder, writeWholly } from "../files/durable-writes.ts";

/** Room that must be free before the first request: more than one value takes. */
const roomBytes = 4096;

export interface ValueFile {
  /** Whether an earlier run wrote this text already. */
  has(text: string): boolean;
  /** Resolves when the text is on disk. Throws an `undelivered` failure when it is not. */
  write(text: string): Promise<void>;
  /** Closes it; takes it away when nothing was written to it. */
  close(): Promise<void>;
}

export interface ValueFileOptions {
  /** Replace an existing file, with the first value that is written. */
  readonly mayReplace: boolean;
  /** Go on with the file of an earlier run; what stands in it stays. */
  readonly mayContinue: boolean;
}

/**
 * Opens the file before anything is sent. Throws a usage failure when it exists, is a symbolic link, or cannot be
 * written.
 */
export async function openValueFile(path: string, options: ValueFileOptions): Promise<ValueFile> {
  try {
    if (options.mayContinue && (await exists(path))) {
      const continued = await continueFile(path);
      if (continued !== null) return continued;
      if (!options.mayReplace) throw usageFailure(`${path} is not the output file of this job`);
    }
    if (!options.mayReplace) return await writer(await create(path), path, null);
    await refuseLink(path);
    const temporary = `${path}.${randomBytes(4).toString("hex")}`;
    return await writer(await create(temporary), temporary, path);
  } catch (error) {
    throw unusable(path, error);
  }
}

async function create(path: string): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  return open(path, flags, 0o600);
}

/**
 * Opens the file of an earlier run to go on behind its last whole line; null where it is not such a file. A line that
 * a kill cut off goes with the first value that is written.
 */
async function continueFile(path: string): Promise<ValueFile | null> {
  await refuseLink(path);
  const file = await open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
  await file.chmod(0o600);
  const text = await file.readFile("utf8");
  const written = text.slice(0, text.lastIndexOf("\n") + 1);
  const isOurs = written.split("\n").every((line) => line === "" || line.startsWith("{"));
  if (isOurs) return handleWriter(file, path, null, written);
  await file.close();
  return null;
}

async function writer(file: FileHandle, path: string, target: string | null): Promise<ValueFile> {
  try {
    // A full disk shows now, while nothing has been sent.
    await writeWholly(file, Buffer.alloc(roomBytes, "\n"), 0);
    await file.sync();
    await file.truncate(0);
  } catch (error) {
    await file.close();
    await unlink(path).catch(() => undefined);
    throw error;
  }
  return handleWriter(file, path, target, "");
}

function handleWriter(file: FileHandle, path: string, target: string | null, written: string): ValueFile {
  const lines = new Set(written.split("\n"));
  let length = Buffer.byteLength(written);
  let isInPlace = target === null;
  return {
    has: (text) => lines.has(text.trimEnd()),
    async write(text) {
      try {
        const bytes = Buffer.from(text);
        await file.truncate(length);
        await writeWholly(file, bytes, length);
        await file.sync();
        length += bytes.length;
        if (!isInPlace && target !== null) await rename(path, target);
        if (length === bytes.length) await syncFolder(dirname(path));
        isInPlace = true;
      } catch (cause) {
        const code = (cause as NodeJS.ErrnoException).code ?? "unknown error";
        throw new Failure(
          "undelivered",
          `the token exists, but ${target ?? path} did not take its value (${code})`,
          {
            cause,
          },
        );
      }
    },
    async close() {
      await file.close();
      if (length === 0) await unlink(path).catch(() => undefined);
    },
  };
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

async function refuseLink(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found !== null && !found.isFile()) throw usageFailure(`${path} is not a plain file`);
}

function unusable(path: string, error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined || error instanceof Failure) return error as Error;
  if (code === "EEXIST")
    return usageFailure(`${path} exists already`, "name a new file, or add --force to replace it");
  return usageFailure(`${path} cannot be written (${code}); nothing was sent`);
}
