// Parses URLs from users and servers.

/**
 * Parses a URL, relative to `base` if given; null if it is invalid. Does not use `URL.canParse`: on Node 20 and 22, it
 * rejects every non-ASCII text once V8 has optimised its caller (nodejs/node, fast calls).
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** Default ports and slashes at the end do not count. */
export function isSameUrl(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => parseUrl(text)?.href.replace(/\/+$/, "") ?? text);
  return first === second;
}
