// The length of long tests: reduced in normal runs, full with `npm run soak`, which runs the tests with the tag "soak".

const isSoak = process.env["GRANTCTL_SOAK"] === "1";

/** The distance between the points that a soak tries: 1, unless GRANTCTL_TEST_CUT_STEP shortens the soak. */
export const soakStep = Number(process.env["GRANTCTL_TEST_CUT_STEP"] ?? "1");

/** Returns the second value in a soak, and the first one otherwise. */
export function inFull<T>(usual: T, soak: T): T {
  return isSoak ? soak : usual;
}

/**
 * The cases to run: all in a soak; otherwise every `every`-th, with a different start for each row, so that all rows
 * together cover every case.
 */
export function inTurn<T>(cases: readonly T[], every: number, row: number): readonly T[] {
  return cases.filter((_, place) => isSoak || place % every === row % every);
}
