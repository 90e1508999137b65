// How long a long test is: short in every run, in full with `npm run soak`, which runs just the tests with the tag "soak".

const isSoak = process.env["GRANTCTL_SOAK"] === "1";

/** In a soak, a sweep tries one of so many places: each, unless GRANTCTL_TEST_CUT_STEP makes the soak shorter. */
export const soakStep = Number(process.env["GRANTCTL_TEST_CUT_STEP"] ?? "1");

/** The part of a test in every run, or its part in a soak. */
export function inFull<T>(usual: T, soak: T): T {
  return isSoak ? soak : usual;
}

/**
 * Of the cases of a sweep those that are run: in a soak all; else every so-manyth, for each row of the sweep beginning
 * with another one, so that no case is left out by all rows.
 */
export function inTurn<T>(cases: readonly T[], every: number, row: number): readonly T[] {
  return cases.filter((_, place) => isSoak || place % every === row % every);
}

/**
 * True if a response is cut at this byte: at every one near its edges and near the remarkable texts in it, and between
 * them in a soak at every one, else at every sixty-fourth.
 */
export function isPlaceToCut(place: number, answer: Buffer, remarkable: readonly string[]): boolean {
  if (place % (isSoak ? soakStep : 64) === 0) return true;
  const edges = [0, answer.length, ...remarkable.map((text) => answer.indexOf(text) + text.length)];
  return edges.some((edge) => Math.abs(edge - place) <= 3);
}
