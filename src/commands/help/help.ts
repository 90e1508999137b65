// `grantctl help`: the help of a command, found by its words.
import type { Command } from "commander";
import { addExamples } from "../examples.ts";
import type { CommandTable } from "../index.ts";

/** Adds what `help` does. */
export function completeHelp(help: Command, commands: CommandTable): void {
  help
    .description("Print the help of a command.")
    .argument("[command...]", "its words, as in: grant list")
    .action((words: readonly string[]) => run(words, commands));
  addExamples(help, ["grantctl help grant list", "grantctl help token"]);
}

async function run(words: readonly string[], commands: CommandTable): Promise<void> {
  (await commands.find(words)).outputHelp();
}
