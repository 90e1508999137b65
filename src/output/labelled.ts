// Labels with one or more lines each, for a person. Only the terminal wraps them, so that each line can be copied whole.
import { Chalk } from "chalk";
import { sanitise } from "./sanitise.ts";
import type { Colour } from "./table.ts";

export interface Labelled {
  readonly label: string;
  /** The first line is drawn beside the label, the others below it. */
  readonly lines: readonly string[];
  readonly colour?: Colour;
}

/** The labels and lines as text, each line ended. */
export function formatLabelled(items: readonly Labelled[], hasColours: boolean): string {
  const chalk = new Chalk({ level: hasColours ? 1 : 0 });
  const beside = Math.max(0, ...items.map(({ label }) => label.length)) + 2;
  return items
    .flatMap(({ label, lines, colour }) => {
      const title = colour === undefined ? label : chalk[colour](label);
      const padding = " ".repeat(beside - label.length);
      return lines.map(
        (line, index) => (index === 0 ? title + padding : " ".repeat(beside)) + sanitise(line),
      );
    })
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}
