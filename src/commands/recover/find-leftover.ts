// Finds a leftover of an earlier run by its ID.
import type { Context } from "../../run/context.ts";
import { usageFailure } from "../../errors/errors.ts";
import type { JournalRef, Leftover } from "../../journal/leftover.ts";

/** The leftover with this ID, or the only one whose ID begins with it. Throws a usage failure if there is none. */
export async function findLeftover(id: string, context: Context): Promise<Leftover> {
  const journals = await context.journals();
  const leftover = findById(await journals.leftovers(), id);
  if (leftover !== undefined) return leftover;
  if (findById(await journals.laterLeftovers(), id) !== undefined) {
    throw usageFailure(
      `${id} was left by a later version of grantctl, which this one cannot read`,
      `Use that version, or run \`grantctl recover forget ${id}\` to delete it.`,
    );
  }
  const held = findById(await journals.heldElsewhere(), id);
  // Throws the failure that names the holder.
  if (held !== undefined) await journals.readLeftover(held.path);
  throw usageFailure(`no earlier run has the ID ${id}`, "Run `grantctl recover list` to see the IDs.");
}

/** The item with this ID, or the only one whose ID begins with it. */
export function findById<T extends JournalRef>(leftovers: readonly T[], id: string): T | undefined {
  if (id === "") return undefined;
  const matches = leftovers.filter((leftover) => leftover.id.startsWith(id));
  return matches.find((match) => match.id === id) ?? (matches.length === 1 ? matches[0] : undefined);
}
