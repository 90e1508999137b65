// Where a command stands among the others: the commands above it, up to the program.
import type { Command } from "commander";

/** The command itself, then the noun that it belongs to, if there is one, and the program last. */
export function lineageOf(command: Command): readonly [Command, ...Command[]] {
  return command.parent === null ? [command] : [command, ...lineageOf(command.parent)];
}

export function programOf(command: Command): Command {
  return command.parent === null ? command : programOf(command.parent);
}
