// Finds what an earlier run left, by its id.
import type { Context } from "../../run/context.ts";
import { usageFailure } from "../../errors/errors.ts";
import type { Journals, Leftover } from "../../journal/journals.ts";

/** The leftover with this id, or the only one whose id begins so. Throws a usage failure when there is none. */
export async function findLeftover(
  id: string,
  context: Context,
): Promise<{ readonly journals: Journals; readonly leftover: Leftover }> {
  const journals = await context.journals();
  const matches = (await journals.leftovers()).filter((leftover) => leftover.id.startsWith(id));
  const leftover =
    matches.find((match) => match.id === id) ?? (matches.length === 1 ? matches[0] : undefined);
  if (id === "" || leftover === undefined) {
    throw usageFailure(`nothing with the id ${id} is left of an earlier run`, "grantctl recover list");
  }
  return { journals, leftover };
}
