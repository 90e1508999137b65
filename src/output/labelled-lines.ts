// Labels with one or more lines each, for a person: aligned, and never cut, however narrow the window.
import { sanitise } from "./sanitise.ts";

export interface Labelled {
  readonly label: string;
  /** The first stands beside the label, the others below it. */
  readonly lines: readonly string[];
}

/** The whole as text, each line ended. */
export function formatLabelled(items: readonly Labelled[]): string {
  const width = Math.max(0, ...items.map(({ label }) => label.length)) + 2;
  return items
    .map(({ label, lines: [first = "", ...others] }) =>
      [
        `${label.padEnd(width)}${sanitise(first)}`.trimEnd(),
        ...others.map((line) => `${" ".repeat(width)}${sanitise(line)}`),
      ]
        .map((line) => `${line}\n`)
        .join(""),
    )
    .join("");
}
