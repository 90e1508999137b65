// Runs that a time limit is to end. It is waited for, so it is short; on a busy machine it may be over before the run
// has come to what it is to be ended at.

/** Runs with a limit in seconds, and with three times as much where it had not come far enough when the limit struck. */
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
