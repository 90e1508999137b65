// Relative dates for a person. A date in the future, or text that is not a date, has no relative form.
import { counted } from "../errors/words.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const year = 365 * day;

/** Up to two years, a date is in months: "1 year" may be nearly two. */
const units: readonly (readonly [from: number, length: number, name: string])[] = [
  [2 * year, year, "year"],
  [30 * day, year / 12, "month"],
  [day, day, "day"],
  [60 * minute, 60 * minute, "hour"],
  [minute, minute, "minute"],
];

/** An RFC 3339 timestamp relative to `now`, in the largest unit: `3 days ago`. Null for anything else. */
export function relativeDate(timestamp: string, now: number): string | null {
  const age = moment.test(timestamp) ? now - Date.parse(timestamp) : Number.NaN;
  if (Number.isNaN(age) || age < 0) return null;
  const [, length, name] = units.find(([from]) => age >= from) ?? [0, 0, ""];
  return length === 0 ? "just now" : `${counted(Math.max(1, Math.floor(age / length)), name)} ago`;
}

/** The whole days between two moments: `669 days`. */
export function daysBetween(earlier: number, later: number): string {
  return counted(Math.floor((later - earlier) / day), "day");
}

const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
