// A file with the text for another program's standard input. Node would pass a socket, which on Linux cannot be opened
// again as /dev/stdin, as `kubectl create secret … --from-file=token=/dev/stdin` does.
import { closeSync, constants, openSync, statfsSync } from "node:fs";
import { writeWhollySync } from "../files/writes.ts";

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
    // At a place of its own, so that the descriptor stays at the beginning.
    writeWhollySync(descriptor, Buffer.from(text), 0);
    return descriptor;
  } catch {
    if (descriptor !== null) closeSync(descriptor);
    return null;
  }
}
