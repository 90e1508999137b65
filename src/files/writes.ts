// Writes that are whole or fail. One call of the operating system may take less than it was given, as on a disk that is
// filling up, and reports that only as a number.
import { writeSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";

/** Writes all bytes to a plain descriptor, by default at its own position. */
export function writeWhollySync(descriptor: number, bytes: Buffer, position: number | null = null): void {
  for (let written = 0; written < bytes.length;) {
    const at = position === null ? null : position + written;
    written += writeSync(descriptor, bytes, written, bytes.length - written, at);
  }
}

/** Writes all bytes at this position of the file. */
export async function writeWholly(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}

/** Makes a change to the folder's entries survive a power cut, if the platform can. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder, and journals its entries on its own.
  const folder = await open(path, "r").catch(() => null);
  if (folder === null) return;
  try {
    await folder.sync().catch(() => undefined);
  } finally {
    await folder.close();
  }
}

/** The same text in pieces of at least this length, except the last. Each is one call of the operating system. */
export function* inLargePieces(pieces: Iterable<string>, length: number): Generator<string> {
  let gathered = "";
  for (const piece of pieces) {
    gathered += piece;
    if (gathered.length < length) continue;
    yield gathered;
    gathered = "";
  }
  if (gathered !== "") yield gathered;
}
