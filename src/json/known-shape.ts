// Knows the items of a list by their shape: which names they have, in which order, and of what kind each value is. A
// shape is an expression, which Node runs over text several times as fast as it parses. It matches nothing that is
// not JSON; items of a shape that it does not know are parsed. Single fields of an item can be read without the rest.
import {
  expressionsOf,
  learn,
  unknownPlace,
  type Expressions,
  type Group,
  type Place,
} from "./item-expressions.ts";
import { isBlank, type Span } from "./item-spans.ts";
import { exactNumber } from "./exact-json.ts";

/** An item that was found, without a blank in it. */
export interface KnownItem extends Span {
  /** Its fields that were asked for, or whose number a double may write otherwise; null for none. */
  readonly fields: KnownFields | null;
}

/** Fields of an item. */
interface KnownFields {
  readonly groups: readonly Group[];
  /** What was found for the first group is at 1. */
  readonly found: readonly (string | undefined)[];
}

/** After this many pages of unknown shape, shapes are given up, unless as many pages were known. */
const patience = 20;

/** How many different lists and objects are remembered: there are few applications, and few sets of scopes. */
const mostKept = 1000;

/**
 * The shape of the items of one list. Whoever lets items pass by it must look at each field for itself, whatever the
 * order of fields, at nothing of a value but its kind, and let pass an empty text where it lets a text pass.
 */
export class KnownShape {
  readonly #item: Place = unknownPlace();
  readonly #asked: readonly string[] | null;
  readonly #kept = new Map<string, unknown>();
  #known = 0;
  #unknown = 0;
  #expressions: Expressions | null = null;

  /** `asked` names the only fields that anybody will look at; null for all of them. */
  constructor(asked: readonly string[] | null = null) {
    this.#asked = asked;
  }

  /** Whether what an item says is told by its fields alone. */
  get isByFields(): boolean {
    return this.#asked !== null;
  }

  /** Whether there are such fields: its page is to be decoded then. */
  get hasFields(): boolean {
    return this.#asked !== null && this.#asked.length > 0;
  }

  /** Whether it knows nothing yet. */
  get isNew(): boolean {
    return this.#item.kinds === 0 && this.#item.layout === null && this.#item.element === null;
  }

  /** Whether to look is worth the time. */
  get isWorthIt(): boolean {
    return this.#unknown <= this.#known + patience;
  }

  /** From now on items like this one are known; its texts are bytes taken for Latin-1. */
  learn(item: unknown): void {
    learn(this.#item, item);
    this.#expressions = null;
  }

  /** The item that begins there, where it has a known shape and is JSON without a blank; else null. */
  find(page: string, start: number): KnownItem | null {
    this.#expressions ??= expressionsOf(this.#item, this.#asked);
    const { usual, grouped, groups } = this.#expressions;
    if (usual !== null && attempt(usual, start, () => usual.test(page)) === true)
      return knownItem(start, usual.lastIndex, null);
    const found = grouped === null ? null : attempt(grouped, start, () => grouped.exec(page));
    return grouped === null || found === null ? null : knownItem(start, grouped.lastIndex, { groups, found });
  }

  /** The items of a page, if it is an array and each of them has the shape; null for everything else. */
  findAll(page: string): readonly KnownItem[] | null {
    const items: KnownItem[] = [];
    let at = skipBlanks(page, 0);
    let isComplete = page.charCodeAt(at) === 0x5b;
    while (isComplete) {
      const item = this.find(page, skipBlanks(page, at + 1));
      if (item === null) isComplete = false;
      else {
        items.push(item);
        at = skipBlanks(page, item.end);
        if (page.charCodeAt(at) !== 0x2c) break;
      }
    }
    isComplete &&= page.charCodeAt(at) === 0x5d && skipBlanks(page, at + 1) === page.length;
    if (isComplete) this.#known += 1;
    else this.#unknown += 1;
    return isComplete ? items : null;
  }

  /**
   * The fields of a known item that were asked for. Of lists and objects that come again there is one, not to be
   * changed.
   */
  readFields(fields: KnownFields | null): unknown {
    const value: Record<string, unknown> = {};
    const { groups = [], found = [] } = fields ?? {};
    let at = 0;
    for (const { name, isText } of groups) {
      at += 1;
      const written = found[at];
      if (written === undefined) value[name] = null;
      else if (isText) value[name] = written.includes("\\") ? JSON.parse(`"${written}"`) : written;
      else value[name] = isNumber(written) ? exactNumber(written) : this.#readJson(written);
    }
    return value;
  }

  /** A known item as it was parsed, with the numbers that a double may write otherwise. */
  mendNumbers(value: unknown, fields: KnownFields | null): unknown {
    for (const [index, { name }] of (fields?.groups ?? []).entries()) {
      const written = fields?.found[index + 1] ?? "";
      if (isNumber(written)) (value as Record<string, unknown>)[name] = exactNumber(written);
    }
    return value;
  }

  #readJson(written: string): unknown {
    const found = this.#kept.get(written);
    if (found !== undefined) return found;
    const value: unknown = JSON.parse(written);
    // A part of a page keeps all of it in memory, its copy does not.
    if (this.#kept.size < mostKept) this.#kept.set(Buffer.from(written).toString(), value);
    return value;
  }
}

function isNumber(written: string): boolean {
  return /^[-\d]/.test(written);
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  while (isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

function knownItem(start: number, end: number, fields: KnownFields | null): KnownItem {
  // Its names were counted when the shape was learnt, and the digits of its fields are all there.
  return { start, end, names: 0, isTight: true, mayLoseDigits: false, fields };
}

/** The match of an expression; null for a text that is too long for its memory. */
function attempt<T>(expression: RegExp, start: number, run: () => T): T | null {
  expression.lastIndex = start;
  try {
    return run();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
