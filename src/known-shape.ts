// Knows the items of a list by their shape: which names they have, in which order, and of what kind each value is. A shape
// is an expression, which Node runs over text several times as fast as it parses. It says yes to nothing that is not JSON;
// what it does not know is for others to read.

/** What a plain value may be, as bits: where several were seen in one place, each of them is known there. */
const ofNull = 1;
const ofBoolean = 2;
const ofNoText = 4;
const ofText = 8;
/** Written as nothing but digits, perhaps below zero. */
const ofWhole = 16;

/** What was seen in one place. */
interface Place {
  kinds: number;
  /** Of objects: the last layout. */
  layout: Layout | null;
  /** Of lists: whatever was in any of them. */
  element: Place | null;
}

interface Layout {
  readonly names: readonly string[];
  readonly places: readonly Place[];
}

/** A field of an item, whose number a double may write otherwise. */
export interface RareNumber {
  readonly name: string;
  readonly digits: string;
}

/** So many pages may be unknown before it is not worth another look, unless as many were known. */
const patience = 20;

/** Items with more places than these are not worth an expression. */
const mostPlaces = 300;

/** A text, as JSON has it. No sign can be read in two ways, so that nothing is ever tried again. */
const text = String.raw`"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"`;

/** A whole number that a double writes the same. */
const safeWhole = String.raw`(?:0|-?[1-9]\d{0,14})`;

/** Any whole number that is not beyond all doubles: infinity is no integer. */
const anyWhole = String.raw`(-?(?:0|[1-9]\d{0,299}))`;

/**
 * The shape of the items of one list. Whoever lets items pass by it must look at each field for itself, whatever the order
 * of fields, at nothing of a value but its kind, and let pass an empty text where it lets a text pass.
 */
export class KnownShape {
  readonly #item: Place = unknownPlace();
  #known = 0;
  #unknown = 0;
  #expressions: Expressions | null = null;
  #rare: RareNumber[] = [];

  /** Whether to look is worth the time. */
  get isWorthIt(): boolean {
    return this.#unknown <= this.#known + patience;
  }

  /** Counts how it went with a page. */
  count(wasKnown: boolean): void {
    if (wasKnown) this.#known += 1;
    else this.#unknown += 1;
  }

