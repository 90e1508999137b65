// Reads IDs from the arguments, or from standard input for `-`. The whole list is checked before any of it is used.
import type { Context } from "../run/context.ts";
import { usageFailure } from "../errors/errors.ts";
import { parseId, noteRepeats, parseIds, withoutRepeats, type ListedThing } from "./read-items.ts";

/** The IDs, each once. Throws a usage failure that names the first wrong one. */
export async function readIds(
  words: readonly string[],
  context: Context,
  name: ListedThing,
  verb: string,
): Promise<readonly string[]> {
  const hint = `grantctl ${name} list shows the ids`;
  const onRepeats = noteRepeats("id", context.notices);
  if (!words.includes("-")) {
    const placeOf = (index: number): string => (words.length > 1 ? `argument ${index + 1}: ` : "");
    return withoutRepeats(
      words.map((word, index) => parseId(word, placeOf(index), hint)),
      onRepeats,
    );
  }
  if (words.length > 1)
    throw usageFailure(
      "- cannot be combined with ids: they come from standard input or as arguments, not both",
    );
  // Otherwise the password would be read as the first id.
  if (context.options.passwordStdin === true)
    throw usageFailure("standard input cannot hold both the ids and the password");
  const expected = { thing: name, verb, hint, onRepeats };
  return parseIds(await context.standardInput.read("the ids"), expected);
}
