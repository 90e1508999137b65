// Texts that are kept compressed until they are read again: uncompressed they would take several times the memory, and
// parsed into objects many times.
import { deflateRawSync, inflateRawSync } from "node:zlib";

export interface PackedTexts {
  add(bytes: Buffer): void;
  /** What was added, in its order; no more than one of them is ever unpacked. */
  texts(): Generator<string>;
}

/** Texts in their order, each packed by itself. */
export function createPackedTexts(): PackedTexts {
  const packed: Buffer[] = [];
  return {
    add(bytes) {
      // Copied, because zlib's result is the beginning of a larger piece of memory.
      packed.push(Buffer.from(deflateRawSync(bytes, { level: 1 })));
    },
    *texts() {
      for (const bytes of packed) yield inflateRawSync(bytes).toString("utf8");
    },
  };
}
