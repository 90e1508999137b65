// Writes at once that are whole or fail: one call of the operating system may take less than it was given, as on a disk
// that is filling up, and says so only in a number.
import { writeSync } from "node:fs";

/** Writes all of it on a plain descriptor; without a position at the descriptor's own. */
export function writeWhollySync(descriptor: number, bytes: Buffer, position: number | null = null): void {
  for (let written = 0; written < bytes.length;) {
    const at = position === null ? null : position + written;
    written += writeSync(descriptor, bytes, written, bytes.length - written, at);
  }
}
