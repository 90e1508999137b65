// Decodes text in which a secret may be encoded: JSON and shell escapes, percent encoding, HTML, hexadecimal, base64.
//
// A "reading" is a decoded text with a source map: each character maps to a range of the original, so that a secret
// that is found in a reading can be replaced in the original. Readings nest up to two encodings. Linear time.

export interface Range {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

export interface Reading {
  readonly text: string;
  /** Maps a range of this reading to the original, including whole escapes. */
  originOf(range: Range): Range;
}

/** The maximum nesting of encodings, as of a URL in JSON; a third level is not worth the time. */
const mostWrappings = 2;

/** The text itself, and every reading of it with up to two encodings undone. */
export function readingsOf(text: string): readonly Reading[] {
  const readings: Reading[] = [{ text, originOf: (range) => range }];
  const seen = new Set([text]);
  let outer: readonly Reading[] = readings;
  for (let depth = 0; depth < mostWrappings; depth += 1) {
    const inner: Reading[] = [];
    for (const reading of outer) {
      for (const encoding of encodings) {
        const unwrapped = unwrap(reading, encoding);
        if (seen.has(unwrapped.text)) continue;
        seen.add(unwrapped.text);
        inner.push(unwrapped);
      }
    }
    readings.push(...inner);
    outer = inner;
  }
  return readings;
}

/** Shorter runs of base64 hold less than four bytes. */
const shortestRun = 6;

const base64Characters = new Set(
  Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"),
);

/**
 * Decodes base64 in a text, one character per byte. Base64 consists of groups of four characters, and the start of the
 * first group is unknown, so all four offsets are tried.
 */
export function* base64ReadingsOf(text: string): Generator<Reading, void, undefined> {
  for (let start = 0, end = 0; end <= text.length; end += 1) {
    // A regular expression would overflow the stack on megabytes. Past the end the code is NaN, which ends a run.
    if (base64Characters.has(text.charCodeAt(end))) continue;
    if (end - start >= shortestRun) {
      for (let skipped = 0; skipped < 4; skipped += 1) yield bytesOf(text, start + skipped, end);
    }
    start = end + 1;
  }
}

function bytesOf(text: string, from: number, to: number): Reading {
  return {
    text: Buffer.from(text.slice(from, to), "base64").toString("latin1"),
    originOf: ({ start, end }) => ({
      start: from + Math.floor((start * 4) / 3),
      end: from + Math.ceil((end * 4) / 3),
    }),
  };
}

/** After a backslash these are control characters, which no secret contains, so their values do not matter. */
const controlLetters = "bfnrt";

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** An encoding: the pattern of its escapes, and what an escape stands for, which is at least one character. */
type Encoding = readonly [pattern: RegExp, meaningOf: (match: RegExpExecArray) => string];

const encodings: readonly Encoding[] = [
  // `\u0041`, `\u{41}`, `\x41`, `\n`, `\/`.
  [
    /\\(?:u\{([\da-f]{1,6})\}|u([\da-f]{4})|x([\da-f]{2})|[^])/gi,
    ([written, point, unit, byte]) => {
      const hex = point ?? unit ?? byte;
      const plain = written.slice(1);
      if (hex === undefined) return controlLetters.includes(plain) ? "\n" : plain;
      return characterOf(Number.parseInt(hex, 16));
    },
  ],
  // An escaped quote within single quotes of a shell.
  [/'(?:\\'|"'")'/g, () => "'"],
  // `%41`, each byte as one character.
  [/%[\da-f]{2}/gi, ([escape]) => byteOf(escape)],
  // Percent encoding where a plus is a space, as in forms and queries.
  [/%[\da-f]{2}|\+/gi, ([escape]) => (escape === "+" ? " " : byteOf(escape))],
  // `&amp;`, `&#38;`, `&#x26;`.
  [
    /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\da-f]{1,6}));/gi,
    ([, name, decimal, hex]) => {
      if (name !== undefined) return entities[name.toLowerCase()] ?? "";
      return characterOf(decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal));
    },
  ],
  // The bytes of a run of hexadecimal digits, at least four; a run of megabytes is read in parts.
  [/[\da-f]{8,8192}/gi, ([run]) => Buffer.from(run, "hex").toString("latin1")],
];

function characterOf(code: number): string {
  return code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code);
}

/** The byte that a percent escape stands for. */
function byteOf(escape: string): string {
  return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
}

/** Replaces each escape by its meaning, and records the source map. */
function unwrap(outer: Reading, [pattern, meaningOf]: Encoding): Reading {
  /** Four numbers per escape: its range in this reading, and its range in the outer one. */
  const escapes: number[] = [];
  const pieces: string[] = [];
  let length = 0;
  let read = 0;
  for (const match of outer.text.matchAll(pattern)) {
    const end = match.index + match[0].length;
    const before = outer.text.slice(read, match.index);
    const meaning = meaningOf(match);
    length += before.length;
    escapes.push(length, length + meaning.length, match.index, end);
    length += meaning.length;
    pieces.push(before, meaning);
    read = end;
  }
  pieces.push(outer.text.slice(read));

  /** The range of the outer reading that a character of this one stands for. */
  const placeOf = (position: number): Range => {
    let low = 0;
    let high = escapes.length / 4;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((escapes[middle * 4] ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    // Before the first escape, positions are unchanged.
    const [, endHere = 0, start = 0, end = 0] = escapes.slice((low - 1) * 4, low * 4);
    if (position < endHere) return { start, end };
    return { start: end + position - endHere, end: end + position - endHere + 1 };
  };

  return {
    text: pieces.join(""),
    originOf: ({ start, end }) => outer.originOf({ start: placeOf(start).start, end: placeOf(end - 1).end }),
  };
}
