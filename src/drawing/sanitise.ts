// The one sanitiser for text that others chose (names, notes, messages, header values), on its way to a terminal or a
// line-based format. Characters that could move the cursor, colour, link, ring, reorder or hide text become visible
// escapes. On a terminal whose locale is plain ASCII (LC_ALL=C), `toAscii` replaces each character by its nearest in
// ASCII, of the same width, so that columns stay aligned. Both take linear time.

/**
 * In this order: controls (C0, C1, DEL), format characters (bidirectional ones, tags, zero-width ones), surrogates that
 * stand alone, line and paragraph separators, all that Unicode calls ignorable (fillers, joiners, variation
 * selectors), and the fifth and every further mark on one character, which would smear over the lines around.
 * Not: the Arabic format characters that are seen, and the selector that makes a symbol an emoji. Made where a text
 * needs it: hardly any does, and V8 takes a while to look up these classes.
 */
const unsafe = (): RegExp =>
  /(?![\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])(?!(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?<=\p{M}{4})\p{M}/gu;

const names: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** Matches nearly every text, in a fraction of the time: ASCII and Latin letters have nothing to escape. */
const plain = /^[\x20-\x7e\xa0-\xac\xae-\u02ff]*$/;

/** Text on one line, with everything that is not plainly visible written as an escape. */
export function sanitise(text: string): string {
  if (plain.test(text)) return text;
  return text.replace(unsafe(), (character) => names[character] ?? escapeOf(character));
}

/** JSON text for a terminal: the same JSON, with what a terminal might execute written as \u escapes. */
export function sanitiseJson(json: string): string {
  return json.replace(unsafe(), (character) => (character === "\n" ? character : jsonEscapeOf(character)));
}

function escapeOf(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  if (hex.length <= 2) return `\\x${hex.padStart(2, "0")}`;
  return hex.length <= 4 ? `\\u${hex.padStart(4, "0")}` : `\\u{${hex}}`;
}

function jsonEscapeOf(character: string): string {
  return [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("");
}

const nearest: Readonly<Record<string, string>> = {
  "…": "...",
  "→": "->",
  "–": "-",
  "—": "-",
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
};

/** An ellipsis and the two characters before it, which its three dots take; never the end of a colour's sequence. */
const cutShort = /(?<!\u001b\[[0-9;]*)[\w .,]{2}…/gu;

/** Characters that take two columns; made where a text needs it, because V8 takes a while to look up these classes. */
const wide = (): RegExp =>
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\p{Script=Han}\p{Emoji_Presentation}]/gu;

/** The text in ASCII: accents are left off, an ellipsis is three dots, anything else beyond it a question mark. */
export function toAscii(text: string): string {
  if (isAscii(text)) return text;
  return text
    .normalize("NFC")
    .replace(cutShort, "...")
    .replace(/[…→–—‘’“”]/gu, (character) => nearest[character] ?? "?")
    .replace(wide(), "??")
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\0-\x7f]/gu, "?");
}

/** JSON text in ASCII: the same JSON, what is beyond it as \\u escapes. */
export function toAsciiJson(json: string): string {
  return json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}
