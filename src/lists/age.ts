// Parses ages as people type them (`90d`, `2026-01-31`, a timestamp) and timestamps as servers send them.
//
// The current time is an argument. Ambiguous input is rejected and never guessed at, because the items that an age
// selects may be piped into a deletion.
import { usageFailure } from "../errors/errors.ts";

const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;
const unitMs: Readonly<Record<string, number>> = {
  m: minuteMs,
  h: 60 * minuteMs,
  d: dayMs,
  w: 7 * dayMs,
  y: 365 * dayMs,
};

/** A point in time, in milliseconds since 1970, or a duration from now, back or (--expires-within) ahead. */
export type Age = ReturnType<typeof parseAge>;

/**
 * Reads the argument of a flag: whole minutes, hours, days, weeks or years of 365 days (`30m`, `12h`, `90d`, `2w`,
 * `1y`), a day (`2026-01-31`, from midnight UTC) or an RFC 3339 timestamp. Throws a usage failure that names the flag.
 */
export function parseAge(flag: string, text: string) {
  const [, digits, unit = ""] = /^(\d{1,9})([mhdwy])$/.exec(text) ?? [];
  if (digits !== undefined) {
    const length = Number(digits) * (unitMs[unit] ?? 0);
    return { pointBefore: (now: number) => now - length, pointAfter: (now: number) => now + length };
  }
  const point = parseInstant(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
  if (point !== null) return { pointBefore: () => point, pointAfter: () => point };
  throw usageFailure(
    `${flag} must be an age or a date`,
    "Use an age such as 90d, 12h, 30m, 2w or 1y, or a date such as 2026-01-31 or 2026-01-31T10:20:30Z.",
  );
}

const timestamp = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** An RFC 3339 timestamp, in milliseconds since 1970; null for anything else, such as 30 February. */
export function parseInstant(text: unknown): number | null {
  if (typeof text !== "string") return null;
  const [, day] = timestamp.exec(text) ?? [];
  const [point, midnight] = [Date.parse(text), Date.parse(`${day}T00:00:00Z`)];
  // Date.parse accepts 30 February as a day in March.
  if (day === undefined || Number.isNaN(point) || Number.isNaN(midnight)) return null;
  return new Date(midnight).toISOString().startsWith(day) ? point : null;
}
