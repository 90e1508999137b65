// Parses ages as people type them (`90d`, `2026-01-31`, a timestamp) and timestamps as servers send them.
//
// The current time is an argument. Ambiguous input is rejected and never guessed at, because the items that an age
// selects may be piped into a deletion.
import { usageFailure, type Failure } from "../errors/errors.ts";

/** The value of an age flag: a point in time, or a duration counted from now. */
export interface Age {
  /** As it was typed. */
  readonly text: string;
  /** The point in time, counted back from `now`, in milliseconds since 1970. */
  readonly pointBefore: (now: number) => number;
  /** The point in time, counted from `now` into the future, in milliseconds since 1970, for --expires-within. */
  readonly pointAfter: (now: number) => number;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const unitMs: Readonly<Record<string, number>> = {
  m: minuteMs,
  h: 60 * minuteMs,
  d: dayMs,
  w: 7 * dayMs,
  y: 365 * dayMs,
};

/**
 * Reads the argument of a flag: whole minutes, hours, days, weeks or years of 365 days (`30m`, `12h`, `90d`, `2w`,
 * `1y`), a day (`2026-01-31`, from midnight UTC) or an RFC 3339 timestamp. Throws a usage failure that names the flag.
 */
export function parseAge(flag: string, text: string): Age {
  const [, digits, unit] = /^(\d{1,9})([mhdwy])$/.exec(text) ?? [];
  if (digits !== undefined && unit !== undefined) {
    const length = Number(digits) * (unitMs[unit] ?? 0);
    return { text, pointBefore: (now) => now - length, pointAfter: (now) => now + length };
  }
  const point = parseInstant(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
  if (point === null) throw invalidAge(flag, text);
  return { text, pointBefore: () => point, pointAfter: () => point };
}

function invalidAge(flag: string, text: string): Failure {
  // A rule of the audit is written with an equals sign, as in `older-than=1y`.
  const prefix = flag.startsWith("--") ? `${flag} ` : `${flag}=`;
  if (/^\d+$/.test(text))
    return usageFailure(`${prefix}${text} has no unit`, `Use ${prefix}${text}d for days.`);
  if (/^\d{4}-\d{2}-\d{2}[Tt ][\d:.]+$/.test(text)) {
    return usageFailure(
      `${flag} has a time without its zone`,
      `Use ${prefix}${text.replace(" ", "T")}Z for UTC.`,
    );
  }
  return usageFailure(
    `${flag}: must be an age or a date`,
    `Use an age such as 90d, 12h, 30m, 2w or 1y, or a date: ${prefix}2026-01-31`,
  );
}

const timestamp = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:?\d{2})$/;

/** An ISO 8601 timestamp with its zone, in milliseconds since 1970; null for anything else, such as 30 February. */
export function parseInstant(text: unknown): number | null {
  if (typeof text !== "string") return null;
  if (!timestamp.test(text)) return null;
  // Date.parse accepts 30 February as a day in March.
  const day = Number(text.slice(8, 10));
  if (day > 28 && day > daysInMonth(Number(text.slice(0, 4)), Number(text.slice(5, 7)))) return null;
  const regular = /T.*Z/.test(text)
    ? text
    : text
        .replace(/[t ]/, "T")
        .replace("z", "Z")
        .replace(/(\d\d):?(\d\d)$/, "$1:$2");
  const point = Date.parse(regular);
  return Number.isNaN(point) ? null : point;
}

/** The number of days in a month. The calendar repeats every 400 years, and Date.UTC changes years before 100. */
function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}
