// JSON from where there may be none, or half of one: a journal, an answer that was cut off, another program.

/** The value of a JSON text; null, as for the text `null`, where it is no JSON. */
export function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