  /** From now on items like this one are known; its texts are bytes taken for Latin-1. */
  learn(item: unknown): void {
    learn(this.#item, item);
    this.#expressions = null;
  }

  /** Behind the item that begins there, where it has a known shape and is JSON without a blank; else -1. */
  endOf(page: string, start: number): number {
    if (this.#rare.length > 0) this.#rare = [];
    this.#expressions ??= expressionsOf(this.#item);
    const { usual, exact, names } = this.#expressions;
    if (attempt(usual, start, () => usual.test(page)) === true) return usual.lastIndex;
    const found = exact === null ? null : attempt(exact, start, () => exact.exec(page));
    if (exact === null || found === null) return -1;
    for (const [index, name] of names.entries()) {
      const digits = found[index + 1];
      if (digits !== undefined && isRare(digits)) this.#rare.push({ name, digits });
    }
    return exact.lastIndex;
  }

  /** Numbers of the item that was looked at last, where they may lose digits; to be asked once. */
  takeRare(): readonly RareNumber[] {
    if (this.#rare.length === 0) return none;
    const taken = this.#rare;
    this.#rare = [];
    return taken;
  }
}

/** What comes of running an expression; null for a text that is longer than it has memory for. */
function attempt<T>(expression: RegExp, start: number, run: () => T): T | null {
  expression.lastIndex = start;
  try {
    return run();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const none: readonly RareNumber[] = [];

function isRare(digits: string): boolean {
  return digits.length > 15 || digits === "-0";
}

function unknownPlace(): Place {
  return { kinds: 0, layout: null, element: null };
}

function learn(place: Place, value: unknown): void {
  if (value === null) place.kinds |= ofNull;
  else if (typeof value === "boolean") place.kinds |= ofBoolean;
  else if (typeof value === "string") place.kinds |= value === "" ? ofNoText : ofNoText | ofText;
  else if (typeof value === "number") place.kinds |= Number.isInteger(value) ? ofWhole : 0;
  else if (Array.isArray(value)) {
    place.element ??= unknownPlace();
    for (const each of value as readonly unknown[]) learn(place.element, each);
  } else learnObject(place, value as Readonly<Record<string, unknown>>);
}

function learnObject(place: Place, value: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(value);
  const known = place.layout;
  const isLike = known?.names.length === names.length && names.every((name, at) => name === known.names[at]);
  const layout = isLike ? known : { names, places: names.map(unknownPlace) };
  place.layout = layout;
  for (const [index, inner] of layout.places.entries()) learn(inner, value[names[index] ?? ""]);
}

interface Expressions {
  /** An item whose numbers are all safe. */
  readonly usual: RegExp;
  /** One whose own fields may have others, each in a group; null where there is no such field. */
  readonly exact: RegExp | null;
  /** The fields of the groups. */
  readonly names: readonly string[];
}

function expressionsOf(item: Place): Expressions {
  if (countPlaces(item) > mostPlaces) return { usual: nothing, exact: null, names: [] };
  const names: string[] = [];
  const exact = partsOf(item, (name) => {
    names.push(name);
    return anyWhole;
  });
  return {
    usual: new RegExp(
      partsOf(item, () => safeWhole),
      "y",
    ),
    exact: names.length === 0 ? null : new RegExp(exact, "y"),
    names,
  };
}

/** In the place of an expression: nothing is known. */
const never = "(?!)";

const nothing = new RegExp(never, "y");

function countPlaces({ layout, element }: Place): number {
  const inner = [...(layout?.places ?? []), ...(element === null ? [] : [element])];
  return inner.reduce((count, place) => count + countPlaces(place), 1);
}

/** What an item may be; `wholeOf` has the expression for whole numbers of its own fields. */
function partsOf(item: Place, wholeOf: (name: string) => string): string {
  const { layout } = item;
  if (layout === null) return expressionOf(item, safeWhole, null);
  const places = layout.places.map((place, index) =>
    expressionOf(place, (place.kinds & ofWhole) === 0 ? "" : wholeOf(layout.names[index] ?? "")),
  );
  return expressionOf(item, safeWhole, objectOf(layout.names, places));
}

function expressionOf(place: Place, whole: string, object = plainObjectOf(place.layout)): string {
  const { kinds, element } = place;
  const ways: string[] = [];
  if ((kinds & ofText) !== 0) ways.push(text);
  else if ((kinds & ofNoText) !== 0) ways.push('""');
  if ((kinds & ofWhole) !== 0) ways.push(whole);
  if ((kinds & ofNull) !== 0) ways.push("null");
  if ((kinds & ofBoolean) !== 0) ways.push("true", "false");
  if (object !== null) ways.push(object);
  if (element !== null) {
    const each = expressionOf(element, safeWhole);
    ways.push(String.raw`\[(?:${each}(?:,${each})*)?\]`);
  }
  // Where nothing was seen, nothing is known.
  return ways.length === 0 ? never : `(?:${ways.join("|")})`;
}

function plainObjectOf(layout: Layout | null): string | null {
  if (layout === null) return null;
  return objectOf(
    layout.names,
    layout.places.map((place) => expressionOf(place, safeWhole)),
  );
}

/** A name that was written otherwise, with escapes, is not found again. */
function objectOf(names: readonly string[], values: readonly string[]): string {
  const fields = names.map(
    (name, index) => `${literally(`${JSON.stringify(name)}:`)}${values[index] ?? never}`,
  );
  return String.raw`\{${fields.join(",")}\}`;
}

function literally(signs: string): string {
  return signs.replaceAll(
    /[^\w]/g,
    (sign) => String.raw`\x${sign.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}
