// Complete writes: a system call may write less than it was given, as on a disk that is filling up, and reports this
// only as a number. Also the fsync of folders.
import { writeSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";

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
