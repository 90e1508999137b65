// Finds the command below another one by its name or alias.
import type { Command } from "commander";

/** The command of this name or alias below another; undefined where there is none. */
export function childCommand(parent: Command, word: string): Command | undefined {
  return parent.commands.find((child) => child.name() === word || child.aliases().includes(word));
}
