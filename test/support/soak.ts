// How long a long test is: short in every run, in full with `npm run soak`, which runs just the files that ask here.

const isSoak = process.env["GRANTCTL_SOAK"] === "1";

/** What a test does in every run, or what it does in a soak. */
export function inFull<T>(usual: T, soak: T): T {
  return isSoak ? soak : usual;
}

/**
 * Whether an answer is cut at this byte: in a soak, at every one; else at every one near its edges and near what is
 * remarkable in it, and at every thirty-second between.
 */
export function isPlaceToCut(place: number, answer: Buffer, remarkable: readonly string[]): boolean {
  if (isSoak || place % 32 === 0) return true;
  const edges = [0, answer.length, ...remarkable.map((text) => answer.indexOf(text) + text.length)];
  return edges.some((edge) => Math.abs(edge - place) <= 4);
}
