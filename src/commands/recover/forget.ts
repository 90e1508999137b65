// `grantctl recover forget`: deletes a leftover of an earlier run, even an unreadable one.
import { addExamples, explainInherited, type Define, type Context } from "../../command-line/command.ts";
import type { Journals } from "../../journal/journals.ts";
import { summarize, type JournalRef } from "../../journal/leftover.ts";
import { both, counted } from "../../errors/words.ts";
import { findById, findLeftover } from "./find-leftover.ts";

export const defineForget: Define = (command, act) => {
  command
    .summary("Discard data kept by an earlier run")
    .description(
      "Delete the record of an earlier run from this machine, including any token value in it. On a terminal, prompts before it deletes a token value that was not delivered.",
    )
    .option("--force", "Also release a lock held by a process on another host or in another container")
    .argument("<id...>", "IDs from `grantctl recover list`")
    .action(act(run, { announces: false }));
  explainInherited(command, "--yes");
  addExamples(command, ["grantctl recover forget 20260131-120000-a1b2c3"]);
};

async function run(
  context: Context,
  ids: readonly string[],
  { force }: { readonly force?: true },
): Promise<void> {
  const { standardInput } = context;
  const found: Forgettable[] = [];
  for (const id of ids) found.push(await findForgettable(id, force === true, context));
  const values = found.reduce((sum, each) => sum + (each.values ?? 0), 0);
  // A script has saved them before; a person may have meant another record.
  if (values > 0 && standardInput.isTerminal) {
    const names = both(found.map(({ id }) => id));
    const what = values === 1 ? "the token value" : `the ${counted(values, "token value")}`;
    await context.confirm(`Delete ${names} and ${what} saved there?`);
  }
  for (const { forget } of found) await forget();
}

interface Forgettable {
  readonly id: string;
  /** The number of undelivered token values in it; absent for none, and if it cannot be read. */
  readonly values?: number;
  readonly forget: () => Promise<void>;
}

/** The record to delete for an ID. */
async function findForgettable(id: string, isForced: boolean, context: Context): Promise<Forgettable> {
  const journals = await context.journals();
  const held = isForced ? findById(await journals.heldElsewhere(), id) : undefined;
  if (held !== undefined) return { id: held.id, forget: () => forgetHeld(held, journals, context) };
  const later = findById(await journals.laterLeftovers(), id);
  if (later !== undefined) return { id: later.id, forget: () => journals.forget(later) };
  const leftover = await findLeftover(id, context);
  const { values } = summarize(leftover);
  return { id: leftover.id, values, forget: () => journals.forget(leftover) };
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
