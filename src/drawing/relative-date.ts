// Formats dates for a person: relative, or as a day. The current time is an argument. A date in the future, or text
// that is not a date, has no relative form.
import { counted } from "../errors/words.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const month = 30 * day;
const year = 365 * day;

/** Up to two years, a date is in months: "1 year" may be nearly two. A month is a twelfth of a year from 12 months on. */
const units: readonly (readonly [from: number, length: number, name: string])[] = [
  [2 * year, year, "year"],
  [year, year / 12, "month"],
  [month, month, "month"],
  [day, day, "day"],
  [hour, hour, "hour"],
  [minute, minute, "minute"],
];

/** Terminal columns of the longest text, which is `59 minutes ago`. */
export const relativeDateWidth = 14;

/**
 * Formats an RFC 3339 timestamp relative to `now`, in the largest unit: `3 days ago`. Null for a time in the future and
 * for any other text. `now` is in milliseconds since the epoch.
 */
export function relativeDate(timestamp: string, now: number): string | null {
  const moment = isMoment(timestamp) ? Date.parse(timestamp) : Number.NaN;
  const age = now - moment;
  if (Number.isNaN(age) || age < 0) return null;
  const [, length, name] = units.find(([from]) => age >= from) ?? [0, 0, ""];
  if (length === 0) return "just now";
  // Twelve months of thirty days are five days short of a year.
  const most = age < year && name === "month" ? 11 : Infinity;
  return `${counted(Math.min(most, Math.floor(age / length)), name)} ago`;
}

/** The whole days between two moments, in milliseconds since the epoch: `669 days`. */
export function daysBetween(earlier: number, later: number): string {
  return counted(Math.floor((later - earlier) / day), "day");
}

/** The day of a timestamp; any other text is returned unchanged. */
export function dayOf(timestamp: string): string {
  return isMoment(timestamp) ? timestamp.slice(0, 10) : timestamp;
}

function isMoment(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/.test(text);
}
