// The items of a JSON page, kept as the bytes the server sent.
//
// A list is printed with the server's own bytes, so that ids keep every digit and a field that grantctl does not know
// is passed on unchanged. That requires three facts about a page, each determined once:
//
//   values   JSON.parse of the whole page. It proves that the page is JSON and gives every item's value.
//   spans    one scan of the bytes: where each item starts and ends, how many names it has, whether it contains white
//            space between its tokens, and whether a double writes one of its numbers differently.
//   text     the page's bytes as Latin-1, so that a position in it is also a position in the bytes.
//
// Most servers send compact JSON without escapes, whose items a single regular expression finds. Any other page is
// scanned character by character, which costs 10 ms for a single page, because V8 starts to optimise the scan.
//
// An item's bytes are passed on only if they are exactly what was checked. They are not if a name in it occurs twice
// (another reader might take the first value, this one takes the last), or if the check replaced the item (a token
// value that the specification forbids). Such an item is serialized again from its value.
//
// Latin-1 costs a copy but no decoding, and preserves the bytes. JSON's own characters are ASCII, so both the scan and
// JSON.parse work on it; strings are decoded when a caller reads an item's value. In a page with escapes (\u00e9),
// decoded and undecoded characters would be mixed, so the whole page is decoded first. The scan is meaningful only
// together with JSON.parse, which rejects everything that is not JSON.
import { isAscii, isUtf8 } from "node:buffer";
import { LosslessNumber } from "lossless-json";
import { maxDepth, parseJson, toJson } from "./exact-json.ts";

/** Checks an item and returns it, or a replacement. Throws for an item that breaks the specification. */
export type ItemCheck<T> = (item: unknown) => T;

/** An ItemCheck that is also given the number of the item, from 1. */
type NumberedCheck<T> = (item: unknown, number: number) => T;

/** One item of a page. */
export interface JsonItem<T> {
  /** The checked value. A number that a double would write differently is a LosslessNumber. */
  readonly value: T;
  /** Its JSON on one line. */
  readonly json: string;
  /** Its JSON on one line, in UTF-8; part of the page's buffer if possible. */
  readonly bytes: Buffer;
}

export type JsonItems = ReturnType<typeof readItems>;

/**
 * Reads a JSON page as its items: those of an array, or the whole page if it is anything else. The bytes are UTF-8, with
 * or without a byte order mark. With `isWhole` an array is one item like anything else. Throws a TypeError for bytes that
 * are not UTF-8, a SyntaxError for anything but one JSON text of at most 256 levels.
 */
export function readItems(bytes: Buffer, isWhole = false) {
  if (!isUtf8(bytes)) throw new TypeError("not UTF-8");
  const page = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
  const text = page.toString("latin1");
  const hasEscapes = text.includes("\\");
  const needsDecoding = !isAscii(page);
  const parsed: unknown = JSON.parse(needsDecoding && hasEscapes ? page.toString("utf8") : text);
  const isArray = Array.isArray(parsed);
  const isList = isArray && !isWhole;
  const values: readonly unknown[] = isList ? parsed : [parsed];
  const spans = (isList && !hasEscapes ? findPlainItems(text) : null) ?? findItems(text, isList ? 1 : 0);
  const source = { bytes: page, isDecodedLater: needsDecoding && !hasEscapes };
  return {
    isArray,
    /** The number of items in the array; 1 for anything else. */
    length: isArray ? parsed.length : 1,
    /** All items, checked. Throws what `check` throws. */
    items: <T>(check: NumberedCheck<T>): readonly JsonItem<T>[] =>
      spans.map((span, index) => new PageItem(source, span, values[index], check, index + 1)),
  };
}

/** The JSON of one or more items, with text before, between and after them. */
export function joinItems(
  items: readonly JsonItem<unknown>[],
  before: string,
  between: string,
  after: string,
): Buffer {
  const separator = Buffer.from(between);
  const pieces = items.flatMap(({ bytes }) => [separator, bytes]);
  return Buffer.concat([Buffer.from(before), ...pieces.slice(1), Buffer.from(after)]);
}

