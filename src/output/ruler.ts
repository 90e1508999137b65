// How many columns of a terminal a text takes, and how to cut it. Most texts are plain characters of one column each,
// and need not be measured.

/** Measures texts, and cuts them to a width. */
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

/** Whether each character is a Latin letter or sign and takes one column: most texts, and they need not be measured. */
export function isPlain(text: string): boolean {
  return /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u017f]*$/.test(text);
}
