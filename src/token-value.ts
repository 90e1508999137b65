// Whether a text in an answer is a token's value.

/** Texts by which a service, or a gateway, replaces a value that it hides: `****`, `ghp_****`, `[FILTERED]`. */
const hidden = /\*{3}|^\[.*\]$|^<.*>$/;

/** Whether this is one word of printable ASCII, at most 1024 characters, that hides nothing. */
export function isTokenValue(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]{1,1024}$/.test(value) && !hidden.test(value);
}
