// Writes JSON with one field a line and a space after each colon, because shell scripts cut the token out of that with
// grep and cut. Items of an array can be written one by one, and remembered.

/** JSON with two spaces for each level and a line end. */
export function writeJson(body: unknown): string {
  return `${JSON.stringify(body, null, 2)}\n`;
}

/** One item of an array, with the comma in front of it. */
export function writeItem(item: unknown): Buffer {
  return Buffer.from(`,\n${JSON.stringify(item, null, 2)}`.replaceAll("\n", "\n  "));
}

/** An array of items that `writeItem` wrote, as `writeJson` would write it. */
export function writeArray(items: readonly Buffer[]): Buffer {
  const [first, ...others] = items;
  if (first === undefined) return Buffer.from(writeJson([]));
  return Buffer.concat([opening, first.subarray(1), ...others, closing]);
}

const opening = Buffer.from("[");
const closing = Buffer.from("\n]\n");
