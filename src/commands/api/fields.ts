// The fields of a request on the command line: `-f key=text`, `-F key=value` with numbers, booleans, null and the
// contents of files, and `key[sub]=…` and `key[]=…` for objects and lists. Used by `api` and `graphql`.
import { parseJson } from "../../json/exact-json.ts";
import { usageFailure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { readInputFile } from "../../files/bounded-reads.ts";
import type { Context } from "../../run/context.ts";
import { addsNothing, putField, toObject } from "./nested-fields.ts";

export interface FieldOptions {
  /** `-f`, in the order given. */
  readonly rawField?: readonly string[];
  /** `-F`. */
  readonly field?: readonly string[];
}

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
    throw usageFailure("a field is written as key=value, key[part]=value, key[]=value or key[]");
  const parts = [...(match[2] ?? "").matchAll(/\[([^\]]*)\]/g)].map(([, part = ""]) => part);
  return { path: [match[1] ?? "", ...parts], text: at === -1 ? null : word.slice(at + 1) };
}

/** The value of a `-F` field: a literal of JSON, the text of a file after an at sign, or the text itself. */
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
