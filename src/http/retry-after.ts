// Reads `Retry-After` (RFC 9110, 10.2.3): seconds, or a date.

/** How long the service asks to wait, in milliseconds from `now`; null where it does not say, or says nonsense. */
export function parseRetryAfter(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]{2,8},? [\w: -]{16,24}( GMT)?$/.test(text)) return null;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
