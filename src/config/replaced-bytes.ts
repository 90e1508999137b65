// Refuses arguments and variables that were no UTF-8. Node replaces their bytes by U+FFFD, which makes another note,
// another file name or another password of them.
import { usageFailure } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";

/** Throws a usage failure for an argument, or a variable of grantctl's, with bytes that are no UTF-8. */
export function refuseReplacedBytes(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): void {
  const word = words.find((each) => each.includes(replaced));
  if (word !== undefined) throw usageFailure(`${foreign(word)} on the command line is not UTF-8 text`, hint);
  const name = Object.keys(environment).find(
    // No function of ours is called with the value: `node --trace` would print it before it is refused.
    (each) => each.startsWith("GRANTCTL_") && environment[each]?.includes(replaced),
  );
  if (name !== undefined) throw usageFailure(`${name} is not UTF-8 text`, hint);
}

const hint = "where it is Latin-1, this makes it UTF-8: iconv -f LATIN1 -t UTF-8";

const replaced = "\uFFFD";
