// How old something is, in one or two words for a person.

const dayMs = 86_400_000;

/** The width of any age that is likely. */
export const ageWidth = 9;

/** The time since a timestamp in its largest whole unit, as in `3 months`; empty for one that is none. */
export function ageOf(timestamp: string | null | undefined, now: number): string {
  const days = Math.floor((now - Date.parse(timestamp ?? "")) / dayMs);
  if (Number.isNaN(days)) return "";
  if (days < 1) return "today";
  if (days < 60) return count(days, "day");
  return days < 730 ? count(Math.floor(days / 30.44), "month") : count(Math.floor(days / 365.25), "year");
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? "" : "s"}`;
}
