// Where a command stands among the others: those above it, up to the program, and those below it.
import type { Command } from "commander";

/** The command itself, then the noun that it belongs to, if there is one, and the program last. */
export function lineageOf(command: Command): readonly [Command, ...Command[]] {
  return command.parent === null ? [command] : [command, ...lineageOf(command.parent)];
}

export function programOf(command: Command): Command {
  return command.parent === null ? command : programOf(command.parent);
}

/** The command of this name or alias below another; undefined where there is none. */
export function childCommand(parent: Command, word: string): Command | undefined {
  return parent.commands.find((child) => child.name() === word || child.aliases().includes(word));
}
