// jq's result for a program that is only a path into each item, such as `.[].app.name`, as most programs are. Where the
// path leads to a plain value, the result is known without running jq. Everything else is left to jq.
import { exactText } from "../json/exact-json.ts";

/** A whole number that jq prints unchanged. */
const plainNumber = /^(?:0|-?[1-9]\d{0,30})$/;

/** What jq would print for the value at that path, strings raw; null where jq has to decide. */
export function resultAt(item: unknown, path: readonly string[]): string | null {
  let value = item;
  for (const name of path) {
    if (value === null) return "null";
    if (typeof value !== "object" || Array.isArray(value) || exactText(value) !== null) return null;
    value = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : null;
  }
  if (value === null) return "null";
  if (typeof value === "boolean") return String(value);
  // jq would change a lone surrogate.
  if (typeof value === "string") return /\p{Surrogate}/u.test(value) ? null : value;
  const digits = exactText(value);
  return digits !== null && plainNumber.test(digits) ? digits : null;
}
