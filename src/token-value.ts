// The format of a token, and its name in places that must not show its value.

/** Placeholders that a server or a gateway sends instead of a hidden value: `****`, `ghp_****`, `[FILTERED]`. */
const hidden = /\*{3}|^\[.*\]$|^<.*>$/;

/** True for one word of printable ASCII, at most 128 KiB, that is not a placeholder. */
export function isTokenValue(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]{1,131072}$/.test(value) && !hidden.test(value);
}

/** The last eight characters, as in `token_last_eight`; at most half of a short token. */
export function lastEight(token: string): string {
  const shown = Math.min(8, Math.floor(token.length / 2));
  return shown === 0 ? "" : token.slice(-shown);
}

/** A token in messages. */
export function tokenName(token: string): string {
  return `the token ending in ${lastEight(token)}`;
}
