// The request of `grantctl api`: method, path and body from flags, with gh's typed and nested fields.
import { usageFailure } from "../../errors/errors.ts";
import { readTextFile } from "../../system/reads.ts";
import { buildPathTarget } from "../../http/origin.ts";
import type { Method } from "../../http/request.ts";
import type { Call } from "../../http/service.ts";
import { isObject, parseJson, toJson } from "../../json.ts";
import { readHeaders } from "../../run/connections.ts";
import type { Context } from "../../run/context.ts";
import { graphqlCall, isGraphql } from "./graphql.ts";

export interface RequestOptions {
  readonly method?: string;
  /** `-f`, in the order given. */
  readonly rawField?: readonly string[];
  /** `-F`. */
  readonly field?: readonly string[];
  /** `-H`. */
  readonly header?: readonly string[];
  readonly input?: string;
}

/** A request with its whole target. Its body is text, or the fields of a JSON object. */
export type ApiCall = Call & { readonly target: string };

const methods: readonly Method[] = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];

/** Builds the request. Fields become the body, or the query with GET, HEAD or --input. Throws a usage failure. */
export async function buildCall(path: string, options: RequestOptions, context: Context): Promise<ApiCall> {
  const fields = await readFields(options, context);
  const input = options.input === undefined ? null : await readText(options.input, "the body", context);
  const isGet = fields === null && input === null && !/^\/?graphql$/.test(path);
  const word = options.method ?? (isGet ? "GET" : "POST");
  const method = methods.find((known) => known === word.toUpperCase());
  if (method === undefined) throw usageFailure(`--method must be one of ${methods.join(", ")}`);
  const isQuery = method === "GET" || method === "HEAD" || input !== null;
  const query = fields === null || !isQuery ? [] : buildQuery(fields);
  const body = input ?? (isQuery ? null : fields);
  const { path: target, template } = buildPathTarget(context.server.origin(), path, query);
  const call = {
    method,
    template,
    target,
    subject: `${method} ${template}`,
    headers: readHeaders(options.header ?? []),
    ...(body === null ? {} : { body }),
  };
  return isGraphql(call) ? { ...call, ...graphqlCall(call.body) } : call;
}

type Fields = Record<string, unknown>;

/** An object without a prototype, in which `__proto__` is a key as any other. */
function noFields(): Fields {
  return Object.create(null) as Fields;
}

/** All fields as one object; null if there are none. Throws a usage failure that never repeats a value. */
async function readFields(
  { rawField = [], field = [] }: RequestOptions,
  context: Context,
): Promise<Fields | null> {
  if (rawField.length + field.length === 0) return null;
  const fields = noFields();
  for (const word of rawField) {
    const { keys, text } = splitField(word);
    putField(fields, keys, text);
  }
  for (const word of field) {
    const { keys, text } = splitField(word);
    putField(fields, keys, text && (await readTyped(text, context)));
  }
  return fields;
}

interface Field {
  /** The last one is empty for an item of a list. */
  readonly keys: readonly string[];
  /** Absent for a bare `key[]`, the empty list. */
  readonly text: string | undefined;
}

function splitField(word: string): Field {
  const [, key, inner = "", text] = /^([^[\]=]+)((?:\[[^[\]=]+\])*(?:\[\])?)(?:=([^]*))?$/.exec(word) ?? [];
  if (key === undefined || (text === undefined && !inner.endsWith("[]")))
    throw usageFailure("a field must have the form key=value, key[part]=value, key[]=value or key[]");
  return { keys: [key, ...inner.split(/\]?\[|\]$/).slice(1, -1)], text };
}

function putField(fields: Fields, [key = "", next, ...rest]: readonly string[], value: unknown): void {
  const existing = fields[key];
  const isList = next === "";
  const fits = isList ? Array.isArray(existing) : next !== undefined && isObject(existing);
  if (existing !== undefined && !fits) throw usageFailure(`the field ${key} is given twice, or in two forms`);
  if (next === undefined) fields[key] = value;
  else if (isList) fields[key] = [(existing as unknown[] | undefined) ?? [], value ?? []].flat();
  else putField((fields[key] ??= noFields()) as Fields, [next, ...rest], value);
}

/** The value of a `-F` field: a JSON literal, the contents of a file (`@file`), or the text itself. */
async function readTyped(text: string, context: Context): Promise<unknown> {
  if (/^(?:true|false|null|-?(?:0|[1-9]\d*))$/.test(text)) return parseJson(text);
  return text.startsWith("@") ? readText(text.slice(1), "a field", context) : text;
}

/** Reads a file, or standard input for `-`. Throws a usage failure. */
async function readText(name: string, purpose: string, context: Context): Promise<string> {
  if (name === "-") return context.standardInput.read(purpose);
  return readTextFile(name);
}

function buildQuery(fields: Fields): readonly (readonly [string, string])[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    Array.isArray(value)
      ? value.map((item) => [`${name}[]`, queryValue(name, item)] as const)
      : [[name, queryValue(name, value)] as const],
  );
}

function queryValue(name: string, value: unknown): string {
  // A query cannot hold null.
  if (value === null) return "";
  if (isObject(value) && !("isLosslessNumber" in value))
    throw usageFailure(`the field ${name} cannot be part of a query`);
  return typeof value === "string" ? value : toJson(value, 0);
}
