// The final text of a terminal, after output with the escape sequences that the program uses: those that move the
// cursor, erase and colour. Whatever scrolled away is still there.

/** The lines of the screen, up to the last one that is not empty. */
export function screenOf(sent: string, columns = 1000): readonly string[] {
  const lines: string[][] = [[]];
  let row = 0;
  let column = 0;
  const line = (): string[] => {
    while (lines.length <= row) lines.push([]);
    return lines[row] ?? [];
  };
  for (const [piece, count = "", command = ""] of sent.matchAll(
    /\u001b\[([\d;?]*)([A-Za-z])|\u001b[^[]|[^]/gu,
  )) {
    const times = count === "" ? 1 : Number(count);
    if (command !== "") {
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
      while (cells.length < column) cells.push(" ");
      cells[column] = piece;
      column += 1;
    }
  }
  const trimmed = lines.map((cells) => cells.join("").trimEnd());
  while (trimmed.at(-1) === "") trimmed.pop();
  return trimmed;
}
