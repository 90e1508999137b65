// Fields of JSON, for `--json a,b` and --sort: checks the names, and picks the values. A dot selects a nested field
// (`app.name`); a missing field is null.
import { usageFailure } from "../errors/errors.ts";
import { both, either, similarNames } from "../errors/words.ts";

/** Parses the value of `--json`: null for all fields, also if the command has none of its own. */
export function parseFields(
  list: string | true | undefined,
  known: readonly string[],
): readonly string[] | null {
  if (typeof list !== "string" || known.length === 0) return null;
  // `token check --json leaked.txt`: the next word is the list of fields, as in gh.
  const swallowed = /[./\d]/.test(list) ? "If it is an ID or a file, put it before --json. " : "";
  const fields = list.split(",").map((field) => field.trim());
  for (const field of fields) checkField(field, known, swallowed);
  return fields;
}

/** Throws a usage failure that lists the fields if this is none of them. */
export function checkField(field: string, known: readonly string[], hint = ""): void {
  if (known.includes(field)) return;
  // A word that may be a token is not repeated.
  const name = /^[a-z_.]{0,30}$/.test(field) ? ` '${field}'` : "";
  const similar = field === "" ? [] : similarNames(field, known);
  const meant = similar.length === 0 ? "" : `You may have meant ${either(similar)}. `;
  throw usageFailure(`unknown field${name}`, `${hint}${meant}The fields are ${both(known)}.`);
}

/** An object with only these fields, in their order; a missing one is null, `app.name` stays nested. */
export function pickFields(item: object, fields: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const field of fields) {
    const [outer = "", inner] = field.split(".");
    if (inner === undefined) picked[outer] = fieldOf(item, field);
    else {
      const nested = (picked[outer] ?? {}) as Record<string, unknown>;
      picked[outer] = { ...nested, [inner]: fieldOf(item, field) };
    }
  }
  return picked;
}

/** The value of a field; null if the field, or the object around it, is missing. */
export function fieldOf(item: object, field: string): unknown {
  let value: unknown = item;
  for (const name of field.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return null;
    value = (value as Record<string, unknown>)[name];
  }
  return value ?? null;
}
