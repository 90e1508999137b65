// Writes that are whole or fail, and that last: one call of the operating system may take less than it was given, as
// on a disk that is filling up, and says so only in a number. A leaf that every room may use.
import { open, type FileHandle } from "node:fs/promises";

/** Writes all of it: one call may take less than it was given, as on a disk that is filling up. */
export async function writeWholly(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}

/** Makes a change to the folder's entries survive a power cut, where the platform can. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder, and journals its entries by itself.
  const folder = await open(path, "r").catch(() => null);
  if (folder === null) return;
  try {
    await folder.sync().catch(() => undefined);
  } finally {
    await folder.close();
  }
}
