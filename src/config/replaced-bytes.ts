// Rejects arguments and variables that are not valid UTF-8. Node replaces invalid bytes with U+FFFD, which would
// silently change a note, a file name or a password.
import { usageFailure } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";

/** Throws a usage failure for an argument or a GRANTCTL variable that is not valid UTF-8. */
export function refuseReplacedBytes(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): void {
  const word = words.find((each) => each.includes(replaced));
  if (word !== undefined) throw usageFailure(`${foreign(word)} on the command line is not UTF-8 text`, hint);
  const name = Object.keys(environment).find(
    // Do not pass the value to a function of ours: `node --trace` would print it.
    (each) => each.startsWith("GRANTCTL_") && environment[each]?.includes(replaced),
  );
  if (name !== undefined) throw usageFailure(`${name} is not UTF-8 text`, hint);
}

const hint = "If it is Latin-1, convert it with `iconv -f LATIN1 -t UTF-8`.";

const replaced = "\uFFFD";
