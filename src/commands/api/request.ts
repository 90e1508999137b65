// The request of `grantctl api`: method, path and body from flags, with gh's typed and nested fields.
import { graphqlTraits, isGraphql, withVariables } from "./graphql.ts";
import { usageFailure } from "../../errors/errors.ts";
import { readInputFile } from "../../files/bounded-reads.ts";
import { decodeText } from "../../files/decode-text.ts";
import type { Method } from "../../http/request.ts";
import type { RawCall } from "../../http/service.ts";
import { toJson, parseJson } from "../../json/exact-json.ts";
import { readHeaders } from "../../run/connections.ts";
import type { Context } from "../../run/context.ts";

export interface RequestOptions extends FieldOptions {
  readonly method?: string;
  /** `-H`, in the order given. */
  readonly header?: readonly string[];
  readonly input?: string;
}

const methods: readonly Method[] = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];

/** Builds the request. Fields become the body, or the query with GET, HEAD or --input. Throws a usage failure. */
export async function buildRequest(
  path: string,
  options: RequestOptions,
  context: Context,
): Promise<RawCall> {
  const fields = await readFields(options, context);
  const hasBody = fields !== null || options.input !== undefined;
  const method = parseMethod(options.method ?? (hasBody ? "POST" : "GET"));
  const input = options.input === undefined ? null : await readText(options.input, "the body", context);
  const isQuery = method === "GET" || method === "HEAD" || input !== null;
  const isToGraphql = isGraphql({ method, path });
  const sent = fields === null || !isToGraphql ? fields : withVariables(fields);
  const body = input ?? (sent === null || isQuery ? null : toJson(sent, 0));
  return {
    method,
    path,
    query: fields === null || !isQuery ? [] : buildQuery(fields),
    headers: {
      ...readHeaders(options.header ?? []),
      ...(body === null ? {} : { "Content-Type": "application/json; charset=utf-8" }),
    },
    body,
    subject: `${method} ${requestSubject(path)}`,
    ...(isToGraphql ? graphqlTraits(body) : {}),
  };
}

function parseMethod(word: string): Method {
  const method = methods.find((known) => known === word.toUpperCase());
  if (method === undefined) throw usageFailure(`--method must be one of ${methods.join(", ")}`);
  return method;
}

function buildQuery(fields: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] {
  return Object.entries(fields).flatMap(([name, value]): [string, string][] => {
    if (Array.isArray(value)) return value.map((item) => [`${name}[]`, queryValue(name, item)]);
    return [[name, queryValue(name, value)]];
  });
}

function queryValue(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  // A query cannot hold null.
  if (value === null) return "";
  if (typeof value === "object" && !("isLosslessNumber" in value)) {
    throw usageFailure(`the field ${name} cannot be part of a query`);
  }
  return toJson(value, 0);
}

/** The path for messages: without its query, and without segments that may be tokens. */
function requestSubject(path: string): string {
  const [before = ""] = path.replace(/^https?:\/\/[^/?]*/i, "").split("?");
  return `/${before.replace(/^\/+/, "").replaceAll(/[A-Za-z0-9_-]{20,}/g, "…")}`;
}

interface FieldOptions {
  /** `-f`, in the order given. */
  readonly rawField?: readonly string[];
  /** `-F`. */
  readonly field?: readonly string[];
}

interface Field {
  readonly path: readonly string[];
  /** Null for a bare `key[]`, which creates an empty list. */
  readonly text: string | null;
}

/** All fields as one object; null if there are none. Throws a usage failure that never repeats a value. */
async function readFields(
  { rawField = [], field = [] }: FieldOptions,
  context: Context,
): Promise<Readonly<Record<string, unknown>> | null> {
  if (rawField.length + field.length === 0) return null;
  const root = new Map<string, unknown>();
  for (const word of rawField) {
    const { path, text } = splitField(word);
    putField(root, path, text ?? addsNothing);
  }
  for (const word of field) {
    const { path, text } = splitField(word);
    putField(root, path, text === null ? addsNothing : await readTyped(text, context));
  }
  return toObject(root);
}

