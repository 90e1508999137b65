// Finds any of many secrets in a text in linear time, however many there are and however they overlap.
//
// For every position, the longest secret that begins there is found by a binary descent over lengths: from length 0,
// each power of two from the largest is added if some secret begins with that much of the text. A secret of length 40
// therefore leaves two markers, its first 32 characters and all 40. Each marker remembers the longest secret that it
// begins with, so the descent never goes back. This takes about log2(longest secret) probes per position.
//
//   cost          text length x (log2(longest secret) + 1) probes, for each part (below)
//   memory        at most log2(length) entries per secret, 12 bytes each in a table that is at most half full
//   new secrets   are pending until the next search; parts of at most their size are merged with them, so there are at
//                 most log2(secrets) parts, and each secret is indexed at most that many times
//
// Markers are identified by a 52-bit polynomial hash with random bases, so that no server can prepare collisions. A
// collision would only redact harmless text.
import type { Range } from "./encodings.ts";

export interface SecretIndex {
  /** Adds a secret of at least `headLength` characters, which the caller has not added before. */
  add(secret: string): void;
  /** Reports where secrets occur, from left to right; overlapping secrets are one range. */
  find(text: string, report: (range: Range) => void): void;
}

/** The secrets of one table of markers. */
interface IndexPart {
  readonly secrets: readonly string[];
  readonly longest: number;
  /** The length of the longest secret that is a prefix of this marker, or 0; null if the text is not a marker. */
  readonly valueOf: (high: number, low: number) => number | null;
}

/** Products of two residues are exact in a double. */
const highPrime = 67_108_859;
const lowPrime = 67_108_837;

/** An index without secrets. */
export function createSecretIndex(): SecretIndex {
  const highBase = 70_000 + Math.floor(Math.random() * 60_000_000);
  const lowBase = 70_000 + Math.floor(Math.random() * 60_000_000);
  let pending: string[] = [];
  /** The largest part first. */
  const parts: IndexPart[] = [];
  /** The bases raised to each exponent up to the longest secret. */
  let highPowers = new Uint32Array([1]);
  let lowPowers = new Uint32Array([1]);

  /** The heads of all known secrets, so that a text without any of them is never hashed. */
  const heads = new Uint8Array(1 << 16);

  const hashesOf = (text: string): Hashes => {
    const high = new Uint32Array(text.length + 1);
    const low = new Uint32Array(text.length + 1);
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at) + 1;
      high[at + 1] = rest(at32(high, at) * highBase + unit, highPrime);
      low[at + 1] = rest(at32(low, at) * lowBase + unit, lowPrime);
    }
    return { high, low };
  };

  /** The value of the marker that the text has between two positions; null if there is none. */
  const probe = (
    { valueOf }: Pick<IndexPart, "valueOf">,
    { high, low }: Hashes,
    from: number,
    to: number,
  ) => {
    const length = to - from;
    const highHash = at32(high, to) - rest(at32(high, from) * at32(highPowers, length), highPrime);
    const lowHash = at32(low, to) - rest(at32(low, from) * at32(lowPowers, length), lowPrime);
    return valueOf(
      highHash < 0 ? highHash + highPrime : highHash,
      lowHash < 0 ? lowHash + lowPrime : lowHash,
    );
  };

  /** The length of the longest secret between two positions, from a known marker downwards. */
  const longestAt = (
    part: Pick<IndexPart, "valueOf">,
    hashes: Hashes,
    from: number,
    to: number,
    start: { readonly length: number; readonly step: number },
  ): number => {
    let { length } = start;
    let longest = 0;
    for (let { step } = start; step >= 1; step /= 2) {
      if (from + length + step > to) continue;
      const value = probe(part, hashes, from, from + length + step);
      if (value === null) continue;
      length += step;
      longest = Math.max(longest, value);
    }
    return longest;
  };

  const growPowers = (longest: number): void => {
    if (longest < highPowers.length) return;
    const length = Math.max(longest + 1, highPowers.length * 2);
    const high = new Uint32Array(length);
    const low = new Uint32Array(length);
    high[0] = 1;
    low[0] = 1;
    for (let at = 1; at < length; at += 1) {
      high[at] = rest(at32(high, at - 1) * highBase, highPrime);
      low[at] = rest(at32(low, at - 1) * lowBase, lowPrime);
    }
    highPowers = high;
    lowPowers = low;
  };

  const createPart = (secrets: readonly string[]): IndexPart => {
    // Shorter secrets come first: a marker's value is final when the marker is made.
    const ordered = secrets.toSorted((one, other) => one.length - other.length);
    const longest = ordered.at(-1)?.length ?? 0;
    growPowers(longest);
    let markers = 0;
    for (const { length } of ordered) markers += bitsOf(length);
    const table = createTable(markers);
    for (const secret of ordered) {
      const hashes = hashesOf(secret);
      let length = 0;
      let value = 0;
      for (let step = largestStep(secret.length); step >= 1; step /= 2) {
        if (length + step > secret.length) continue;
        const end = length + step;
        const kept = probe(table, hashes, 0, end);
        // The secrets between this marker and the one before it are shorter than this marker, and indexed already.
        value = kept ?? Math.max(value, longestAt(table, hashes, 0, end - 1, { length, step: step / 2 }));
        if (end === secret.length) value = end;
        table.set(at32(hashes.high, end), at32(hashes.low, end), value);
        length = end;
      }
    }
    return { secrets, longest, valueOf: table.valueOf };
  };

  const indexPending = (): void => {
    if (pending.length === 0) return;
    let secrets = pending;
    pending = [];
    for (
      let last = parts.at(-1);
      last !== undefined && last.secrets.length <= secrets.length;
      last = parts.at(-1)
    ) {
      secrets = last.secrets.concat(secrets);
      parts.pop();
    }
    parts.push(createPart(secrets));
  };

  return {
    add(secret) {
      pending.push(secret);
      heads[readHead(secret, 0)] = 1;
    },
    find(text, report) {
      indexPending();
      let hashes: Hashes | null = null;
      // Merges ranges here: in megabytes of zeros, a secret of zeros begins at each position.
      let start = 0;
      let end = 0;
      for (let at = 0; at + headLength <= text.length; at += 1) {
        if (heads[readHead(text, at)] === 0) continue;
        hashes ??= hashesOf(text);
        let longest = 0;
        for (const part of parts) {
          const step = largestStep(part.longest);
          longest = Math.max(longest, longestAt(part, hashes, at, text.length, { length: 0, step }));
        }
        if (longest === 0) continue;
        if (at >= end) {
          if (end > 0) report({ start, end });
          start = at;
        }
        end = Math.max(end, at + longest);
      }
      if (end > 0) report({ start, end });
    },
  };
}

