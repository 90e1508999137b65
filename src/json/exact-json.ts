// JSON in and out without losing anything: an integer beyond 2^53 keeps every digit.
import { LosslessNumber, parse, stringify } from "lossless-json";

/** Parses UTF-8 bytes; throws for anything that is not one JSON text in valid UTF-8. A byte order mark may lead. */
export function readJson(bytes: Uint8Array): unknown {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  if (bytes.length <= mostTrustedBytes && !mayLoseDigits(text)) {
    // Node's own parser nests without a stack, so its result can be looked at, which is quicker than the bytes.
    const value: unknown = JSON.parse(text);
    if (isDeeperThan(value, deepest)) throw new SyntaxError("nested too deep");
    return value;
  }
  if (isTooDeep(bytes)) throw new SyntaxError("nested too deep");
  return parseJson(text);
}

/**
 * Parses a text. Numbers that a double would write otherwise come as LosslessNumber, everything else as JSON.parse
 * gives it. Throws a SyntaxError.
 */
export function parseJson(text: string): unknown {
  return mayLoseDigits(text) ? parseExactly(text) : JSON.parse(text);
}

/**
 * Only a long number, one with a point or an exponent, and zero below zero may be written otherwise by a double;
 * without them the fast parser will do. The character before the digits matters: hashes also hold long runs of them.
 */
function mayLoseDigits(text: string): boolean {
  return /(?:^|[:[,\s])(?:-?(?:\d{16}|\d{1,15}[.eE])|-0)/.test(text);
}

function parseExactly(text: string): unknown {
  return parse(text, null, { parseNumber: exactNumber, onDuplicateKey: ({ newValue }) => newValue });
}

/** A value as JSON; `indent` of 0 keeps it on one line. */
export function toJson(value: unknown, indent: number): string {
  const json = JSON.stringify(value, null, indent);
  // The rendering by JSON.stringify of a number that only its digits can carry; rare, so the slow writer is rarely
  // needed.
  return json.includes('"isLosslessNumber":') ? (stringify(value, null, indent) ?? json) : json;
}

/** True if a value is an object of JSON, and no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The digits of a number, or a string as it is; null for anything else. */
export function exactText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" || value instanceof LosslessNumber ? value.toString() : null;
}

/** A number of JSON, which keeps its digits. */
function exactNumber(digits: string): number | LosslessNumber {
  const value = Number(digits);
  return String(value) === digits ? value : new LosslessNumber(digits);
}

/** Deeper than any response. Values nested thousands of times would exhaust the stack of recursive readers. */
export const deepest = 256;

/** A text of brackets alone takes many times its size to parse; this much is harmless. */
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
      if (depth > deepest) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
  }
  return false;
}

/** The value of a JSON text; null, as for the text `null`, if it is no JSON. */
export function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
