// The width of text on a terminal, and lines of at most a width. string-width is the version that cli-table3 pads with.
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

export { stringWidth as widthOf };

/** Cuts a text to a width, and marks the cut. cli-table3 would halve a character of two code units. */
export function cutText(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = "";
  for (const character of text) {
    if (stringWidth(kept + character) > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Wraps between words. A command in backquotes is never broken, because it is meant to be pasted. */
export function wrapText(text: string, width: number): readonly string[] {
  if (stringWidth(text) <= width) return [text];
  const joined = text.replaceAll(/`[^`]*`/g, (command) => command.replaceAll(" ", "\u00a0"));
  return wrapAnsi(joined, width).replaceAll("\u00a0", " ").split("\n");
}
