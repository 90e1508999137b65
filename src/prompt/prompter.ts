// The interface for questions to the user. The prompter that asks is in terminal-prompter.ts.
import type { PickRows } from "../drawing/pick-rows.ts";

/** Makes the failure to throw when nobody can be asked. */
export type OrElse = () => Error;

export interface Prompter {
  /** Resolves if the user can be asked, and asks nothing. */
  check(orElse: OrElse): Promise<void>;
  /** Resolves if the user can be asked for rows of a list, which not every terminal can show, and asks nothing. */
  checkPick(orElse: OrElse): Promise<void>;
  askText(question: string, orElse: OrElse): Promise<string>;
  /** Asks for a secret, without showing it. */
  askSecret(question: string, orElse: OrElse): Promise<string>;
  /** Asks yes or no; no is the default. */
  confirm(question: string, orElse: OrElse): Promise<boolean>;
  /** Asks for rows of a list; resolves with their positions, at least one, or with null for no answer. */
  pick(question: string, choices: PickRows, orElse: OrElse): Promise<readonly number[] | null>;
}

/** The reason of an abort because the terminal is closed or at its end; for any other abort it is the signal. */
export const noMore = "no more";
