// Formats labels with one or more lines each: aligned, wrapped between words, never cut, even in a narrow window.
// Loaded on first use.
import { Chalk } from "chalk";
import { type Ruler, longestWord, wrap } from "./text-width.ts";
import { sanitise } from "./sanitise.ts";

export interface Labelled {
  /** Empty for lines that continue those before them. */
  readonly label: string;
  /** The first line is drawn beside the label, the others below it. */
  readonly lines: readonly string[];
  /** True if the lines are meant to be pasted, and so never broken. */
  readonly isWhole?: true;
  /** The label's colour, if it expresses a severity. */
  readonly colour?: "green" | "yellow" | "red";
}

interface LabelledOptions {
  /** The width of the terminal; null for unlimited. */
  readonly window: number | null;
  readonly hasColours: boolean;
  /** A ruler for the texts of all lines. */
  readonly ruler: Ruler;
}

/** Their contrast with black and with white is at least 4.5; that of a terminal's own yellow with white is 1.7. */
export const readableColours = { green: "#008a00", yellow: "#a06c00", red: "#ee0000" } as const;

/** The indent of lines that do not fit beside their label. */
const indent = 2;
/** The narrowest lines that are easy to read. */
const readable = 24;

/** The labels and lines as text, each line ended. */
export function formatLabelled(items: readonly Labelled[], options: LabelledOptions): string {
  const { window, hasColours, ruler } = options;
  const chalk = new Chalk({ level: hasColours ? 3 : 0 });
  const beside = Math.max(0, ...items.map(({ label }) => label.length)) + 2;
  return items
    .flatMap(({ label, lines, isWhole = false, colour }) => {
      const clean = lines.map(sanitise);
      const left = clean.every((line) => fits(line, isWhole, beside, options)) ? beside : indent;
      const broken =
        isWhole || window === null ? clean : clean.flatMap((line) => wrap(line, window - left, ruler));
      const title = colour === undefined ? label : chalk.hex(readableColours[colour])(label);
      const [first = "", ...others] = broken;
      const below = (text: string): string => `${" ".repeat(left)}${text}`;
      return left === beside
        ? [`${title}${" ".repeat(left - label.length)}${first}`, ...others.map(below)]
        : [...(label === "" ? [] : [title]), ...broken.map(below)];
    })
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

/** True if a line fits to the right of the column `left`, wrapped if necessary. */
function fits(line: string, isWhole: boolean, left: number, { window, ruler }: LabelledOptions): boolean {
  if (window === null || ruler.widthOf(line) <= window - left) return true;
  return !isWhole && window - left >= readable && longestWord(line, ruler) <= window - left;
}
