// Runs that a time limit ends. The test waits for the limit, so it is short; on a busy machine it may expire before the
// run has reached the point at which it should be ended.

/** Runs with a limit in seconds; triples it and retries if the run had not come far enough. */
export async function runUntilStruck<Result>(
  seconds: number,
  run: (seconds: number) => Promise<Result>,
  hasComeFarEnough: (result: Result) => boolean,
): Promise<Result> {
  for (let limit = seconds; ; limit *= 3) {
    const result = await run(limit);
    if (hasComeFarEnough(result) || limit > 20) return result;
  }
}
