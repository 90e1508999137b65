// Redacts the secrets of this process in messages, notes and the debug trace. They are found by value, in any encoding
// (encodings.ts) and in linear time (secret-index.ts). Results on standard output are not redacted.
//
// A secret that is an ordinary word of grantctl's own messages, such as `wrong` or `status`, is not redacted in them:
// the gap would reveal it. The program's text is searched only if a secret occurs in a message.
import { splitForeign } from "../errors/foreign.ts";
import { type Range, base64ReadingsOf, readingsOf } from "./encodings.ts";
import { type SecretIndex, createSecretIndex, headLength } from "./secret-index.ts";

export interface Redactor {
  add(secret: string): void;
  /**
   * Redacts one of grantctl's messages: every secret in marked (untrusted) text, and in the rest every secret that is
   * not an ordinary word of grantctl's messages. Linear time, however many secrets there are.
   */
  redactMessage(marked: string): string;
  /** Redacts every secret in untrusted text; `wordFor` supplies the replacement. */
  redactText(text: string, wordFor?: (found: string) => string): string;
}

const replacement = "[secret]";

/** Creates a redactor without secrets. `ownText` returns the text of all messages of the program. */
export function createRedactor(ownText: () => string): Redactor {
  const all = createSecretIndex();
  /** The index without ordinary words; null while it would be the same as `all`. */
  let uncommon: SecretIndex | null = null;
  const known = new Set<string>();
  /** Secrets not yet compared with grantctl's own words; compared when one of them occurs. */
  let uncompared: string[] = [];
  /** Secrets too short to be searched for within words. */
  const short = new Set<string>();
  const isOrdinary = createOwnWords(ownText);

  const add = (value: string): void => {
    if (value.length < headLength) short.add(value);
    else if (!known.has(value)) {
      known.add(value);
      all.add(value);
      uncompared.push(value);
    }
  };

  /** The index of secrets that are not ordinary words. */
  const compare = (): SecretIndex => {
    const ordinary = new Set(uncompared.filter(isOrdinary));
    const added = uncommon === null ? known : uncompared;
    if (ordinary.size > 0) uncommon ??= createSecretIndex();
    for (const value of added) if (!ordinary.has(value)) uncommon?.add(value);
    uncompared = [];
    return uncommon ?? all;
  };

  const findAll = (
    text: string,
    index: SecretIndex,
    isMatch: (value: string) => boolean,
  ): readonly Range[] => {
    const found: Range[] = [];
    for (const reading of readingsOf(text)) {
      const note = (range: Range): void => {
        found.push(reading.originOf(range));
      };
      index.find(reading.text, note);
      findAlone(reading.text, short, isMatch, note);
      for (const bytes of base64ReadingsOf(reading.text)) {
        index.find(bytes.text, (range) => {
          note(bytes.originOf(range));
        });
      }
    }
    return found;
  };
  return {
    add(secret) {
      add(secret);
      // The bytes of the secret as characters, because percent encoding and base64 hold bytes.
      add(Buffer.from(secret).toString("latin1"));
    },
    redactMessage(marked) {
      const { text, foreignRanges } = splitForeign(marked);
      // Searches the whole message, because a long or encoded secret may cross the boundary of marked text.
      let anywhere = findAll(text, all, always);
      if (anywhere.length === 0) return text;
      const index = compare();
      anywhere = findAll(text, index, (value) => !isOrdinary(value));
      const inside = foreignRanges.flatMap(({ start, end }) =>
        findAll(text.slice(start, end), all, always).map((range) => ({
          start: range.start + start,
          end: range.end + start,
        })),
      );
      return replaceRanges(text, [...anywhere, ...inside], () => replacement);
    },
    redactText: (text, wordFor = () => replacement) =>
      replaceRanges(text, findAll(text, all, always), wordFor),
  };
}

function always(): boolean {
  return true;
}

/** Replaces the ranges; overlapping ones become one replacement. */
function replaceRanges(text: string, ranges: readonly Range[], wordFor: (found: string) => string): string {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = joined.at(-1);
    if (last === undefined || start >= last.end) joined.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of joined) {
    pieces.push(text.slice(at, start), wordFor(text.slice(start, end)));
    at = end;
  }
  return pieces.join("") + text.slice(at);
}

/** Reports occurrences of short secrets as whole words. */
function findAlone(
  text: string,
  short: ReadonlySet<string>,
  isMatch: (value: string) => boolean,
  report: (range: Range) => void,
): void {
  if (short.size === 0) return;
  for (let start = 0; start < text.length; start += 1) {
    for (let end = start + 1; end < start + headLength && end <= text.length; end += 1) {
      const value = text.slice(start, end);
      if (!short.has(value) || !isMatch(value)) continue;
      if (!isInWord(text[start - 1]) && !isInWord(text[end])) report({ start, end });
    }
  }
}

function isInWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

/** Numbers in grantctl's messages are counts; a longer one may be a one-time password. */
const longestCount = 5;

/** Longer than every word of grantctl's messages. */
const longestWord = 32;

/**
 * Returns a function that is true for a value that consists of words of our own text. `ownText` is called once at most.
 */
function createOwnWords(ownText: () => string): (value: string) => boolean {
  let own: string | null = null;
  const isOwn = (run: string): boolean => {
    // A token is not a word; skips the search of the program text for each of many tokens.
    if (run.length > longestWord) return false;
    own ??= ownText();
    return own.includes(run);
  };
  return (value) => {
    const runs = value.match(/[\p{L}\p{N}]+/gu);
    if (runs === null) return isOwn(value);
    return runs.every((run) => {
      if (/^\p{N}+$/u.test(run)) return run.length <= longestCount;
      // Two or three characters with a digit occur in any text and are not a word.
      return (run.length > 3 || !/\p{N}/u.test(run)) && isOwn(run);
    });
  };
}
