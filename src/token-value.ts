// What a token's value looks like in an answer, wherever it is looked for.

/** What a service, or whoever stands before it, puts in the place of a value that it hides: `****`, `ghp_****`, `[FILTERED]`. */
const hidden = /\*{3}|^\[.*\]$|^<.*>$/;

export function isTokenValue(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]{1,1024}$/.test(value) && !hidden.test(value);
}
