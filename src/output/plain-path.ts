// Programs of jq that are nothing but a path to one place of each item, `.[].app.name`: by far the most that are typed.
// What they find is a plain value nearly always, which takes no jq. Everything else is left to jq itself.
import { exactText } from "../exact-json.ts";

const names = String.raw`(?:\.[A-Za-z_][A-Za-z0-9_]*)+`;

const program = new RegExp(String.raw`^\s*\.\[\](${names})?((?:\s*\|\s*${names})*)\s*$`);

/** The names on the way to the place; null for every other program. */
export function pathOfItems(text: string): readonly string[] | null {
  const found = program.exec(text);
  if (found === null) return null;
  return `${found[1] ?? ""}${found[2] ?? ""}`.split(/[\s|.]+/).filter((name) => name !== "");
}

/** A whole number that jq writes as it came. */
const plainNumber = /^(?:0|-?[1-9]\d{0,30})$/;

/** What jq would print for what is at that place, strings raw; null where that is for jq to say. */
export function resultAt(item: unknown, path: readonly string[]): string | null {
  let value = item;
  for (const name of path) {
    if (value === null) return "null";
    if (typeof value !== "object" || Array.isArray(value) || exactText(value) !== null) return null;
    value = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : null;
  }
  if (value === null) return "null";
  if (typeof value === "boolean") return String(value);
  // Half of a pair of surrogates is something else for jq.
  if (typeof value === "string") return /\p{Surrogate}/u.test(value) ? null : value;
  const digits = exactText(value);
  return digits !== null && plainNumber.test(digits) ? digits : null;
}
