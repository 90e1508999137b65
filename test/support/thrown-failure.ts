// Catches and formats the Failure of some work.
import { formatFailure, noticeStyle } from "../../src/output/notices.ts";
import { createRedactor } from "../../src/redaction.ts";
import { Failure } from "../../src/errors/errors.ts";
import { createTestHost } from "./test-host.ts";

/** Returns the Failure that `work` throws; any other outcome fails the test. */
export async function thrownFailure(work: () => unknown): Promise<Failure> {
  let result: unknown;
  try {
    result = await work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw new Error("it failed with something that is no Failure", { cause: error });
  }
  throw new Error(`it succeeded with ${JSON.stringify(result)}`);
}

/** Formats a failure as on standard error. */
export function reportOf(failure: Failure, asJson: boolean, redactor = createRedactor()): string {
  const { host } = createTestHost({});
  return formatFailure(failure, asJson, noticeStyle({}, host, redactor));
}