function splitField(word: string): Field {
  const at = word.indexOf("=");
  const key = at === -1 ? word : word.slice(0, at);
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key);
  if (match === null || (at === -1 && !key.endsWith("[]")))
    throw usageFailure("a field must have the form key=value, key[part]=value, key[]=value or key[]");
  const parts = [...(match[2] ?? "").matchAll(/\[([^\]]*)\]/g)].map(([, part = ""]) => part);
  return { path: [match[1] ?? "", ...parts], text: at === -1 ? null : word.slice(at + 1) };
}

/** The value of a `-F` field: a JSON literal, the contents of a file (`@file`), or the text itself. */
async function readTyped(text: string, context: Context): Promise<unknown> {
  if (text === "true" || text === "false" || text === "null") return JSON.parse(text);
  if (/^-?(?:0|[1-9]\d*)$/.test(text)) return parseJson(text);
  if (!text.startsWith("@")) return text;
  return readText(text.slice(1), "a field", context);
}

/** Reads a file, or standard input for `-`. Throws a usage failure. */
async function readText(name: string, purpose: string, context: Context): Promise<string> {
  if (name === "-") return context.standardInput.read(purpose);
  let bytes: Buffer;
  try {
    bytes = await readInputFile(name);
  } catch (error) {
    throw usageFailure(`cannot read ${name}: ${(error as Error).message}`);
  }
  return decodeText(bytes, (reason, hint) => usageFailure(`cannot read ${name}: ${reason}`, hint));
}

/** Fields by their keys; a value may be another map or a list. */
type Nested = Map<string, unknown>;

/** The value of a bare `key[]`, which creates a list without adding an item. */
const addsNothing = Symbol("adds nothing");

/** Sets a nested field. Throws a usage failure for a key that is given twice, or in two shapes. */
function putField(into: Nested, [key = "", ...rest]: readonly string[], value: unknown): void {
  const [next, ...deeper] = rest;
  const existing = into.get(key);
  if (next === undefined) {
    if (existing !== undefined) throw usageFailure(`the field ${key} is given twice`);
    into.set(key, value);
  } else if (next === "") putInList(listAt(into, key, existing), deeper, value);
  else {
    const inner: Nested = existing instanceof Map ? existing : new Map<string, unknown>();
    if (existing !== undefined && existing !== inner) throw twoShapesFailure(key);
    into.set(key, inner);
    putField(inner, rest, value);
  }
}

/** Appends to a list. `key[][sub]=…` sets a key of its last object; a key that is already set starts a new object. */
function putInList(list: unknown[], deeper: readonly string[], value: unknown): void {
  if (deeper.length === 0) {
    if (value !== addsNothing) list.push(value);
    return;
  }
  const last = list.at(-1);
  const isOpen = last instanceof Map && canTakeValue(deeper, last.get(deeper[0] ?? ""));
  const open = isOpen ? (last as Nested) : null;
  const inner: Nested = open ?? new Map<string, unknown>();
  if (open === null) list.push(inner);
  putField(inner, deeper, value);
}

/** True if a key can take another value: it is unset, or it holds a list to append to. */
function canTakeValue([, next]: readonly string[], existing: unknown): boolean {
  return existing === undefined || (next === "" && Array.isArray(existing));
}

function listAt(into: Nested, key: string, existing: unknown): unknown[] {
  if (existing === undefined) {
    const list: unknown[] = [];
    into.set(key, list);
    return list;
  }
  if (!Array.isArray(existing)) throw twoShapesFailure(key);
  return existing;
}

function twoShapesFailure(key: string): Error {
  return usageFailure(`the field ${key} is given in two forms`);
}

/** The nested maps and lists as plain objects and arrays. */
function toObject(nested: Nested): Readonly<Record<string, unknown>> {
  // Not by assignment: assigning to `__proto__` would set the prototype.
  return Object.fromEntries([...nested].map(([key, value]) => [key, toPlain(value)]));
}

function toPlain(value: unknown): unknown {
  if (value instanceof Map) return toObject(value as Nested);
  return Array.isArray(value) ? value.map(toPlain) : value;
}
