// Marks the untrusted parts of a message: text from a server, a path, a cause, the output of a child process.
//
// The redactor needs the marks. A secret may be an ordinary word, such as "status". Such a secret is replaced in marked
// parts only: in grantctl's own text, which is public, the gap would reveal that the missing word is the secret.

/** Noncharacters (Unicode 23.7), which no exchanged text contains. */
const begin = "\uFDD0";
const end = "\uFDD1";
const marks = /[\uFDD0\uFDD1]/g;

/** The text, marked as foreign, to be put into a message or a hint. */
export function foreign(text: string): string {
  return `${begin}${withoutMarks(text)}${end}`;
}

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
    // The text before the first mark is ours; a mark without an end reaches to the end of the text.
    if (index > 0) foreignRanges.push({ start: text.length, end: text.length + inside.length });
    text += inside + behind.join("");
  }
  return { text, foreignRanges };
}
