// Replaces a small file of ours as a whole: private, on disk before it counts, never through a symbolic link. Whoever
// reads meanwhile sees the old one or the new one.
import { randomBytes } from "node:crypto";
import { lstat, open, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { usageFailure } from "../errors/errors.ts";
import { syncFolder, writeWholly } from "./durable-writes.ts";

/**
 * Writes the text to the path with mode 0600; resolves when it is on disk. Throws a usage failure where the path is
 * something else than a file, or the system refuses; what was there stays then.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(8).toString("hex")}`;
  try {
    const found = await lstat(path).catch(() => null);
    if (found?.isSymbolicLink() === true)
      throw usageFailure(`${path} is a symbolic link, which grantctl does not write through`);
    if (found?.isFile() === false) throw usageFailure(`${path} is not a file`);
    const file = await open(temporary, "wx", 0o600);
    try {
      await writeWholly(file, Buffer.from(text), 0);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : usageFailure(`cannot write ${path}: ${code}`);
  }
}
