// The verbs of a noun, each loaded when it is typed.
import type { Command } from "commander";
import type { Dispatch } from "./dispatch.ts";

/** Adds a verb to its noun, with flags, arguments and action. */
type AddVerb = (noun: Command, dispatch: Dispatch) => void;

/** By name, what loads them. */
export type Verbs = Readonly<Record<string, () => Promise<AddVerb>>>;

/**
 * Adds the verbs that are among these words; all of them where none is, for help, an alias or a mistake. Loading one
 * that was not meant, because its name is somebody's value, costs a moment and nothing else.
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
