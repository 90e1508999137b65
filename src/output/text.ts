// The width of text on a terminal, and lines of at most a width. string-width is the version that cli-table3 pads with.
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

export { stringWidth as widthOf };

/** Wraps between words. A command in backquotes is never broken, because it is meant to be pasted. */
export function wrapText(text: string, width: number): readonly string[] {
  if (stringWidth(text) <= width) return [text];
  const joined = text.replaceAll(/`[^`]*`/g, (command) => command.replaceAll(" ", "\u00a0"));
  return wrapAnsi(joined, width).replaceAll("\u00a0", " ").split("\n");
}
