// Reads and writes JSON without losing digits: integers beyond 2^53 keep every digit.
import { LosslessNumber, parse, stringify } from "lossless-json";

/** Parses UTF-8 bytes; throws for anything that is not one JSON text in valid UTF-8. A byte order mark may lead. */
export function readJson(bytes: Uint8Array): unknown {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  if (bytes.length <= mostTrustedBytes && !mayLoseDigits(text)) {
    // JSON.parse does not recurse, so the depth can be checked in its result, which is faster than in the bytes.
    const value: unknown = JSON.parse(text);
    if (isDeeperThan(value, maxDepth)) throw new SyntaxError("nested too deep");
    return value;
  }
  if (isTooDeep(bytes)) throw new SyntaxError("nested too deep");
  return parseJson(text);
}

/** Like JSON.parse, but numbers that a double would write differently become LosslessNumber. Throws a SyntaxError. */
export function parseJson(text: string): unknown {
  if (!mayLoseDigits(text)) return JSON.parse(text);
  return parse(text, null, { parseNumber: exactNumber, onDuplicateKey: ({ newValue }) => newValue });
}

/** Like readJson, but throws for an object that has a name twice. */
export function readUniqueJson(bytes: Uint8Array): unknown {
  if (isTooDeep(bytes)) throw new SyntaxError("nested too deep");
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  return parse(text, null, { parseNumber: exactNumber, onDuplicateKey: rejectDuplicate });
}

function rejectDuplicate({ key }: { readonly key: string }): never {
  throw new TypeError(`${key} stands there twice`);
}

/**
 * A double can write only long numbers, numbers with a decimal point or an exponent, and -0 differently. Without them,
 * JSON.parse is sufficient. The character before the digits matters, because hashes also contain long runs of digits.
 */
function mayLoseDigits(text: string): boolean {
  return /(?:^|[:[,\s])(?:-?(?:\d{16}|\d{1,15}[.eE])|-0)/.test(text);
}

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

/** The digits of a number, or a string as it is; null for anything else. */
export function exactText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" || value instanceof LosslessNumber ? value.toString() : null;
}

/** Parses a JSON number without losing digits. */
function exactNumber(digits: string): number | LosslessNumber {
  const value = Number(digits);
  return String(value) === digits ? value : new LosslessNumber(digits);
}

/** Deeper than any response. Values nested thousands of times would exhaust the stack of recursive readers. */
const maxDepth = 256;

/** Parsing a text of nothing but brackets takes many times its size in memory; up to this size, that is harmless. */
const mostTrustedBytes = 256 * 1024;

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const each of inner) {
    if (typeof each === "object" && each !== null && isDeeperThan(each, levels - 1)) return true;
  }
  return false;
}

function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isInText) {
      if (byte === 0x5c) at += 1;
      else if (byte === 0x22) isInText = false;
    } else if (byte === 0x22) isInText = true;
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
  }
  return false;
}

/** Parses a JSON text; null for invalid JSON, as for the text `null`. */
export function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
