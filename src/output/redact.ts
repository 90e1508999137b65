// Replaces the secrets that this process knows in messages, notes and the debug trace. They are found by value, in any
// encoding (encodings.ts). Ordinary words in our own text stay, because a gap would reveal a password that is such a
// word. Results on standard output are not touched.
import { splitForeign } from "../errors/foreign.ts";
import { base64ReadingsOf, readingsOf, type Range } from "./encodings.ts";
import { createOwnWords } from "./own-words.ts";

export interface Redactor {
  /** From now on this value is a secret. */
  add(secret: string): void;
  /**
   * A message of ours with every secret replaced in the text that is marked as foreign, and in the rest as well, except
   * for secrets that are ordinary words of our messages. Takes linear time, however many secrets there are.
   */
  redactMessage(marked: string): string;
}

/** The shortest value to search for inside of words. A shorter one counts only as a word of its own. */
const shortest = 4;

const replacement = "[secret]";

/** A redactor that knows no secret yet. `ownText` gives all text of the program's own messages. */
export function createRedactor(ownText: () => string): Redactor {
  const known = createSecretIndex();
  const isOrdinary = createOwnWords(ownText);
  const findAll = (text: string, isMeant: (value: string) => boolean): readonly Range[] => {
    const found: Range[] = [];
    for (const reading of readingsOf(text)) {
      const note = (range: Range): void => {
        found.push(reading.originOf(range));
      };
      known.find(reading.text, isMeant, note);
      known.findAlone(reading.text, isMeant, note);
      for (const bytes of base64ReadingsOf(reading.text)) {
        known.find(bytes.text, isMeant, (range) => {
          note(bytes.originOf(range));
        });
      }
    }
    return found;
  };
  return {
    add(secret) {
      known.add(secret);
      // The bytes of the secret as characters, because percent encoding and base64 hold bytes.
      known.add(Buffer.from(secret).toString("latin1"));
    },
    redactMessage(marked) {
      const { text, foreignRanges } = splitForeign(marked);
      // The whole message is searched, because a long or encoded secret may cross the border of a marked text.
      const anywhere = findAll(text, (value) => !isOrdinary(value));
      const inside = foreignRanges.flatMap(({ start, end }) =>
        findAll(text.slice(start, end), () => true).map((range) => ({
          start: range.start + start,
          end: range.end + start,
        })),
      );
      return replaceRanges(text, [...anywhere, ...inside]);
    },
  };
}

/** Replaces the ranges; overlapping ones become one replacement. */
function replaceRanges(text: string, ranges: readonly Range[]): string {
  const pieces: string[] = [];
  let at = 0;
  let hiddenTo = 0;
  for (const { start, end } of ranges.toSorted((one, other) => one.start - other.start)) {
    if (start >= hiddenTo) {
      pieces.push(text.slice(at, start), replacement);
      hiddenTo = end;
    } else {
      hiddenTo = Math.max(hiddenTo, end);
    }
    at = hiddenTo;
  }
  return pieces.join("") + text.slice(at);
}

interface SecretIndex {
  add(value: string): void;
  /** Reports where the values that `isMeant` accepts occur; overlapping ones as one range. */
  find(text: string, isMeant: (value: string) => boolean, report: (range: Range) => void): void;
  /** Reports where values occur as words of their own that are too short to be searched for inside of words. */
  findAlone(text: string, isMeant: (value: string) => boolean, report: (range: Range) => void): void;
}

/** Finds any of many values in one pass: a table of their first four characters tells where to look closer. */
export function createSecretIndex(): SecretIndex {
  const heads = new Uint8Array(1 << 16);
  const values = new Set<string>();
  const lengths = new Set<number>();
  const short = new Set<string>();

  return {
    add(value) {
      if (value.length < shortest) {
        short.add(value);
        return;
      }
      heads[headOf(value, 0)] = 1;
      values.add(value);
      lengths.add(value.length);
    },
    find(text, isMeant, report) {
      // Joined here: in megabytes of zeros a secret of zeros is found at each place, and memory must hold all ranges.
      let start = 0;
      let end = 0;
      for (let at = 0; at + shortest <= text.length; at += 1) {
        if (heads[headOf(text, at)] === 0) continue;
        for (const length of lengths) {
          const value = text.slice(at, at + length);
          if (!values.has(value) || !isMeant(value)) continue;
          if (at >= end) {
            if (end > 0) report({ start, end });
            start = at;
          }
          end = Math.max(end, at + value.length);
        }
      }
      if (end > 0) report({ start, end });
    },
    findAlone(text, isMeant, report) {
      if (short.size === 0) return;
      for (let start = 0; start < text.length; start += 1) {
        for (let end = start + 1; end < start + shortest && end <= text.length; end += 1) {
          const value = text.slice(start, end);
          if (!short.has(value) || !isMeant(value)) continue;
          if (!isInWord(text[start - 1]) && !isInWord(text[end])) report({ start, end });
        }
      }
    },
  };
}

function isInWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

/** A 16-bit hash of the four characters at this position. */
function headOf(text: string, at: number): number {
  let head = 0;
  for (let offset = 0; offset < shortest; offset += 1) head = (head * 31 + text.charCodeAt(at + offset)) | 0;
  return (head ^ (head >>> 16)) & 0xffff;
}