/** `isDecodedLater`: the page has non-ASCII characters, but its values were parsed from Latin-1. */
interface Source {
  readonly bytes: Buffer;
  readonly isDecodedLater: boolean;
}

class PageItem<T> implements JsonItem<T> {
  readonly #source: Source;
  readonly #span: Span;
  readonly #isAsSent: boolean;
  #value: T;
  #needsDecoding: boolean;

  constructor(source: Source, span: Span, parsed: unknown, check: NumberedCheck<T>, number: number) {
    this.#source = source;
    this.#span = span;
    this.#needsDecoding = source.isDecodedLater;
    const exact = span.losesDigits ? parseJson(this.#sentText()) : parsed;
    this.#value = check(exact, number);
    this.#isAsSent = this.#value === exact && countNames(exact) === span.names;
  }

  get value(): T {
    if (this.#needsDecoding) this.#value = decodeTexts(this.#value) as T;
    this.#needsDecoding = false;
    return this.#value;
  }

  get json(): string {
    return this.bytes.toString();
  }

  get bytes(): Buffer {
    if (!this.#isAsSent) return Buffer.from(toJson(this.value, 0));
    const sent = this.#sent();
    return this.#span.hasSpaces ? Buffer.from(removeSpaces(sent.toString("latin1")), "latin1") : sent;
  }

  #sent(): Buffer {
    return this.#source.bytes.subarray(this.#span.start, this.#span.end);
  }

  #sentText(): string {
    return this.#sent().toString(this.#source.isDecodedLater ? "latin1" : "utf8");
  }
}

/** Decodes UTF-8 bytes that are held as Latin-1. */
function decode(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}

/** Decodes the keys and strings of a value that was parsed from Latin-1. */
function decodeTexts(value: unknown): unknown {
  if (typeof value === "string") return isLatin1.test(value) ? decode(value) : value;
  if (typeof value !== "object" || value === null || value instanceof LosslessNumber) return value;
  if (Array.isArray(value)) return value.map(decodeTexts);
  const fields: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    const decodedName = isLatin1.test(name) ? decode(name) : name;
    // JSON.parse creates an own property of this name; an assignment would set the prototype.
    if (decodedName === "__proto__")
      Object.defineProperty(fields, decodedName, { ...plainProperty, value: decodeTexts(inner) });
    else fields[decodedName] = decodeTexts(inner);
  }
  return fields;
}

const isLatin1 = /[\x80-\xff]/;
const plainProperty = { configurable: true, enumerable: true, writable: true };

/** Counts the names in a parsed value, nested ones included. A name that is repeated in an object counts once. */
function countNames(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let names = 0;
  if (Array.isArray(value)) {
    for (const each of value as readonly unknown[]) names += countNames(each);
    return names;
  }
  if (value instanceof LosslessNumber) return 0;
  // JSON.parse creates plain objects, so `for in` finds only own names and avoids the array that Object.values would
  // allocate.
  const fields = value as Readonly<Record<string, unknown>>;
  for (const name in fields) names += 1 + countNames(fields[name]);
  return names;
}

/** The position of an item, and what the scan found in it. */
interface Span {
  readonly start: number;
  readonly end: number;
  /** The number of names, nested and repeated ones included. */
  readonly names: number;
  /** True if there is white space between its tokens. */
  readonly hasSpaces: boolean;
  /** True if a double writes one of its numbers differently. */
  readonly losesDigits: boolean;
}

const string = '"[^"]*"';
const scalar = `(?:${string}|(?:0|-?[1-9]\\d{0,13})(?![\\d.eE])|true|false|null)`;
const field = `${string}:(?:${scalar}|\\[(?:${scalar}(?:,${scalar})*)?\\])`;
const innerObject = `\\{(?:${field}(?:,${field})*)?\\}`;
const outerField = `(?:${field}|${string}:${innerObject})`;

