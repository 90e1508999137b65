// Failures for a new token, or for the report of a change, that could not be written to standard output.
import { Failure } from "../errors/errors.ts";
import type { Jq } from "../jq/jq.ts";
import { ReaderGone } from "./output-stream.ts";

/** The failure for a new token that is not in the output of jq; `reason` says why there is none. */
export function undelivered(reason: string | null = null, cause?: unknown): Failure {
  const why = reason === null ? "" : `: ${reason}`;
  return new Failure("undelivered", `the token exists, but --jq made nothing of it${why}`, { cause });
}

/**
 * The output of jq for a token's JSON. Throws an `undelivered` failure where jq fails or prints nothing, because nobody
 * would then see the value.
 */
export function valueThrough(jq: Jq, json: string, toText: (results: readonly string[]) => string): string {
  let results: readonly string[];
  try {
    results = jq.run(json);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw undelivered(error.marked.replace(/^--jq: /, ""), error);
  }
  // A mistyped field name gives null.
  if (results.every((result) => /^\s*(?:null)?\s*$/.test(result))) throw undelivered();
  return toText(results);
}

/**
 * Writes the report of a change that was made; throws an `undelivered` failure when it cannot be written. `what` begins
 * the message.
 */
export async function delivering(
  write: () => Promise<void>,
  what = "the token exists, but standard output did not take its value",
): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof ReaderGone || error instanceof Failure)) throw error;
    const why = error instanceof Failure ? { hint: error.message } : {};
    throw new Failure("undelivered", what, { cause: error, ...why });
  }
}
