// Addresses that people and servers wrote.

/**
 * The URL in a text, read from `base` where it is relative; null if it is none. Not with `URL.canParse`: on Node 20
 * and 22, it calls every text beyond ASCII wrong once V8 has optimised its caller (nodejs/node, fast calls).
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
