// The table of commands, which is handed to help, schemas, completion and the messages about wrong words.
import type { Command } from "commander";

/** The commands of a program. A noun has only its name and summary until it is defined, which loads its verbs. */
export interface CommandTable {
  /**
   * Finds the command at this path, aliases included, and defines it; an empty path is the program. Where `typed` names
   * verbs, it may load those alone. Throws a usage failure for an unknown command.
   */
  find(path: readonly string[], typed?: readonly string[]): Promise<Command>;
  defineAll(): Promise<void>;
}
