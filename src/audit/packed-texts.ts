// Texts that are kept compressed until they are read again: uncompressed they would take several times the memory, and
// parsed into objects many times.
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";

export interface PackedTexts {
  add(bytes: Buffer): void;
  /** The texts in the order in which they were added; at most one is unpacked at a time. */
  readonly texts: () => Generator<string>;
}

/** Takes half the time of deflate's fastest level, and less memory. */
const quick = { [constants.BROTLI_PARAM_QUALITY]: 1 };

/** Texts in their order, each packed by itself. */
export function createPackedTexts(): PackedTexts {
  const packed: Buffer[] = [];
  return {
    add(bytes) {
      // Copied, because the result is the beginning of a larger piece of memory.
      packed.push(Buffer.from(brotliCompressSync(bytes, { params: quick })));
    },
    *texts() {
      for (const bytes of packed) yield brotliDecompressSync(bytes).toString("utf8");
    },
  };
}
