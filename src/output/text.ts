// The width of text on a terminal, and its comparison. string-width is the version that cli-table3 pads with.
import stringWidth from "string-width";

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

/** Text to compare without regard to case, or to the encoding of accents. */
export function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
