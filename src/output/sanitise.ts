// The one sanitiser: what others chose (names, notes, messages, header values) passes here before it reaches a
// terminal or a line-based format. Whatever could move the cursor, colour, link, ring, reorder or hide text becomes
// a visible escape. Linear time.

/**
 * C0 and C1 controls, DEL, bidirectional marks, embeddings, overrides and isolates, line and paragraph separators,
 * zero-width and other invisible format characters, tag characters, and surrogates that stand alone.
 */
const unsafe =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Surrogate}]/gu;

const names: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** Text on one line, with everything that is not plainly visible written as an escape. */
export function sanitise(text: string): string {
  return text.replace(unsafe, (character) => names[character] ?? escapeOf(character));
}

/** JSON text for a terminal: the same JSON, with what a terminal might execute written as \u escapes. */
export function sanitiseJson(json: string): string {
  return json.replace(unsafe, (character) => (character === "\n" ? character : jsonEscapeOf(character)));
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\u{${code.toString(16)}}`;
}

function jsonEscapeOf(character: string): string {
  return [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("");
}
