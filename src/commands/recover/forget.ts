// `grantctl recover forget`: deletes a leftover of an earlier run, even an unreadable one, or the finished shards of a job.
import { addExamples, explainInherited, type Define, type Context } from "../../command-line/command.ts";
import { deleteFinishedShard, ownFinishedShards } from "../../journal/finished-shards.ts";
import type { Journals } from "../../journal/journals.ts";
import { summarize, type JournalRef } from "../../journal/leftover.ts";
import { findById, findLeftover } from "./find-leftover.ts";

export const defineForget: Define = (command, act) => {
  command
    .summary("Discard data kept by an earlier run")
    .description("Delete the record of an earlier run from this machine, including any token value in it.")
    .option("--force", "Also release a lock held by a process on another host or in another container")
    .argument("<id...>", "IDs from `grantctl recover list`")
    .action(act(run, { announces: false, closedOutput: "accepted" }));
  explainInherited(command, "--dry-run");
  addExamples(command, ["grantctl recover forget 20260131-120000-a1b2c3"]);
};

async function run(
  context: Context,
  ids: readonly string[],
  { force }: { readonly force?: true },
): Promise<void> {
  const found = [];
  for (const id of ids) found.push(...(await findForgettable(id, force === true, context)));
  for (const { id, forget } of found) {
    if (context.options.dryRun === true) context.notices.note(`would forget ${id}`);
    else await forget();
  }
}

interface Forgettable {
  readonly id: string;
  readonly forget: () => Promise<void>;
}

/** The records to delete for an ID. */
async function findForgettable(
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
