// Marks the parts of a message that others wrote: a service's words, a path, a cause, the output of a child process. Only
// marked parts are searched for secrets. Our own words are never rewritten: a gap where a word stood would tell that this
// word is the password.

/** Noncharacters (Unicode 23.7): no text that is exchanged holds them. */
const begin = "\uFDD0";
const end = "\uFDD1";
const marks = /[\uFDD0\uFDD1]/g;

/** The text, marked as somebody else's, to be put into a message or a hint. */
export function foreign(text: string): string {
  return `${begin}${withoutMarks(text)}${end}`;
}

/** The text without its marks, as it is shown. */
export function withoutMarks(text: string): string {
  return text.replaceAll(marks, "");
}

/** The text without its marks, and which ranges of it were marked as foreign. */
export function splitForeign(marked: string): {
  readonly text: string;
  readonly foreignRanges: readonly { readonly start: number; readonly end: number }[];
} {
  const foreignRanges: { start: number; end: number }[] = [];
  let text = "";
  for (const [index, part] of marked.split(begin).entries()) {
    const [inside = "", ...behind] = part.split(end);
    // Before the first mark everything is ours; a mark without its end reaches to the end of the text.
    if (index > 0) foreignRanges.push({ start: text.length, end: text.length + inside.length });
    text += inside + behind.join("");
  }
  return { text, foreignRanges };
}
