// Field selection for `--json a,b`: parses and validates the names, and picks the values. A dot selects a nested field
// (`app.name`); a missing field is null.
import { Failure } from "../errors/errors.ts";

/**
 * Parses the value of `--json`: null for all fields, also if the command has none of its own. Throws a usage failure that
 * lists the valid names.
 */
export function parseFields(
  list: string | true | undefined,
  known: readonly string[],
): readonly string[] | null {
  if (typeof list !== "string" || known.length === 0) return null;
  const fields = list
    .split(",")
    .map((field) => field.trim())
    .filter((field) => field !== "");
  const wrong = fields.filter((field) => !known.includes(field));
  if (fields.length === 0 || wrong.length > 0) {
    throw new Failure(
      "usage",
      wrong.length > 0 ? `unknown field: ${wrong.join(", ")}` : "the field list of --json is empty",
      {
        // `token check --json leaked.txt`: the next word is the list of fields, as in gh.
        hint: `${/[./]/.test(list) ? "If it is a file, put it before --json. " : ""}Available fields:`,
        choices: known,
      },
    );
  }
  return fields;
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
