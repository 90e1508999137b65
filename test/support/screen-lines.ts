// The text of a terminal after output that moves only within a line, like progress.

/** Interprets carriage returns, line feeds, and erasing to the end of the line or, on the last line, of the screen. */
export function screenLines(sent: string): readonly string[] {
  const lines = [""];
  let column = 0;
  for (const [piece] of sent.matchAll(/\u001b\[[KJ]|[^]/g)) {
    const current = lines.at(-1) ?? "";
    if (piece === "\r") column = 0;
    else if (piece === "\n") {
      lines.push("");
      column = 0;
    } else if (piece === "\u001b[K" || piece === "\u001b[J")
      lines[lines.length - 1] = current.slice(0, column);
    else {
      lines[lines.length - 1] = current.slice(0, column) + piece + current.slice(column + 1);
      column += 1;
    }
  }
  return lines;
}
