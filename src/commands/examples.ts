// The examples at the end of a command's help.
import type { Command } from "commander";

/** Adds command lines to paste. */
export function addExamples(command: Command, lines: readonly string[]): void {
  command.addHelpText("after", `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`);
}
