// `grantctl help`: shows the help page of a command or a topic.
import type { Command } from "commander";
import { addExamples, programOf, type Define, type CommandTable } from "../../command-line/command.ts";
import { usageFailure } from "../../errors/errors.ts";
import { renderText } from "../../command-line/help-text.ts";
import { topicPage, topics } from "../../command-line/topics.ts";

export const defineHelp: Define = (help, _, commands) => {
  const names = topics.map(({ name }) => name).join(", ");
  help
    .description(`Show help for a command or a topic. Topics: ${names}.`)
    .argument("[word...]", "Name of a command, such as `grant list`, or of a topic")
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
    throw usageFailure(
      `${topic.name} is a help topic and takes no arguments`,
      `Run \`grantctl help ${topic.name}\`.`,
    );
  }
  await commands.defineAll();
  const output = help.configureOutput();
  const columns = output.getOutHelpWidth?.() ?? 80;
  output.writeOut?.(
    renderText(await topicPage(topic, programOf(help)), columns, output.getOutHasColors?.() ?? false),
  );
}
