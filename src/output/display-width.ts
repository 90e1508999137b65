// How many columns of a terminal a text takes, and how to break it into lines. Wide characters count as two, combining
// marks as none. Loaded when something is first drawn.
import { createRuler, isPlain, type Ruler } from "./ruler.ts";

/** No text that the sanitiser lets through has more characters than this in one column. */
const mostOfAColumn = 16;

/** The ruler for plain characters alone. */
const plainRuler = createRuler((text) => text.length);

/**
 * A ruler for these texts. The one for every script takes longer to load than all else at the start, and is rarely
 * needed.
 */
export async function rulerFor(texts: readonly string[]): Promise<Ruler> {
  return texts.every(isPlain) ? plainRuler : (await import("./wide-ruler.ts")).wideRuler;
}

/** The beginning of a text, at least enough to fill these columns: a text of megabytes is not measured whole. */
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

/** The width of a text's longest word, which is the narrowest that `wrap` can make it. */
export function longestWord(text: string, { widthOf }: Ruler): number {
  return piecesOf(text).reduce((longest, piece) => Math.max(longest, widthOf(piece.trimEnd())), 0);
}

function piecesOf(text: string): readonly string[] {
  return text.split(
    /(?<=[ ,])(?=[^ ,])|(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、。])(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/u,
  );
}
