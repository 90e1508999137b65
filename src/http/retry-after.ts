// Reads `Retry-After` (RFC 9110, 10.2.3): seconds, or a date in one of the three forms of RFC 9110, 5.6.7. Nothing
// else is accepted: a lenient parser would misread a time zone or a sign.

const time = String.raw`\d{2}:\d{2}:\d{2}`;
const dateWithZone = new RegExp(
  `^(?:[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4}|[A-Z][a-z]{5,8}, \\d{2}-[A-Z][a-z]{2}-\\d{2}) ${time} GMT$`,
);
const dateOfC = new RegExp(`^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \\d]\\d ${time} \\d{4}$`);

/** How long the service asks to wait, in milliseconds from `now`; null where it does not say, or says nonsense. */
export function parseRetryAfter(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  // Ten digits are three centuries; a longer number cannot be meant as a wait.
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  const date = dateWithZone.test(text)
    ? Date.parse(text)
    : dateOfC.test(text)
      ? Date.parse(`${text} GMT`)
      : NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** The time by the server's own clock, from its `Date`; `now` where it sends none: the clock of this machine may be wrong. */
export function serverTime({ date = "" }: Readonly<Record<string, string>>, now: number): number {
  const told = Date.parse(date);
  return Number.isNaN(told) ? now : told;
}
