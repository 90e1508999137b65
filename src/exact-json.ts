// JSON in and out without losing anything: an integer beyond 2^53 keeps every digit. A leaf that every room may use.
import { isSafeNumber, LosslessNumber, parse, stringify } from "lossless-json";

/** Parses UTF-8 bytes; throws for anything that is not one JSON text in valid UTF-8. A byte order mark may lead. */
export function readJson(bytes: Uint8Array): unknown {
  return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}

/**
 * Parses a text. Numbers that a double cannot hold exactly come as LosslessNumber, everything else as JSON.parse
 * gives it. Throws a SyntaxError.
 */
export function parseJson(text: string): unknown {
  // Sixteen digits in a row where a number may stand are the least that 2^53 needs; without them the fast parser
  // loses nothing. What stands before them matters: hashes hold long runs of digits too.
  return /(?:^|[:[,\s.-])\d{16}/.test(text) ? parse(text, null, readNumber) : JSON.parse(text);
}

/** A value as JSON; `indent` of 0 keeps it on one line. */
export function toJson(value: unknown, indent: number): string {
  const json = JSON.stringify(value, null, indent);
  // How JSON.stringify renders a number that only its digits can carry; rare, so the slow writer is rarely needed.
  return json.includes('"isLosslessNumber":') ? (stringify(value, null, indent) ?? json) : json;
}

/** The digits of a number, or a string as it is; null for anything else. */
export function exactText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" || value instanceof LosslessNumber ? value.toString() : null;
}

function readNumber(digits: string): number | LosslessNumber {
  return isSafeNumber(digits) ? Number(digits) : new LosslessNumber(digits);
}
