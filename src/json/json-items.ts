// A list as its bytes: one pass over a page finds where each item begins and ends, so that an item is written as it was
// sent, digit for digit, and only the fields that are needed are parsed. A page is proven to be JSON by JSON.parse of
// the whole, or by the shape of each item, if it is that of an item that was parsed before.
import { isAscii, isUtf8 } from "node:buffer";
import { parseJson, toJson } from "./exact-json.ts";
import { findItems, tighten, type Span } from "./item-spans.ts";
import { JsonPage } from "./json-page.ts";
import type { KnownItem, KnownShape } from "./known-shape.ts";
import { countNames, decodeTexts, undecodable } from "./rough-values.ts";

/**
 * What an item of a list must be; gives back the item, or one in its place that differs. Throws for what it is not.
 * Where a list has a KnownShape, it holds to what is said there.
 */
export type ItemCheck<T> = (item: unknown) => T;

/** An ItemCheck that is given the number of the item, too, from 1. */
type NumberedCheck<T> = (item: unknown, number: number) => T;

/** What the items of a page have in common. */
interface Source<T> {
  readonly page: JsonPage;
  readonly check: NumberedCheck<T>;
  /** The shape that they all have; null where each was checked. */
  readonly shape: KnownShape | null;
  /** The page with its texts decoded, where that is what the items were found in; else null, for its bytes. */
  readonly decoded: string | null;
}

/** Stands for a value that was not parsed yet. */
const unread = Symbol("unread");

/** One item of a page: its value, and its JSON as it was sent. */
export class JsonItem<T> {
  readonly #source: Source<T>;
  readonly #index: number;
  readonly #span: Span | KnownItem;
  /** Whether its bytes may go on. */
  readonly #isAsItCame: boolean;
  #value: T | typeof unread = unread;

