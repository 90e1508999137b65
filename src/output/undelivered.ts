// A token's value, or what tells of a change, that does not reach standard output: the failure that says so.
import { Failure } from "../errors/errors.ts";
import type { Jq } from "./jq.ts";
import { ReaderGone } from "./output-stream.ts";

function undelivered(reason: string | null = null, cause?: unknown): Failure {
  const why = reason === null ? "" : `: ${reason}`;
  return new Failure("undelivered", `the token exists, but --jq made nothing of it${why}`, { cause });
}

/**
 * What jq makes of a token's JSON, as text. Throws an `undelivered` failure where it fails or makes nothing: nobody would
 * be shown the value.
 */
export function valueThrough(
  jq: Jq,
  json: string,
  value: string,
  toText: (results: readonly string[]) => string,
): string {
  let results: readonly string[];
  try {
    results = jq.run(json);
  } catch (error) {
    // jq repeats what it fails with, and cuts it: half of a token nobody would find to hide. So it fails once more,
    // with something else in the token's place.
    const harmless = json.replaceAll(JSON.stringify(value).slice(1, -1), "(the token)");
    throw undelivered(jq.reason(harmless), error);
  }
  // A mistyped name gives null.
  if (results.every((result) => /^\s*(?:null)?\s*$/.test(result))) throw undelivered();
  return toText(results);
}

/**
 * Writes what tells of a change that was made; throws an `undelivered` failure when the output did not take it.
 * `what` begins the message.
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
