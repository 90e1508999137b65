// The width of text on a terminal: how many columns it takes, how to cut it, and how to wrap it.
//
// The width of plain Latin text is its length. All other text needs the ruler with tables of wide characters, combining
// marks and emoji (wide-ruler.ts). Loading these tables takes longer than the rest of start-up, so `rulerFor` loads
// them only for text that needs them.

/** Measures texts, and cuts them to a width. */
export interface Ruler {
  /** Terminal columns that a sanitised text takes. */
  readonly widthOf: (text: string) => number;
  /** Cuts a text to this width between grapheme clusters, and marks the cut. */
  readonly cut: (text: string, width: number) => string;
}

/** A ruler for plain text and for the text that `measure` supports. */
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

/** True if every character is a Latin letter or sign of one column, so that the length is the width. */
export function isPlain(text: string): boolean {
  return /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u017f]*$/.test(text);
}

const plainRuler = createRuler((text) => text.length);

/** The cheapest ruler that supports these texts. */
export async function rulerFor(texts: readonly string[]): Promise<Ruler> {
  return texts.every(isPlain) ? plainRuler : (await import("./wide-ruler.ts")).wideRuler;
}

/**
 * Wraps text after spaces and commas, and between the characters of scripts without spaces. A word is never broken,
 * however long, because it may be meant to be pasted.
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

/** Fills lines of at most this width with the words, which stay whole. By default, the width of a word is its length. */
export function fillLines(
  words: readonly string[],
  width: number,
  widthOf = (text: string): number => text.length,
): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}

/** The width of a text's longest word, which is the minimum width for `wrap`. */
export function longestWord(text: string, { widthOf }: Ruler): number {
  return piecesOf(text).reduce((longest, piece) => Math.max(longest, widthOf(piece.trimEnd())), 0);
}

function piecesOf(text: string): readonly string[] {
  return text.split(
    /(?<=[ ,])(?=[^ ,])|(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、。])(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/u,
  );
}
