// A list as its bytes: one pass over a page finds where each item begins and ends, so that an item goes on as it came,
// digit for digit, and is read only as far as somebody asks. What proves that a page is JSON is JSON.parse, of all of it.
import { isAscii, isUtf8 } from "node:buffer";
import { deepest, parseJson, toJson } from "./exact-json.ts";
import { countNames, decodeTexts, undecodable } from "./rough-values.ts";

/** What an item of a list must be; gives back the item, or one in its place that differs. Throws for what it is not. */
export type ItemCheck<T> = (item: unknown) => T;

/** A page as it was read. */
interface JsonPage {
  readonly bytes: Buffer;
  /** Whether its texts are what its bytes taken for Latin-1 say. */
  readonly isAscii: boolean;
  /** Whether a text of it may hold a character that was written as an escape. */
  readonly hasEscapes: boolean;
}

/** Where an item stands in its page, and what was seen of it in passing. */
interface Span {
  readonly start: number;
  readonly end: number;
  /** How many names it has, those inside of it included. */
  readonly names: number;
  /** Whether no white space stands between what it says. */
  readonly isTight: boolean;
  /** Whether a number in it may be written otherwise by a double. */
  readonly mayLoseDigits: boolean;
}

/** One item of a page: what it says, and its JSON as it came. */
export class JsonItem<T> {
  readonly #page: JsonPage;
  readonly #span: Span;
  readonly #check: ItemCheck<T>;
  /** As JSON.parse has it, of bytes taken for Latin-1: its shape is right, its texts only where they are ASCII. */
  readonly #rough: unknown;
  /** Whether its bytes may go on. */
  readonly #isAsItCame: boolean;
  #value: { readonly known: T } | null = null;

  /** Throws as `check` does. */
  constructor(page: JsonPage, span: Span, rough: unknown, check: ItemCheck<T>) {
    this.#page = page;
    this.#span = span;
    this.#check = check;
    this.#rough = rough;
    // A repeated name would show another reader another value than the one that was checked here.
    this.#isAsItCame = check(rough) === rough && countNames(rough) === span.names;
  }

  /** What it says: texts decoded, numbers with every digit. */
  get value(): T {
    this.#value ??= { known: this.#check(this.#read()) };
    return this.#value.known;
  }

