// The table of commands, as help, schemas, completion and the messages about wrong words are given it.
import type { Command } from "commander";

/** The commands of a program: only names and summaries, until a command is defined by loading its verbs. */
export interface CommandTable {
  /**
   * The command of these words, aliases included, defined; the program for none. Where verbs are among `typed`, only
   * those need to be there. Throws a usage failure.
   */
  find(path: readonly string[], typed?: readonly string[]): Promise<Command>;
  defineAll(): Promise<void>;
}
