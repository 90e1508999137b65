// How much of a terminal's line a text takes, and texts that are made to fit. Wide characters count as two, marks as
// none. Loaded with what first draws.

/** More characters than a terminal column can hold of anything that the sanitiser lets through. */
const mostOfAColumn = 16;

/** How texts are measured, and cut to a measure. */
export interface Ruler {
  /** Terminal columns that a sanitised text takes. */
  readonly widthOf: (text: string) => number;
  /** A text of at most this width, cut between characters as a reader sees them, the cut shown. */
  readonly cut: (text: string, width: number) => string;
}

/** A ruler for texts of plain characters and of those that `measure` knows. */
export function createRuler(measure: (text: string) => number): Ruler {
  const widthOf = (text: string): number => (isPlain(text) ? text.length : measure(text));
  return {
    widthOf,
    cut(text, width) {
      if (widthOf(text) <= width) return text;
      if (isPlain(text)) return `${text.slice(0, Math.max(0, width - 1))}…`;
      let kept = "";
      let used = 0;
      for (const { segment } of new Intl.Segmenter().segment(text)) {
        used += measure(segment);
        if (used > width - 1) break;
        kept += segment;
      }
      return `${kept}…`;
    },
  };
}

/** For plain characters alone. */
const plainRuler = createRuler((text) => text.length);

/** A ruler for these texts. What knows every script takes longer to load than a whole start, and is rarely needed. */
export async function rulerFor(texts: readonly string[]): Promise<Ruler> {
  return texts.every(isPlain) ? plainRuler : (await import("./wide-ruler.ts")).wideRuler;
}

/** Whether each character is a Latin letter or sign and takes one column: most texts, and they need not be measured. */
export function isPlain(text: string): boolean {
  return /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u017f]*$/.test(text);
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
