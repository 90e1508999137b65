// The only sanitiser for untrusted text (names, notes, messages, header values) that goes to a terminal or a line-based
// format: characters that could move the cursor, colour, link, ring, reorder or hide text become visible escapes. Takes
// linear time. The JSON variant escapes the same characters as \u, so that the value does not change.
import { shorten } from "../errors/words.ts";

/**
 * In this order: controls (C0, C1, DEL), format characters (bidirectional, tags, zero-width), lone surrogates, line and
 * paragraph separators, default-ignorable code points (fillers, joiners, variation selectors), and combining marks from
 * the fifth on one character, which would smear over adjacent lines. Excludes the visible Arabic format characters, and
 * the selector that makes a symbol an emoji. Compiled on demand, and not a literal, which V8 would compile when it loads the
 * file: few texts need it, and V8 takes long for these classes.
 */
const unsafe = (): RegExp =>
  new RegExp(
    String.raw`(?![\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])(?!(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?<=\p{M}{4})\p{M}`,
    "gu",
  );

const names: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** Fast path: ASCII and Latin letters need no escape. */
const plain = /^[\x20-\x7e\xa0-\xac\xae-\u02ff]*$/;

/** Escapes everything that is not plainly visible; the result is one line. */
export function sanitise(text: string): string {
  if (plain.test(text)) return text;
  return text.replace(unsafe(), (character) => names[character] ?? escapeOf(character));
}

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Escapes unsafe characters in JSON text as \u, which keeps its value. */
export function sanitiseJson(json: string): string {
  return json.replace(unsafe(), (each) => (each === "\n" ? each : each.replace(/[^]/g, escapeUnit)));
}

function escapeOf(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  if (hex.length <= 2) return `\\x${hex.padStart(2, "0")}`;
  return hex.length <= 4 ? `\\u${hex.padStart(4, "0")}` : `\\u{${hex}}`;
}

const longestName = 40;

/** A name that others chose, in a message. Sanitised before it is cut: an escape is longer than what it stands for. */
export function quoteName(name: string): string {
  return `"${shorten(sanitise(name), longestName)}"`;
}
