// Replaces a small file of grantctl's atomically: a reader sees the old file or the new one.
//
// The new file is written as a private draft beside the old one, synced, and renamed; never through a symbolic link.
import { randomBytes } from "node:crypto";
import { access, constants, lstat, open, rename, unlink } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { usageFailure } from "../errors/errors.ts";
import { inWords } from "../errors/words.ts";
import { syncFolder, writeFully } from "./writes.ts";

/**
 * Writes the text to the path with mode 0600; resolves when it is on disk. Throws a usage failure if the path is not a file
 * or the write fails; the old file then stays.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(8).toString("hex")}`;
  try {
    await checkPlainFile(path);
    const file = await open(temporary, "wx", 0o600);
    try {
      await writeFully(file, Buffer.from(text), 0);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw explain(error, `cannot write ${path}`);
  }
}

/** Removes the file. Throws a usage failure if that fails. */
export async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
    await syncFolder(dirname(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw explain(error, `cannot remove ${path}`);
  }
}

/** Throws a usage failure for something that replaceFile would not replace. */
export async function checkPlainFile(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found?.isSymbolicLink() === true)
    throw usageFailure(`${path} is a symbolic link, which grantctl does not write through`);
  if (found?.isFile() === false) throw usageFailure(`${path} is not a file`);
}

/** Checks the file of --output-file: a new one, or with --force any plain file. Throws a usage failure. */
export async function checkOutputFile(path: string | undefined, isForced: boolean): Promise<void> {
  if (path === undefined) {
    if (isForced) throw usageFailure("--force requires --output-file");
    return;
  }
  if (path === "" || path === "-")
    throw usageFailure("--output-file names no file", "Omit it to write to standard output.");
  const found = await lstat(path).catch(() => null);
  if (found?.isFile() === false) throw usageFailure(`${path} is not a plain file`);
  if (found !== null && !isForced)
    throw usageFailure(`${path} already exists`, "Use a new file, or add --force to replace it.");
  try {
    await access(`${dirname(resolve(path))}/.`, constants.W_OK);
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw usageFailure(`${path} cannot be written (${inWords(code)}); nothing was sent`);
  }
}

function explain(error: unknown, what: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? error : usageFailure(`${what}: ${code}`);
}