  /** Its JSON on one line: the bytes as they came, without white space between them. */
  get json(): Buffer {
    if (!this.#isAsItCame) return Buffer.from(toJson(this.value, 0));
    const { start, end, isTight } = this.#span;
    const bytes = this.#page.bytes.subarray(start, end);
    return isTight ? bytes : Buffer.from(tighten(bytes.toString("latin1")), "latin1");
  }

  #read(): unknown {
    const { bytes, isAscii: isRight, hasEscapes } = this.#page;
    const { start, end, mayLoseDigits } = this.#span;
    if (mayLoseDigits) return parseJson(bytes.toString("utf8", start, end));
    if (isRight) return this.#rough;
    const decoded = hasEscapes ? undecodable : decodeTexts(this.#rough);
    return decoded === undecodable ? JSON.parse(bytes.toString("utf8", start, end)) : decoded;
  }
}

/** A text of JSON as the items that it has: those of an array, or itself where it is something else. */
export interface JsonItems {
  readonly isArray: boolean;
  /** How many items the array has; 1 for what is none. */
  readonly length: number;
  /** Every item, checked. Throws as `check` does, given the number of the item (from 1). */
  items<T>(check: (item: unknown, number: number) => T): readonly JsonItem<T>[];
}

/**
 * Reads UTF-8 bytes, which a byte order mark may lead; throws for anything that is not one JSON text. With `isWhole`
 * an array is one item like anything else.
 */
export function readJsonItems(bytes: Buffer, isWhole = false): JsonItems {
  if (!isUtf8(bytes)) throw new TypeError("not UTF-8");
  const read = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
  // JSON's own signs are ASCII, so its shape is the same whatever its texts are taken for; decoding takes longer.
  const text = read.toString("latin1");
  const page = { bytes: read, isAscii: isAscii(read), hasEscapes: text.includes("\\u") };
  const isArray = /^[ \t\n\r]*\[/.test(text);
  const isSplit = isArray && !isWhole;
  const spans = findItems(text, isSplit ? 1 : 0);
  const whole: unknown = JSON.parse(text);
  const parts: readonly unknown[] = isSplit && Array.isArray(whole) ? whole : [whole];
  return {
    isArray,
    length: Array.isArray(whole) ? whole.length : 1,
    items: (check) =>
      spans.map((span, index) => new JsonItem(page, span, parts[index], (item) => check(item, index + 1))),
  };
}

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const colon = 0x3a;

/**
 * Where items are, so many levels deep: 1 for those of an array, 0 for the whole. Right for what is JSON; of anything
 * else it says something or other. Throws a SyntaxError for what is nested too deep.
 */
function findItems(text: string, level: number): readonly Span[] {
  const spans: Span[] = [];
  let depth = 0;
  let start = -1;
  /** Behind what was read last. */
  let end = 0;
  let names = 0;
  let isTight = true;
  let mayLoseDigits = false;
  const finish = (): void => {
    if (start !== -1) spans.push({ start, end, names, isTight, mayLoseDigits });
    start = -1;
    names = 0;
    isTight = true;
    mayLoseDigits = false;
  };
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (isBlank(sign)) continue;
    if (depth === level && level > 0 && (sign === comma || isClosing(sign))) {
      finish();
      if (sign !== comma) depth -= 1;
      continue;
    }
    if (depth >= level) {
      if (start === -1) start = at;
      else if (at !== end) isTight = false;
    }
    if (sign === quote) at = endOfText(text, at);
    else if (sign === colon) names += 1;
    else if (isOpening(sign)) {
      depth += 1;
      if (depth > deepest) throw new SyntaxError("nested too deep");
    } else if (isClosing(sign)) depth -= 1;
    else if (sign === minus || isDigit(sign)) {
      const from = at;
      while (isInNumber(text.charCodeAt(at + 1))) at += 1;
      mayLoseDigits ||= isRareNumber(text, from, at + 1);
    }
    end = at + 1;
  }
  if (level === 0) finish();
  return spans;
}

function isBlank(sign: number): boolean {
  return sign === 0x20 || sign === 0x0a || sign === 0x0d || sign === 0x09;
}

function isOpening(sign: number): boolean {
  return sign === 0x7b || sign === 0x5b;
}

function isClosing(sign: number): boolean {
  return sign === 0x7d || sign === 0x5d;
}

function isDigit(sign: number): boolean {
  return sign >= 0x30 && sign <= 0x39;
}

/** Digits, signs, the point and an exponent's letter. */
function isInNumber(sign: number): boolean {
  return isDigit(sign) || sign === 0x2b || sign === minus || sign === 0x2e || sign === 0x65 || sign === 0x45;
}

/** Whether these signs are more than a short integer. */
function isRareNumber(text: string, start: number, end: number): boolean {
  return end - start > 15 || !/^(?:0|-?[1-9]\d*)$/.test(text.slice(start, end));
}

/** Where the quote is that closes a text. */
function endOfText(json: string, opening: number): number {
  let end = json.indexOf('"', opening + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end === -1 ? json.length : end;
}

function isEscaped(json: string, at: number): boolean {
  let first = at;
  while (json.charCodeAt(first - 1) === 0x5c) first -= 1;
  return (at - first) % 2 === 1;
}

/** JSON without the white space outside of its texts. */
function tighten(json: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = 0; at < json.length; at += 1) {
    const sign = json.charCodeAt(at);
    if (sign === quote) at = endOfText(json, at);
    else if (isBlank(sign)) {
      if (at > from) pieces.push(json.slice(from, at));
      from = at + 1;
    }
  }
  return pieces.join("") + json.slice(from);
}
