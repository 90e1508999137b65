// The request of `grantctl api`: method, path and body from flags, with gh's typed and nested fields.
import { usageFailure } from "../../errors/errors.ts";
import { readTextFile } from "../../system/reads.ts";
import { buildPathTarget } from "../../http/urls.ts";
import type { Method } from "../../http/request.ts";
import type { Call } from "../../http/service.ts";
import { isObject, parseJson, toJson } from "../../json.ts";
import { readHeaders } from "../../http/headers.ts";
import type { Context } from "../../command-line/command.ts";
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
  const isGet = fields.length === 0 && input === null && !/^\/?graphql$/.test(path);
  const word = options.method ?? (isGet ? "GET" : "POST");
  const method = methods.find((known) => known === word.toUpperCase());
  if (method === undefined) throw usageFailure(`--method must be one of ${methods.join(", ")}`);
  const isQuery = method === "GET" || method === "HEAD" || input !== null;
  const body = input ?? (isQuery || fields.length === 0 ? null : bodyOf(fields));
  const query = isQuery ? fields.map(({ name, value }) => [name, queryText(value)] as const) : [];
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

interface Field {
  /** As it is typed: `key`, `key[part]` or `key[]`. */
  readonly name: string;
  /** Absent for a bare `key[]`, the empty list. */
  readonly value?: unknown;
}

/** Throws a usage failure that never repeats a value. */
async function readFields({ rawField = [], field = [] }: RequestOptions, context: Context) {
  const fields: Field[] = rawField.map(splitField);
  for (const word of field) {
    const { name, value } = splitField(word);
    fields.push({ name, value: value && (await readTyped(value, context)) });
  }
  return fields;
}

function splitField(word: string): { readonly name: string; readonly value: string | undefined } {
  const [, name, value] = /^([^[\]=]+(?:\[[^[\]=]+\])*(?:\[\])?)(?:=([^]*))?$/.exec(word) ?? [];
  if (name === undefined || (value === undefined && !name.endsWith("[]")))
    throw usageFailure("a field must have the form key=value, key[part]=value, key[]=value or key[]");
  return { name, value };
}

type Fields = Record<string, unknown>;

/** An object without a prototype, in which `__proto__` is a key as any other. */
function noFields(): Fields {
  return Object.create(null) as Fields;
}

function bodyOf(fields: readonly Field[]): Fields {
  const body = noFields();
  for (const { name, value } of fields) putField(body, name.replaceAll("]", "").split("["), value);
  return body;
}

/** Sets a field in place of one of the same name. The last key is empty for an item of a list. */
function putField(fields: Fields, [key = "", next, ...rest]: readonly string[], value: unknown): void {
  const existing = fields[key];
  if (next === undefined) fields[key] = value;
  else if (next === "")
    fields[key] = [Array.isArray(existing) ? existing : [], value === undefined ? [] : [value]].flat();
  else putField((fields[key] = isObject(existing) ? existing : noFields()), [next, ...rest], value);
}

/** A query has no null. */
function queryText(value: unknown = null): string {
  if (value === null) return "";
  return typeof value === "string" ? value : toJson(value, 0);
}

/** The value of a `-F` field: a JSON literal, the contents of a file (`@file`), or the text itself. */
async function readTyped(text: string, context: Context): Promise<unknown> {
  if (/^(?:true|false|null|-?(?:0|[1-9]\d*))$/.test(text)) return parseJson(text);
  return text.startsWith("@") ? readText(text.slice(1), "a field", context) : text;
}

async function readText(name: string, purpose: string, context: Context): Promise<string> {
  if (name === "-") return context.standardInput.read(purpose);
  return readTextFile(name);
}
