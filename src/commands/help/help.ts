// `grantctl help`: shows the help page of a command or a topic.
import type { Command } from "commander";
import { addExamples, childCommand, type Define } from "../../command-line/command.ts";
import { topicPage, topics } from "../../command-line/topics.ts";
import { usageFailure } from "../../errors/errors.ts";

export const defineHelp: Define = (help, _, commands) => {
  help
    .description(`Show help for a command or a topic. Topics: ${Object.keys(topics).join(", ")}.`)
    .argument("[word...]", "Name of a command, such as `grant list`, or of a topic")
    .action(async (words: readonly string[]) => {
      let command = help.parent ?? help;
      const topic = words.length === 1 ? topics[words[0] ?? ""] : undefined;
      if (topic !== undefined) {
        help.configureOutput().writeOut?.(topicPage(topic, command));
        return;
      }
      for (const word of words) command = namedCommand(command, word);
      await commands.define(command);
      command.outputHelp();
    });
  addExamples(help, ["grantctl help grant list", "grantctl help token", "grantctl help exit-codes"]);
};

function namedCommand(parent: Command, word: string): Command {
  const child = childCommand(parent, word);
  if (child !== undefined) return child;
  throw usageFailure("there is no help with this name", "Run `grantctl --help` to see the names.");
}
