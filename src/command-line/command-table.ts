// The table of commands, as those see it who are handed it: help, schemas, completion and the report of wrong words.
import type { Command } from "commander";

/** The commands of a program, which are names and summaries until they are completed. */
export interface CommandTable {
  /**
   * The command of these words, aliases included, completed; the program for none. Where verbs are among `typed`, only
   * those need to be there. Throws a usage failure.
   */
  find(path: readonly string[], typed?: readonly string[]): Promise<Command>;
  /** Completes every command. */
  completeAll(): Promise<void>;
}
