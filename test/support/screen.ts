// The final text of a terminal, after output with the escape sequences that the program uses: those that move the
// cursor, erase and colour. Whatever scrolled away is still there.

interface Cell {
  readonly text: string;
  /** The colour sequences that are in force. */
  readonly style: string;
}

/** The lines of the screen, up to the last one that is not empty: as plain text, or with the sequences for colours. */
export function screenOf(sent: string, columns: number, hasColours = false): readonly string[] {
  const lines: Cell[][] = [[]];
  let row = 0;
  let column = 0;
  let style = "";
  const line = (): Cell[] => {
    while (lines.length <= row) lines.push([]);
    return lines[row] ?? [];
  };
  for (const [piece, count = "", command = ""] of sent.matchAll(
    /\u001b\[([\d;?]*)([A-Za-z])|\u001b[^[]|[^]/gu,
  )) {
    const times = count === "" ? 1 : Number(count);
    if (command === "m") style = count === "" || count === "0" ? "" : style + piece;
    else if (command !== "") {
      if (command === "A") row = Math.max(0, row - times);
      else if (command === "B") row += times;
      else if (command === "C") column += times;
      else if (command === "D") column = Math.max(0, column - times);
      else if (command === "G") column = times - 1;
      else if (command === "K" && count === "2") line().length = 0;
      else if (command === "K") line().length = Math.min(line().length, column);
      else if (command === "J") {
        line().length = Math.min(line().length, column);
        lines.length = row + 1;
      }
    } else if (piece === "\r") column = 0;
    else if (piece === "\n") row += 1;
    else if (piece === "\b") column = Math.max(0, column - 1);
    else if (piece >= " ") {
      if (column >= columns) {
        row += 1;
        column = 0;
      }
      const cells = line();
      while (cells.length < column) cells.push({ text: " ", style: "" });
      cells[column] = { text: piece, style };
      column += 1;
    }
  }
  const shown = lines.map((cells) =>
    hasColours ? withColours(cells) : cells.map(({ text }) => text).join(""),
  );
  const trimmed = shown.map((text) => text.trimEnd());
  while (trimmed.at(-1) === "") trimmed.pop();
  return trimmed;
}

function withColours(cells: readonly Cell[]): string {
  const parts = cells.map(({ text, style }, at) => {
    const before = cells[at - 1]?.style ?? "";
    return style === before ? text : `\u001b[0m${style}${text}`;
  });
  return parts.join("");
}
