// Text for a terminal whose locale is plain ASCII (LC_ALL=C): each character becomes its nearest in ASCII, as wide as
// before, so that columns stay straight.

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
