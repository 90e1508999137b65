// Finds what earlier runs left, by its ID.
import { usageFailure } from "../../errors/errors.ts";
import { otherVersion, otherVersionFailure, type Contents, type JournalRef } from "../../jobs/journal.ts";
import { leftOf } from "../../jobs/leftover.ts";
import { stampOf } from "../../jobs/stamp.ts";
import type { Context } from "../../run/context.ts";

export interface Leftover extends JournalRef {
  readonly contents: Contents;
}

/** The journal with this ID, or the only one whose ID begins with it. Throws a usage failure if there is none. */
export async function findRef(id: string, context: Context): Promise<JournalRef> {
  const all = await (await context.journals()).all();
  const matches = id === "" ? [] : all.filter((each) => each.id.startsWith(id));
  const [found] = matches.length > 1 ? matches.filter((each) => each.id === id) : matches;
  if (found !== undefined) return found;
  throw usageFailure(`no earlier run has the ID ${id}`, "Run `grantctl recover list` to see the IDs.");
}

/** What one journal says. */
export interface Found extends JournalRef {
  /** Null if it cannot be read. */
  readonly contents: Contents | typeof otherVersion | null;
  readonly isRunning: boolean;
}

const beginningMs = 60_000;

/**
 * All journals with something left, oldest first. Deletes those in which nothing is: their runs were killed just before
 * they deleted them, or before they sent anything.
 */
export async function findAll(context: Context): Promise<readonly Found[]> {
  const journals = await context.journals();
  const found: Found[] = [];
  for (const ref of await journals.all()) {
    const isRunning = await journals.isRunning(ref.path);
    const contents = await journals.read(ref.path).catch(() => null);
    const isEmpty = contents !== null && contents !== otherVersion && leftOf(contents) === null;
    if (isRunning || !isEmpty) found.push({ ...ref, contents, isRunning });
    // A run that begins now has no lock yet.
    else if (ref.id < stampOf(context.host.now() - beginningMs))
      await journals.forget(ref).catch(() => undefined);
  }
  return found;
}

/** Reads a journal that no run works on. Throws a usage failure for any other. */
export async function findLeftover(id: string, context: Context): Promise<Leftover> {
  const ref = await findRef(id, context);
  await refuseRunning(ref, context);
  const contents = await (await context.journals()).read(ref.path);
  if (contents === otherVersion) throw otherVersionFailure(ref.id);
  return { ...ref, contents };
}

/** Throws a usage failure if a run works on the journal. */
export async function refuseRunning({ id, path }: JournalRef, context: Context): Promise<void> {
  if (await (await context.journals()).isRunning(path))
    throw usageFailure(`${id} is in use: its run, or the command that it started, has not ended`);
}
