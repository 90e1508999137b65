// Reads and writes JSON without losing digits: integers beyond 2^53 keep every digit.
import { LosslessNumber, parse, stringify } from "lossless-json";

/** Parses UTF-8 bytes; throws for anything that is not one JSON text in valid UTF-8. A byte order mark may lead. */
export function readJson(bytes: Uint8Array): unknown {
  return parseJson(decode(bytes));
}

/** Like JSON.parse, but numbers that a double would write differently become LosslessNumber. Throws a SyntaxError. */
export function parseJson(text: string): unknown {
  if (!mayLoseDigits.test(text)) return JSON.parse(text);
  return parse(text, null, { parseNumber: exactNumber, onDuplicateKey: ({ newValue }) => newValue });
}

/** Like readJson, but throws for an object that has a name twice. */
export function readUniqueJson(bytes: Uint8Array): unknown {
  return parse(decode(bytes), null, {
    parseNumber: exactNumber,
    onDuplicateKey: ({ key }) => {
      throw new TypeError(`${key} stands there twice`);
    },
  });
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

/**
 * A double can write only long numbers, numbers with a decimal point or an exponent, and -0 differently. Without them,
 * JSON.parse is sufficient. The character before the digits matters, because hashes also contain long runs of digits.
 */
const mayLoseDigits = /(?:^|[:[,\s])(?:-?(?:\d{16}|\d{1,15}[.eE])|-0)/;

/** A value as JSON; `indent` of 0 keeps it on one line. */
export function toJson(value: unknown, indent: number): string {
  const json = JSON.stringify(value, null, indent);
  // JSON.stringify writes a LosslessNumber as an object with this property. That is rare, so the slow writer is rarely
  // needed.
  return json.includes('"isLosslessNumber":') ? (stringify(value, null, indent) ?? json) : json;
}

/** True for a JSON object; false for an array or null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The JSON object that a body is; an empty one for any other body. */
export function objectIn(body?: Uint8Array): Readonly<Record<string, unknown>> {
  const value = parseOrNull(new TextDecoder().decode(body));
  return isObject(value) ? value : {};
}

/** The digits of a number, or a string as it is; null for anything else. */
export function exactText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" || value instanceof LosslessNumber ? value.toString() : null;
}

/** A text; null for an empty one, and for anything else. */
export function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function exactNumber(digits: string): number | LosslessNumber {
  const value = Number(digits);
  return String(value) === digits ? value : new LosslessNumber(digits);
}

/** Like parseJson; null for invalid JSON, as for the text `null`. */
export function parseOrNull(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
