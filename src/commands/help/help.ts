// `grantctl help`: the page of a command, found by its words, or of a topic.
import type { Command } from "commander";
import { addExamples, type Define, type CommandTable } from "../../command-line/command.ts";
import { usageFailure } from "../../errors/errors.ts";
import { renderText } from "../../command-line/help-page.ts";
import { topicPage, topics } from "../../command-line/topics.ts";

export const defineHelp: Define = (help, _, commands) => {
  const names = topics.map(({ name }) => name).join(", ");
  help
    .description(`Print the help of a command, or of a topic: ${names}.`)
    .argument("[word...]", "a command's words, as in: grant list; or a topic")
    .action((words: string[]) => run(words, help, commands));
  addExamples(help, ["grantctl help grant list", "grantctl help token", "grantctl help exit-codes"]);
};

async function run(words: readonly string[], help: Command, commands: CommandTable): Promise<void> {
  const [word, ...more] = words;
  const topic = topics.find(({ name }) => name === word);
  if (topic === undefined) {
    (await commands.find(words)).outputHelp();
    return;
  }
  if (more.length > 0) {
    throw usageFailure(`${topic.name} is a topic, and nothing follows it`, `grantctl help ${topic.name}`);
  }
  const output = help.configureOutput();
  const columns = output.getOutHelpWidth?.() ?? 80;
  output.writeOut?.(renderText(await topicPage(topic), columns, output.getOutHasColors?.() ?? false));
}