/** An object without white space, escapes and long numbers, in which objects are nested one level deep at most. */
const plainItem = new RegExp(`\\{(?:${outerField}(?:,${outerField})*)?\\}`, "y");

/** The items of an array of plain objects, in a text without escapes; null if it is not one. */
function findPlainItems(page: string): readonly Span[] | null {
  const spans: Span[] = [];
  for (let start = 1; ;) {
    plainItem.lastIndex = start;
    if (!plainItem.test(page)) return null;
    const end = plainItem.lastIndex;
    spans.push({ start, end, names: countColons(page, start, end), hasSpaces: false, losesDigits: false });
    if (page.startsWith("]", end)) return spans;
    if (!page.startsWith(",", end)) return null;
    start = end + 1;
  }
}

/** The number of names in a text without escapes, in which only a name ends with a quote and a colon. */
function countColons(page: string, start: number, end: number): number {
  let names = 0;
  for (let at = page.indexOf('":', start); at !== -1 && at < end; at = page.indexOf('":', at + 2)) names += 1;
  return names;
}

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const colon = 0x3a;

/** The values `level` levels deep: 1 for the items of an array, 0 for the whole text. */
function findItems(text: string, level: 0 | 1): readonly Span[] {
  const spans: Span[] = [];
  let depth = 0;
  let start = -1;
  /** The position after the last token. */
  let end = 0;
  let names = 0;
  let hasSpaces = false;
  let losesDigits = false;
  const finish = (): void => {
    if (start !== -1) spans.push({ start, end, names, hasSpaces, losesDigits });
    start = -1;
    names = 0;
    hasSpaces = false;
    losesDigits = false;
  };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isSpace(code)) continue;
    if (depth === level && level > 0 && (code === comma || isClosing(code))) {
      finish();
      if (code !== comma) depth -= 1;
      continue;
    }
    if (depth >= level) {
      if (start === -1) start = at;
      else if (at !== end) hasSpaces = true;
    }
    if (code === quote) at = closingQuote(text, at);
    else if (code === colon) names += 1;
    else if (isOpening(code)) {
      depth += 1;
      if (depth > maxDepth) throw new SyntaxError("nested too deep");
    } else if (isClosing(code)) depth -= 1;
    else if (code === minus || isDigit(code)) {
      const from = at;
      while (isInNumber(text.charCodeAt(at + 1))) at += 1;
      losesDigits ||= isWrittenDifferently(text.slice(from, at + 1));
    }
    end = at + 1;
  }
  if (level === 0) finish();
  return spans;
}

/** True if a character code is JSON's white space. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isOpening(code: number): boolean {
  return code === 0x7b || code === 0x5b;
}

function isClosing(code: number): boolean {
  return code === 0x7d || code === 0x5d;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Digits, signs, the decimal point and the letter of an exponent. */
function isInNumber(code: number): boolean {
  return isDigit(code) || code === 0x2b || code === minus || code === 0x2e || code === 0x65 || code === 0x45;
}

/** True if a double writes this number differently, as in 1.0, -0 and large numbers. */
function isWrittenDifferently(number: string): boolean {
  return String(Number(number)) !== number;
}

/** The position of the quote that closes a string. */
function closingQuote(json: string, opening: number): number {
  let end = json.indexOf('"', opening + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end === -1 ? json.length : end;
}

function isEscaped(json: string, at: number): boolean {
  let first = at;
  while (json.charCodeAt(first - 1) === 0x5c) first -= 1;
  return (at - first) % 2 === 1;
}

/** JSON without the white space between its tokens. */
function removeSpaces(json: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) at = closingQuote(json, at);
    else if (isSpace(code)) {
      if (at > from) pieces.push(json.slice(from, at));
      from = at + 1;
    }
  }
  return pieces.join("") + json.slice(from);
}
