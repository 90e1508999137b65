// Complete writes: a system call may write less than it was given, as on a disk that is filling up, and reports this
// only as a number. And small files that are replaced atomically: a reader sees the old file or the new one.
import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { link, lstat, open, rename, unlink, writeFile, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { usageFailure } from "../errors/errors.ts";
import { systemFailure } from "../errors/words.ts";

/** Writes all bytes to a descriptor, by default at its current position. */
export function writeFullySync(descriptor: number, bytes: Buffer, position: number | null = null): void {
  for (let written = 0; written < bytes.length;) {
    const at = position === null ? null : position + written;
    written += writeSync(descriptor, bytes, written, bytes.length - written, at);
  }
}

/** Writes all bytes at this position of the file. */
export async function writeFully(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}

/** Makes changes to the entries of a folder survive a power cut, if the platform supports it. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder, and journals its entries itself.
  const folder = await open(path, "r").catch(() => null);
  if (folder === null) return;
  try {
    await folder.sync().catch(() => undefined);
  } finally {
    await folder.close();
  }
}

/**
 * Writes the text to the path with mode 0600; resolves when it is on disk. Throws a usage failure if the path is a link, exists
 * and may not be replaced, or the write fails; the old file then stays.
 */
export async function replaceFile(path: string, text: string, mayReplace = true): Promise<void> {
  await checkNoLink(path);
  const draft = `${path}.${randomBytes(8).toString("hex")}`;
  try {
    await writeFile(draft, text, { flag: "wx", mode: 0o600, flush: true });
    await publish(draft, path, mayReplace);
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw systemFailure(error, `cannot write ${path}`);
  }
}

/** Gives a file its name, so that it survives a power cut. Throws the system's error, also for one that may not be replaced. */
export async function publish(draft: string, path: string, mayReplace: boolean): Promise<void> {
  await (mayReplace ? rename : nameNew)(draft, path);
  await syncFolder(dirname(path));
}

/** Unlike a rename, a link replaces nothing. Some file systems have no links. */
async function nameNew(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw error;
    await rename(draft, path);
    return;
  }
  await unlink(draft);
}

/** Throws a usage failure for a symbolic link, which replaceFile would replace. */
export async function checkNoLink(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found?.isSymbolicLink() === true)
    throw usageFailure(`${path} is a symbolic link, which grantctl does not write through`);
}