/** The shortest secret that the index takes. */
export const headLength = 4;

/** The hashes of a text's first characters: of none, of one, and so on. */
interface Hashes {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
}

function at32(numbers: Uint32Array, at: number): number {
  return numbers[at] ?? 0;
}

/** The remainder of a product below 2^53. The % server type is many times slower on numbers beyond 32 bits. */
function rest(product: number, prime: number): number {
  const remainder = product - Math.floor(product / prime) * prime;
  if (remainder < 0) return remainder + prime;
  return remainder < prime ? remainder : remainder - prime;
}

function largestStep(length: number): number {
  return length === 0 ? 0 : 2 ** (31 - Math.clz32(length));
}

function bitsOf(length: number): number {
  let bits = 0;
  for (let left = length; left > 0; left &= left - 1) bits += 1;
  return bits;
}

interface Table extends Pick<IndexPart, "valueOf"> {
  set(high: number, low: number, value: number): void;
}

/** A table of at most `most` entries, with open addressing. */
function createTable(most: number): Table {
  const size = 2 ** Math.ceil(Math.log2(most * 2 + 2));
  const highs = new Uint32Array(size);
  const lows = new Uint32Array(size);
  /** The value plus one; 0 for an empty slot. */
  const values = new Uint32Array(size);
  const slotOf = (high: number, low: number): number => {
    let slot = (Math.imul(high, 0x9e3779b1) ^ Math.imul(low, 0x85ebca6b)) >>> 0;
    for (slot = (slot ^ (slot >>> 15)) & (size - 1); ; slot = (slot + 1) & (size - 1)) {
      if (values[slot] === 0 || (highs[slot] === high && lows[slot] === low)) return slot;
    }
  };
  return {
    valueOf(high, low) {
      const value = at32(values, slotOf(high, low));
      return value === 0 ? null : value - 1;
    },
    set(high, low, value) {
      const slot = slotOf(high, low);
      highs[slot] = high;
      lows[slot] = low;
      values[slot] = value + 1;
    },
  };
}

/** A 16-bit hash of the four characters at this position. */
function readHead(text: string, at: number): number {
  let head = 0;
  for (let offset = 0; offset < headLength; offset += 1)
    head = (head * 31 + text.charCodeAt(at + offset)) | 0;
  return (head ^ (head >>> 16)) & 0xffff;
}
