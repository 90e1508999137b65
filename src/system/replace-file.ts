// Replaces a small file of grantctl's atomically: a reader sees the old file or the new one.
//
// The new file is written as a private draft beside the old one, synced, and renamed; never through a symbolic link.
// Only the holder of the file's lock may call this, so drafts that exist are leftovers of killed runs.
import { randomBytes } from "node:crypto";
import { access, constants, lstat, open, readdir, rename, unlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { usageFailure } from "../errors/errors.ts";
import { inWords } from "../errors/system-codes.ts";
import { inLargePieces, syncFolder, writeFully } from "./writes.ts";

/**
 * Writes the text, or its pieces, to the path with mode 0600; resolves when it is on disk. Throws a usage failure if
 * the path is not a file or the write fails; the old file then stays.
 */
export async function replaceFile(path: string, text: string | Iterable<string>): Promise<void> {
  const temporary = `${path}${draftMark}${randomBytes(8).toString("hex")}`;
  try {
    await checkPlainFile(path);
    await removeDrafts(path);
    const file = await open(temporary, "wx", 0o600);
    try {
      let position = 0;
      for (const piece of typeof text === "string" ? [text] : inLargePieces(text, pieceLength)) {
        const bytes = Buffer.from(piece);
        await writeFully(file, bytes, position);
        position += bytes.length;
      }
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

/** Removes the file, and the drafts of killed runs. Throws a usage failure if that fails. */
export async function removeFile(path: string): Promise<void> {
  try {
    await removeDrafts(path);
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

/** Separates the file's name from a random suffix; unlikely in the name of a user's own file. */
const draftMark = ".grantctl-";

/** Removes the drafts of killed runs. None is in use, because only this run, the lock's holder, writes drafts. */
async function removeDrafts(path: string): Promise<void> {
  const prefix = `${basename(path)}${draftMark}`;
  const names = await readdir(dirname(path));
  const drafts = names.filter(
    (name) => name.startsWith(prefix) && /^[0-9a-f]{16}$/.test(name.slice(prefix.length)),
  );
  await Promise.all(drafts.map((name) => unlink(join(dirname(path), name))));
}

function explain(error: unknown, what: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? error : usageFailure(`${what}: ${code}`);
}

const pieceLength = 1024 * 1024;