  /** An item without a known shape is checked: throws as the check does. */
  constructor(source: Source<T>, index: number, span: Span | KnownItem) {
    this.#source = source;
    this.#index = index;
    this.#span = span;
    // A repeated name would show another reader another value than the one that was checked here.
    this.#isAsItCame =
      source.shape !== null ||
      (source.check(this.#rough, index + 1) === this.#rough && countNames(this.#rough) === span.names);
  }

  /**
   * What it says: texts decoded, numbers with every digit; of a known item perhaps only the fields that were asked for.
   */
  get value(): T {
    if (this.#value === unread) this.#value = this.#read();
    return this.#value;
  }

  /** Its JSON on one line: the bytes as they came, without white space between them. */
  get json(): Buffer {
    if (!this.#isAsItCame) return Buffer.from(toJson(this.value, 0));
    const { page, decoded } = this.#source;
    const { start, end, isTight } = this.#span;
    if (decoded !== null) return Buffer.from(decoded.slice(start, end));
    const bytes = page.bytes.subarray(start, end);
    return isTight ? bytes : Buffer.from(tighten(bytes.toString("latin1")), "latin1");
  }

  /**
   * The JSON of all of them, which are not none, with signs of ASCII before, between and after them. It may stand in
   * the page itself, where nothing of an item is written over.
   */
  static join(items: readonly JsonItem<unknown>[], before: string, between: string, after: string): Buffer {
    const run = runOf(items.map((item) => item.#place));
    const fits = before === "" && between.length === 1 && after.length <= 1;
    if (run !== null) return fits ? joinRun(run, between, after) : copyRun(run, before, between, after);
    const pieces = items.flatMap(({ json }, index) => [Buffer.from(index === 0 ? before : between), json]);
    return Buffer.concat([...pieces, Buffer.from(after)]);
  }

  /** To be learnt from: what goes on as it came. */
  static learn(items: readonly JsonItem<unknown>[], shape: KnownShape): void {
    for (const item of items) if (item.#isAsItCame) shape.learn(item.#rough);
  }

  /** Where its bytes stand that may go on; null where they may not. */
  get #place(): Place | null {
    const { page, decoded } = this.#source;
    return this.#isAsItCame && this.#span.isTight && decoded === null ? { page, span: this.#span } : null;
  }

  get #rough(): unknown {
    return this.#source.page.readParts(true)[this.#index];
  }

  #read(): T {
    const { shape, check } = this.#source;
    if (shape === null) return check(this.#readAll(), this.#index + 1);
    // The check gave back each item of a known shape as it was.
    const fields = "fields" in this.#span ? this.#span.fields : null;
    return (shape.isByFields ? shape.readFields(fields) : shape.mendNumbers(this.#readAll(), fields)) as T;
  }

  #readAll(): unknown {
    const { bytes, isAscii: isRight } = this.#source.page;
    const { start, end, mayLoseDigits } = this.#span;
    if (mayLoseDigits) return parseJson(bytes.toString("utf8", start, end));
    return isRight || isAscii(bytes.subarray(start, end)) ? this.#rough : this.#decode();
  }

  #decode(): unknown {
    const { bytes, hasEscapes } = this.#source.page;
    const decoded = hasEscapes ? undecodable : decodeTexts(this.#rough);
    return decoded === undecodable
      ? JSON.parse(bytes.toString("utf8", this.#span.start, this.#span.end))
      : decoded;
  }
}

interface Place {
  readonly page: JsonPage;
  readonly span: Span;
}

/** Items that stand side by side in one page, one sign between them and one behind the last; null for others. */
function runOf(places: readonly (Place | null)[]): readonly Place[] | null {
  let last: Place | null = null;
  for (const place of places) {
    if (place === null || place.span.end === place.page.bytes.length) return null;
    if (last !== null && (last.page !== place.page || last.span.end + 1 !== place.span.start)) return null;
    last = place;
  }
  return places as readonly Place[];
}

/** What was behind each is written over where it stands: a copy of every page would be as much memory again. */
function joinRun(run: readonly Place[], between: string, after: string): Buffer {
  const bytes = run[0]?.page.bytes ?? Buffer.alloc(0);
  const start = run[0]?.span.start ?? 0;
  const sign = between.charCodeAt(0);
  let end = start;
  for (const { span } of run) {
    end = span.end;
    bytes[end] = sign;
  }
  bytes.write(after, end, "latin1");
  return bytes.subarray(start, end + after.length);
}

/** Items that stand one after the other, joined in a copy: between them there is no room for these signs. */
function copyRun(run: readonly Place[], before: string, between: string, after: string): Buffer {
  const lengths = run.reduce((sum, { span }) => sum + span.end - span.start, 0);
  const joined = Buffer.allocUnsafe(
    before.length + lengths + (run.length - 1) * between.length + after.length,
  );
  let at = joined.write(before, "latin1");
  for (const [index, { page, span }] of run.entries()) {
    at += page.bytes.copy(joined, at, span.start, span.end);
    const signs = index < run.length - 1 ? between : after;
    for (let sign = 0; sign < signs.length; sign += 1, at += 1) joined[at] = signs.charCodeAt(sign);
  }
  return joined;
}

/** A text of JSON as the items that it has: those of an array, or itself where it is something else. */
export interface JsonItems {
  readonly isArray: boolean;
  /** How many items the array has; 1 for what is none. */
  readonly length: number;
  /**
   * Every item, checked. Throws as `check` does, given the number of the item (from 1); a SyntaxError for one nested
   * too deep.
   */
  items<T>(check: NumberedCheck<T>): readonly JsonItem<T>[];
}

/**
 * Reads UTF-8 bytes, which a byte order mark may lead; throws for anything that is not one JSON text. With `isWhole`
 * an array is one item like anything else. With a shape, items that have it are not read before they are asked for, and
 * it learns of others.
 */
export function readJsonItems(bytes: Buffer, isWhole = false, shape: KnownShape | null = null): JsonItems {
  if (!isUtf8(bytes)) throw new TypeError("not UTF-8");
  const page = new JsonPage(
    bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes,
  );
  const mayBeKnown = !isWhole && shape !== null && !shape.isNew && shape.isWorthIt;
  const known = mayBeKnown ? findKnown(page, shape) : null;
  if (known !== null)
    return { isArray: true, length: known.found.length, items: (check) => itemsOf(known, check) };
  const { isArray } = page;
  const isSplit = isArray && !isWhole;
  const parts = page.readParts(isSplit);
  const [whole] = parts;
  return {
    isArray,
    length: isWhole && Array.isArray(whole) ? whole.length : parts.length,
    items(check) {
      const source = { page, check, shape: null, decoded: null };
      if (!isSplit || shape === null) return checkAll(source, isSplit);
      const found = shape.isNew ? findLike(source, shape) : null;
      if (found !== null) return found;
      const items = checkAll(source, true);
      JsonItem.learn(items, shape);
      return items;
    },
  };
}

function checkAll<T>(source: Source<T>, isSplit: boolean): readonly JsonItem<T>[] {
  return findItems(source.page.text, isSplit ? 1 : 0).map((span, index) => new JsonItem(source, index, span));
}

/** The items of a page, if all of them have the shape of the first, which alone is checked; else null. */
function findLike<T>(source: Source<T>, shape: KnownShape): readonly JsonItem<T>[] | null {
  const [span] = findItems(source.page.text, 1, 1);
  if (span === undefined) return null;
  JsonItem.learn([new JsonItem(source, 0, span)], shape);
  const known = shape.isNew ? null : findKnown(source.page, shape);
  return known === null ? null : itemsOf(known, source.check);
}

/** A page whose items all have a known shape. */
interface KnownPage extends Omit<Source<unknown>, "check"> {
  readonly found: readonly KnownItem[];
}

function findKnown(page: JsonPage, shape: KnownShape): KnownPage | null {
  // Of a few fields each is decoded many times as fast in this way.
  const decoded = shape.hasFields && !page.isAscii ? page.bytes.toString("utf8") : null;
  const found = shape.findAll(decoded ?? page.text);
  return found === null ? null : { page, shape, decoded, found };
}

function itemsOf<T>({ found, ...known }: KnownPage, check: NumberedCheck<T>): readonly JsonItem<T>[] {
  const source = { ...known, check };
  return found.map((item, index) => new JsonItem(source, index, item));
}
