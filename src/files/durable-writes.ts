// Writes that are whole or fail, as those of whole-writes.ts, without blocking; and folders whose changes last.
import { open, type FileHandle } from "node:fs/promises";

/** Writes all of it at this position of the file. */
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
