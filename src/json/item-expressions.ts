// Records the names, their order and the kinds of values in the items of a list, and makes the regular expressions that
// match other items of that shape. An expression matches nothing that is not JSON.

/** What a plain value may be, as bits: where several were seen in one place, each of them is known there. */
const ofNull = 1;
const ofBoolean = 2;
const ofNoText = 4;
const ofText = 8;
/** Written as nothing but digits, perhaps below zero. */
const ofWhole = 16;

const textOrNull = ofNull | ofNoText | ofText;

/** The values that were seen at one place of the items. */
export interface Place {
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

/** A field that stands in a group of the expression. */
export interface Group {
  readonly name: string;
  /**
   * Whether it can only be a text, which is found without its quotes, or null, where nothing is found; else its JSON
   * is.
   */
  readonly isText: boolean;
}

/** Items with more places than these are not worth an expression. */
const mostPlaces = 300;

/** Matches the inside of a JSON text. No character can match in two ways, so that there is no backtracking. */
const textSigns = String.raw`[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*`;

/** A whole number that a double writes the same. */
const safeWhole = String.raw`(?:0|-?[1-9]\d{0,14})`;

/** Any whole number that is not beyond all doubles: infinity is not an integer. */
const anyWhole = String.raw`-?(?:0|[1-9]\d{0,299})`;

/** A place of which nothing was seen yet. */
export function unknownPlace(): Place {
  return { kinds: 0, layout: null, element: null };
}

/** Records a value that stands in this place. */
export function learn(place: Place, value: unknown): void {
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

export interface Expressions {
  /** An item whose numbers are all safe; null where fields are asked for. */
  readonly usual: RegExp | null;
  /**
   * One with fields in groups: those that were asked for, or those that may have any number. Null for no such field.
   */
  readonly grouped: RegExp | null;
  readonly groups: readonly Group[];
}

/**
 * The expressions for items of this shape; null ones where it has too many places, or where fields are asked for of
 * something that has none.
 */
export function expressionsOf(item: Place, asked: readonly string[] | null): Expressions {
  const isPlain = item.kinds !== 0 || item.element !== null;
  if (countPlaces(item) > mostPlaces || (asked !== null && isPlain))
    return { usual: null, grouped: null, groups: [] };
  const { names = [], places = [] } = item.layout ?? {};
  const groups = names.map((name, index): Group | null => {
    const { kinds = 0, layout = null, element = null } = places[index] ?? {};
    const isGroup = asked === null ? (kinds & ofWhole) !== 0 : asked.includes(name);
    // A field of this name would be no field of the object that it is put into.
    if (!isGroup || name === "__proto__") return null;
    return { name, isText: (kinds & ~textOrNull) === 0 && layout === null && element === null };
  });
  const hasGroups = asked !== null || groups.some((group) => group !== null);
  return {
    usual: asked === null ? itemExpression(item, [], safeWhole) : null,
    grouped: hasGroups ? itemExpression(item, groups, asked === null ? safeWhole : anyWhole) : null,
    groups: groups.filter((group) => group !== null),
  };
}

/** In the place of an expression: nothing is known. */
const never = "(?!)";

function countPlaces({ layout, element }: Place): number {
  const inner = [...(layout?.places ?? []), ...(element === null ? [] : [element])];
  return inner.reduce((count, place) => count + countPlaces(place), 1);
}

/** What an item may be. Fields in groups may have any whole number; `whole` has the expression for those of others. */
function itemExpression(item: Place, groups: readonly (Group | null)[], whole: string): RegExp {
  const { layout } = item;
  const values = layout?.places.map((place, index) => {
    const group = groups[index] ?? null;
    if (group === null) return expressionOf(place, whole);
    return group.isText ? textGroup(place) : `(${expressionOf(place, anyWhole)})`;
  });
  const object = layout === null || values === undefined ? null : objectOf(layout.names, values);
  return new RegExp(expressionOf(item, safeWhole, object), "y");
}

function expressionOf(place: Place, whole: string, object = plainObjectOf(place.layout)): string {
  const { kinds, element } = place;
  const ways: string[] = [];
  if ((kinds & ofText) !== 0) ways.push(`"${textSigns}"`);
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

/** A text without its quotes in a group, which is there even where no text was seen, or perhaps null. */
function textGroup({ kinds }: Place): string {
  const signs = (kinds & ofText) !== 0 ? textSigns : (kinds & ofNoText) !== 0 ? "" : never;
  return (kinds & ofNull) === 0 ? `"(${signs})"` : `(?:"(${signs})"|null)`;
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
