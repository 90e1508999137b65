// Finds a leftover of an earlier run by its ID.
import type { Context } from "../../run/context.ts";
import { usageFailure } from "../../errors/errors.ts";
import { deleteFinishedShard, ownFinishedShards } from "../../journal/finished-shards.ts";
import type { Journals } from "../../journal/journals.ts";
import { summarize, type JournalRef, type Leftover } from "../../journal/leftover.ts";

/** The leftover with this ID, or the only one whose ID begins with it. Throws a usage failure if there is none. */
export async function findLeftover(
  id: string,
  context: Context,
): Promise<{ readonly journals: Journals; readonly leftover: Leftover }> {
  const journals = await context.journals();
  const leftover = findById(await journals.leftovers(), id);
  if (leftover !== undefined) return { journals, leftover };
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

interface Forgettable {
  readonly id: string;
  readonly forget: () => Promise<void>;
}

/** The records that `recover forget` deletes for an ID: a leftover, even an unreadable one, or a job's finished shards. */
export async function findForgettable(
  id: string,
  isForced: boolean,
  context: Context,
): Promise<readonly Forgettable[]> {
  const folder = context.stateFolder();
  const finished = (await ownFinishedShards(folder)).filter(
    (shard) => shard.id === id || shard.id.startsWith(`${id}-`),
  );
  if (finished.length > 0) {
    return finished.map((shard) => ({ id: shard.id, forget: () => deleteFinishedShard(folder, shard) }));
  }
  const journals = await context.journals();
  const held = isForced ? findById(await journals.heldElsewhere(), id) : undefined;
  if (held !== undefined) return [{ id: held.id, forget: () => forgetHeld(held, journals, context) }];
  const later = findById(await journals.laterLeftovers(), id);
  const leftover = later ?? (await findLeftover(id, context)).leftover;
  return [{ id: leftover.id, forget: () => journals.forget(leftover) }];
}

/**
 * Releases the lock of a process on another host or in another container, and deletes the journal. Keeps a journal that
 * has a token value, or is of a job that `--resume` can continue: only a second `forget` deletes it.
 */
async function forgetHeld(held: JournalRef, journals: Journals, { notices }: Context): Promise<void> {
  await journals.release(held);
  const leftover = (await journals.leftovers()).find(({ id }) => id === held.id);
  if (leftover === undefined) return;
  const { values, isJob } = summarize(leftover);
  if (values === 0 && !isJob) await journals.forget(leftover);
  else
    notices.note(
      `${held.id}: the lock is released. Run \`grantctl recover show ${held.id}\` to see what the journal contains.`,
    );
}

function findById<T extends JournalRef>(leftovers: readonly T[], id: string): T | undefined {
  if (id === "") return undefined;
  const matches = leftovers.filter((leftover) => leftover.id.startsWith(id));
  return matches.find((match) => match.id === id) ?? (matches.length === 1 ? matches[0] : undefined);
}
