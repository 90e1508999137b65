// The verbs of a noun, each loaded when it is typed.
import type { Command } from "commander";
import type { Dispatch } from "./dispatch.ts";

/** Adds a verb to its noun, with flags, arguments and action. */
type AddVerb = (noun: Command, dispatch: Dispatch) => void;

/** The functions that load the verbs, by name. */
export type Verbs = Readonly<Record<string, () => Promise<AddVerb>>>;

/**
 * Adds the verbs that are among these words; all verbs where none is, for help, an alias or a mistake. A word that is a
 * value and only looks like a verb does no harm: one more verb is loaded.
 */
export async function addVerbs(
  noun: Command,
  verbs: Verbs,
  words: readonly string[],
  dispatch: Dispatch,
): Promise<void> {
  const all = Object.entries(verbs);
  const typed = all.filter(([name]) => words.includes(name));
  const wanted = typed.length > 0 ? typed : all;
  for (const add of await Promise.all(wanted.map(([, load]) => load()))) add(noun, dispatch);
}
