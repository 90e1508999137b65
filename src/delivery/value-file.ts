// The file that receives new tokens (--output-file): private, new, and never opened through a link. It is written under a
// temporary name and renamed with the first values in it, so that no kill leaves an empty file. A value is there when it is
// on disk under the file's name.
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link, lstat, open, rename, unlink, type FileHandle } from "node:fs/promises";
import { dirname, sep } from "node:path";
import { Failure, usageFailure } from "../errors/errors.ts";
import { inWords } from "../errors/system-codes.ts";
import { syncFolder, writeFully } from "../system/writes.ts";
import type { ValueReceiver } from "./receiver.ts";

/** Bytes to reserve on disk before the first request: more than one token needs. */
const roomBytes = 4096;

/**
 * Opens the file, before anything is sent. `mayReplace`: --force, or a file of an earlier run of the same job. Throws a
 * usage failure if it exists, is no plain file, or cannot be written.
 */
export async function openValueFile(path: string, mayReplace: boolean): Promise<ValueReceiver> {
  if (sep === "\\" && namesDeviceOrStream(path))
    throw usageFailure(`${path} is a device or a stream on Windows, not a file`, "Use a plain file.");
  const draft = `${path}.${randomBytes(4).toString("hex")}`;
  try {
    const found = await lstat(path).catch(() => null);
    if (found !== null && !mayReplace)
      throw usageFailure(`${path} already exists`, "Use a new file, or add --force to replace it.");
    if (found !== null && !found.isFile()) throw usageFailure(`${path} is not a plain file`);
    // A full disk or a folder without permission fails here. Nothing stays, so that a kill leaves no empty file.
    const file = await createPrivate(draft);
    try {
      await writeFully(file, Buffer.alloc(roomBytes, "\n"), 0);
      await file.sync();
    } finally {
      await file.close();
      await unlink(draft);
    }
  } catch (error) {
    throw openFailure(path, error);
  }
  let file: FileHandle | null = null;
  let length = 0;
  const append = async (text: string): Promise<void> => {
    const isFirst = file === null;
    file ??= await createPrivate(draft);
    const bytes = Buffer.from(text);
    try {
      await writeFully(file, bytes, length);
      await file.sync();
    } catch (error) {
      await file.truncate(length).catch(() => undefined);
      throw error;
    }
    length += bytes.length;
    if (!isFirst) return;
    // Unlike a rename, a link replaces nothing.
    if (mayReplace) await rename(draft, path);
    else await nameNew(draft, path);
    await syncFolder(dirname(path));
  };
  return {
    kind: "file",
    place: `is in ${path}`,
    flags: [],
    description: { outputFile: path },
    async take(batch) {
      try {
        await append(batch.map(({ text }) => text).join(""));
      } catch (cause) {
        const { code = "unknown error" } = cause as NodeJS.ErrnoException;
        const why = code === "EEXIST" ? "was created meanwhile" : `could not be written (${code})`;
        throw new Failure("undelivered", `the token exists, but ${path} ${why}`, { cause });
      }
      if (file === null || !(await isFileAt(path, file)))
        throw new Failure("undelivered", `${path} is no longer the file that the value was written to`);
    },
    async close() {
      await file?.close();
      if (file !== null) await unlink(draft).catch(() => undefined);
    },
  };
}

/** Gives the file its name, unless that exists. Some file systems have no links; there, a moment stays in which it may appear. */
async function nameNew(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
    await unlink(draft);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || (await lstat(path).catch(() => null)) !== null) throw error;
    await rename(draft, path);
  }
}

/** False if the path leads to another file, or to none. */
async function isFileAt(path: string, file: FileHandle): Promise<boolean> {
  const [found, own] = [await lstat(path).catch(() => null), await file.stat()];
  // On Windows, the device number of a path and of a handle may differ.
  return found !== null && found.ino === own.ino;
}

function createPrivate(path: string): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  return open(path, flags, 0o600);
}

function openFailure(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined || error instanceof Failure) return error;
  return usageFailure(`${path} cannot be written (${inWords(code)}); nothing was sent`);
}

/**
 * True if Windows reads the path as a device (`NUL`, `aux.txt`), or as a stream of a file (`new.txt:values`). Node
 * creates plain files with such names, which most programs cannot open.
 * https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file
 */
export function namesDeviceOrStream(path: string): boolean {
  const name = path.replace(/^[a-z]:/i, "").replace(/^.*[\\/]/s, "");
  const [beforeDot = ""] = name.split(".");
  return name.includes(":") || devices.test(beforeDot.trimEnd());
}

/** Reserved in any folder, with any extension. */
const devices = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])$/i;
