// A file with the text for another program's standard input. Node would pass a socket, which on Linux cannot be opened
// again as /dev/stdin, as `kubectl create secret … --from-file=token=/dev/stdin` does.
import { closeSync, constants, openSync, statfsSync, writeSync } from "node:fs";

/** A folder in memory: its files are on no disk. */
const memoryFolder = "/dev/shm";
const tmpfs = 0x01021994;

/** Linux's O_TMPFILE, a file that never has a name, of which Node says nothing. */
const withoutName = 0o20000000 | constants.O_DIRECTORY;

/**
 * A file in memory, without a name, that holds the text and stands at its beginning; null where there is none to be
 * had.
 */
export function openInputFile(text: string, platform: NodeJS.Platform): number | null {
  if (platform !== "linux") return null;
  let descriptor: number | null = null;
  try {
    if (statfsSync(memoryFolder).type !== tmpfs) return null;
    descriptor = openSync(memoryFolder, withoutName | constants.O_RDWR | constants.O_EXCL, 0o600);
    writeWhole(descriptor, Buffer.from(text));
    return descriptor;
  } catch {
    if (descriptor !== null) closeSync(descriptor);
    return null;
  }
}

/** Leaves the position where it is. */
function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at, bytes.length - at, at);
}
