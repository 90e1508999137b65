// The failure that some work ended with.
import { Failure } from "../../src/errors/errors.ts";

/** The Failure that this ends with; any other end is an error of the test. */
export async function failureOf(work: () => unknown): Promise<Failure> {
  let result: unknown;
  try {
    result = await work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw new Error("it failed with something that is no Failure", { cause: error });
  }
  throw new Error(`it succeeded with ${JSON.stringify(result)}`);
}
