// Puts the values of fields that are written as `key[sub]=…` and `key[]=…` into nested maps and lists.
import { usageFailure } from "../../errors/errors.ts";

/** Fields by their keys; a value may be another map or a list. */
export type Nested = Map<string, unknown>;

/** The value of `key[]` alone, which makes a list and adds nothing to it. */
export const addsNothing = Symbol("adds nothing");

/** Puts a value at its place. Throws a usage failure for a key that is given twice, or in two shapes. */
export function putField(into: Nested, [key = "", ...rest]: readonly string[], value: unknown): void {
  const [next, ...deeper] = rest;
  const there = into.get(key);
  if (next === undefined) {
    if (there !== undefined) throw usageFailure(`the field ${key} is given twice`);
    into.set(key, value);
  } else if (next === "") putInList(listAt(into, key, there), deeper, value);
  else {
    const inner: Nested = there instanceof Map ? there : new Map<string, unknown>();
    if (there !== undefined && there !== inner) throw bothWays(key);
    into.set(key, inner);
    putField(inner, rest, value);
  }
}

/** Adds to a list. `key[][sub]=…` fills its last object; a key that the object has already begins a new object. */
function putInList(list: unknown[], deeper: readonly string[], value: unknown): void {
  if (deeper.length === 0) {
    if (value !== addsNothing) list.push(value);
    return;
  }
  const last = list.at(-1);
  const isOpen = last instanceof Map && isRoomFor(deeper, last.get(deeper[0] ?? ""));
  const open = isOpen ? (last as Nested) : null;
  const inner: Nested = open ?? new Map<string, unknown>();
  if (open === null) list.push(inner);
  putField(inner, deeper, value);
}

/** Whether a key can take another value: where it has none yet, or a list that the value is added to. */
function isRoomFor([, next]: readonly string[], there: unknown): boolean {
  return there === undefined || (next === "" && Array.isArray(there));
}

function listAt(into: Nested, key: string, there: unknown): unknown[] {
  if (there === undefined) {
    const list: unknown[] = [];
    into.set(key, list);
    return list;
  }
  if (!Array.isArray(there)) throw bothWays(key);
  return there;
}

function bothWays(key: string): Error {
  return usageFailure(`the field ${key} is given in two shapes`);
}

/** The nested maps and lists as plain objects and arrays. */
export function toObject(nested: Nested): Readonly<Record<string, unknown>> {
  // An assignment to the name __proto__ would set the prototype.
  return Object.fromEntries([...nested].map(([key, value]) => [key, toPlain(value)]));
}

function toPlain(value: unknown): unknown {
  if (value instanceof Map) return toObject(value as Nested);
  return Array.isArray(value) ? value.map(toPlain) : value;
}
