// How much of a terminal's line a text takes, and texts that are made to fit. Wide characters count as two, marks as
// none. Loaded with what first draws.
import { createRuler, isPlain, type Ruler } from "./ruler.ts";

/** More characters than a terminal column can hold of anything that the sanitiser lets through. */
const mostOfAColumn = 16;

/** For plain characters alone. */
const plainRuler = createRuler((text) => text.length);

/** A ruler for these texts. What knows every script takes longer to load than a whole start, and is rarely needed. */
export async function rulerFor(texts: readonly string[]): Promise<Ruler> {
  return texts.every(isPlain) ? plainRuler : (await import("./wide-ruler.ts")).wideRuler;
}

/** The beginning of a text of any length, enough to fill so many columns, and more where there is more. */
export function beginningOf(text: string, columns: number): string {
  return text.slice(0, (columns + 1) * mostOfAColumn);
}

/**
 * Lines of at most this width, broken after blanks and commas and between the characters of scripts that have no
 * blanks. A word is never broken, however long: it may be there to be pasted.
 */
export function wrap(text: string, width: number, { widthOf }: Ruler): readonly string[] {
  const lines: string[] = [];
  let line = "";
  let used = 0;
  for (const piece of piecesOf(text)) {
    const needed = widthOf(piece.trimEnd());
    if (used > 0 && used + needed > width) {
      lines.push(line.trimEnd());
      line = "";
      used = 0;
    }
    line += piece;
    used += widthOf(piece);
  }
  return [...lines, line.trimEnd()];
}

/** The width of the longest part of a text that is not broken. */
export function longestWord(text: string, { widthOf }: Ruler): number {
  return piecesOf(text).reduce((longest, piece) => Math.max(longest, widthOf(piece.trimEnd())), 0);
}

function piecesOf(text: string): readonly string[] {
  return text.split(
    /(?<=[ ,])(?=[^ ,])|(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、。])(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/u,
  );
}
