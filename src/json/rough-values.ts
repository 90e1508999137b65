// Values as JSON.parse makes them of bytes taken for Latin-1, which is much quicker than to decode the bytes first: how
// many names they have, and what their texts are in UTF-8. A list asks both of every item.

/** Stands for a value with names beyond ASCII, which is parsed again from its decoded text. */
export const undecodable = Symbol("undecodable");

const beyondAscii = /[^\0-\x7f]/;

/**
 * A value that was parsed of bytes taken for Latin-1, with its texts as they are in UTF-8: most of them are right, and
 * to parse them all anew takes many times as long. Not for texts that were written with escapes.
 */
export function decodeTexts(value: unknown): unknown {
  if (typeof value === "string")
    return beyondAscii.test(value) ? Buffer.from(value, "latin1").toString("utf8") : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const decoded = value.map(decodeTexts);
    return decoded.includes(undecodable) ? undecodable : decoded;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  let changes: Record<string, unknown> | null = null;
  for (const name in fields) {
    const decoded = decodeTexts(fields[name]);
    if (decoded === undecodable || beyondAscii.test(name)) return undecodable;
    if (decoded !== fields[name]) {
      changes ??= { ...fields };
      changes[name] = decoded;
    }
  }
  return changes ?? value;
}

/** How many names a value has, those inside of it included. */
export function countNames(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let names = 0;
  if (Array.isArray(value)) {
    for (const each of value as readonly unknown[]) names += countNames(each);
    return names;
  }
  // JSON.parse makes plain objects: what is found in them is their own. A list of all values would be garbage at once.
  const fields = value as Readonly<Record<string, unknown>>;
  for (const name in fields) names += 1 + countNames(fields[name]);
  return names;
}
