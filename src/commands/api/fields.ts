// Fields of a request as words: `-f key=text`, `-F key=value` with numbers, booleans, null and files read as what they
// are, `key[sub]=…` and `key[]=…` for what is nested. For `api` and `graphql` alike.
import { parseJson } from "../../exact-json.ts";
import { usageFailure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { readInputFile } from "../../files/bounded-reads.ts";
import type { Context } from "../../run/context.ts";

export interface FieldOptions {
  /** `-f`, in the order given. */
  readonly rawField?: readonly string[];
  /** `-F`. */
  readonly field?: readonly string[];
}

type Nested = Map<string, unknown>;

interface Field {
  readonly path: readonly string[];
  /** Null for `key[]` alone, which is an empty list. */
  readonly text: string | null;
}

/** All fields as one object; null where there are none. Throws a usage failure that never repeats a value. */
export async function readFields(
  { rawField = [], field = [] }: FieldOptions,
  context: Context,
): Promise<Readonly<Record<string, unknown>> | null> {
  if (rawField.length + field.length === 0) return null;
  const root: Nested = new Map();
  for (const word of rawField) {
    const { path, text } = splitField(word);
    put(root, path, text ?? nothing);
  }
  for (const word of field) {
    const { path, text } = splitField(word);
    put(root, path, text === null ? nothing : await readTyped(text, context));
  }
  return toObject(root);
}

/** What `key[]` alone adds to its list. */
const nothing = Symbol("nothing");

function splitField(word: string): Field {
  const at = word.indexOf("=");
  const key = at === -1 ? word : word.slice(0, at);
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key);
  if (match === null || (at === -1 && !key.endsWith("[]")))
    throw usageFailure("a field is written as key=value, key[part]=value, key[]=value or key[]");
  const parts = [...(match[2] ?? "").matchAll(/\[([^\]]*)\]/g)].map(([, part = ""]) => part);
  return { path: [match[1] ?? "", ...parts], text: at === -1 ? null : word.slice(at + 1) };
}

/** The value that a word stands for: a literal of JSON, the text of a file behind an at sign, or itself. */
async function readTyped(text: string, context: Context): Promise<unknown> {
  if (text === "true" || text === "false" || text === "null") return JSON.parse(text);
  if (/^-?(?:0|[1-9]\d*)$/.test(text)) return parseJson(text);
  if (!text.startsWith("@")) return text;
  return readText(text.slice(1), "a field", context);
}

/** The text of a file, or of standard input for `-`. Throws a usage failure. */
export async function readText(name: string, purpose: string, context: Context): Promise<string> {
  if (name === "-") return context.standardInput.read(purpose);
  let bytes: Buffer;
  try {
    bytes = await readInputFile(name);
  } catch (error) {
    throw usageFailure(`cannot read ${foreign(name)}: ${(error as Error).message}`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw usageFailure(`cannot read ${foreign(name)}: it is not UTF-8 text`);
  }
}

function put(into: Nested, [key = "", ...rest]: readonly string[], value: unknown): void {
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
    put(inner, rest, value);
  }
}

/** `key[][sub]=…` fills the last object of the list until a key comes twice. */
function putInList(list: unknown[], deeper: readonly string[], value: unknown): void {
  if (deeper.length === 0) {
    if (value !== nothing) list.push(value);
    return;
  }
  const last = list.at(-1);
  const isOpen = last instanceof Map && isRoomFor(deeper, last.get(deeper[0] ?? ""));
  const open = isOpen ? (last as Nested) : null;
  const inner: Nested = open ?? new Map<string, unknown>();
  if (open === null) list.push(inner);
  put(inner, deeper, value);
}

/** Whether a key that may be there already can take more: a list of its own can. */
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

function toObject(nested: Nested): Readonly<Record<string, unknown>> {
  // Not by assignment, which the name __proto__ would take for something else.
  return Object.fromEntries([...nested].map(([key, value]) => [key, toPlain(value)]));
}

function toPlain(value: unknown): unknown {
  if (value instanceof Map) return toObject(value as Nested);
  return Array.isArray(value) ? value.map(toPlain) : value;
}
