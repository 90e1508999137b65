// Marks the foreign parts of a message: a service's words, a path, a cause, the output of a child process. Secrets that
// are ordinary words are replaced in marked parts only: in our own text, which everybody knows, a gap would show that
// the missing word is the password.

/** Noncharacters (Unicode 23.7), which no exchanged text contains. */
const begin = "\uFDD0";
const end = "\uFDD1";
const marks = /[\uFDD0\uFDD1]/g;

/** The text, marked as foreign, to be put into a message or a hint. */
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
