// Labels with one or more lines each, for a person: aligned, wrapped between words, never cut.
import { Chalk } from "chalk";
import { sanitise } from "./sanitise.ts";
import type { Colour } from "./table.ts";
import { widthOf, wrapText } from "./text.ts";

export interface Labelled {
  /** Empty for lines that continue those before them. */
  readonly label: string;
  /** The first line is drawn beside the label, the others below it. */
  readonly lines: readonly string[];
  /** True if the lines are meant to be pasted, and so never broken. */
  readonly isWhole?: true;
  readonly colour?: Colour;
}

/** Narrower lines are hard to read, so that they stand below their label. */
const readable = 24;
/** The indent of lines below their label. */
const below = 2;

/** The labels and lines as text, each line ended. `window` is null for an unlimited width. */
export function formatLabelled(
  items: readonly Labelled[],
  window: number | null,
  hasColours: boolean,
): string {
  const chalk = new Chalk({ level: hasColours ? 1 : 0 });
  const beside = Math.max(0, ...items.map(({ label }) => label.length)) + 2;
  const isNarrow = window !== null && window - beside < readable;
  return items
    .flatMap(({ label, lines, isWhole = false, colour }) => {
      const width = isWhole || window === null ? Infinity : window;
      const wrapBehind = (left: number): readonly string[] =>
        lines.flatMap((line) => wrapText(sanitise(line), width - left));
      const title = colour === undefined ? label : chalk[colour](label);
      const texts = wrapBehind(beside);
      // A word that fits into the window is not broken: it may be meant to be pasted.
      if (isNarrow || texts.some((text) => widthOf(text) > width - beside))
        return [
          ...(label === "" ? [] : [title]),
          ...wrapBehind(below).map((text) => " ".repeat(below) + text),
        ];
      const padding = " ".repeat(beside - widthOf(label));
      return texts.map((text, index) => (index === 0 ? title + padding : " ".repeat(beside)) + text);
    })
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}
