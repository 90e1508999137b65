// The place of a command in the tree of commands: its parents up to the program, and its children.
import type { Command } from "commander";

/** The command itself, then its noun, if it has one, and the program last. */
export function lineageOf(command: Command): readonly [Command, ...Command[]] {
  return command.parent === null ? [command] : [command, ...lineageOf(command.parent)];
}

/** The program that a command belongs to. */
export function programOf(command: Command): Command {
  return command.parent === null ? command : programOf(command.parent);
}

/** The command of this name or alias below another; undefined where there is none. */
export function childCommand(parent: Command, word: string): Command | undefined {
  return parent.commands.find((child) => child.name() === word || child.aliases().includes(word));
}
