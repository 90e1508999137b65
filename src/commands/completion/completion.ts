// `grantctl completion`: the script that teaches a shell what can be typed. It is written as help is, without a run:
// no configuration is read, and nothing that is wrong with one keeps a shell from starting.
import { Argument, Option, type Command } from "commander";
import type { Context } from "../../run/context.ts";
import { usageFailure } from "../../errors/errors.ts";
import type { Dispatch } from "../../command-line/dispatch.ts";
import { addExamples } from "../../command-line/examples.ts";
import { addHelpSection } from "../../command-line/help-sections.ts";
import { paragraph, section, terms } from "../../command-line/pages/page.ts";
import type { CommandTable } from "../index.ts";
import {
  findLocalValues,
  localValues,
  type LocalValues,
} from "../../command-line/completion/local-values.ts";
import type { WordTree } from "../../command-line/completion/word-tree.ts";

const shells = ["bash", "zsh", "fish", "powershell"] as const;
type Shell = (typeof shells)[number];

interface CompletionOptions {
  readonly values?: LocalValues;
}

const writers: Readonly<Record<Shell, () => Promise<(tree: WordTree) => string>>> = {
  bash: async () => (await import("../../command-line/completion/bash.ts")).writeBash,
  zsh: async () => (await import("../../command-line/completion/zsh.ts")).writeZsh,
  fish: async () => (await import("../../command-line/completion/fish.ts")).writeFish,
  powershell: async () => (await import("../../command-line/completion/powershell.ts")).writePowershell,
};

const installation = section(
  "In every new shell",
  paragraph("Put the line into the file:"),
  terms([
    ["~/.bashrc", "source <(grantctl completion bash)"],
    ["~/.zshrc", "source <(grantctl completion zsh), behind compinit"],
    ["~/.config/fish/config.fish", "grantctl completion fish | source"],
    ["$PROFILE", "grantctl completion powershell | Out-String | Invoke-Expression"],
  ]),
  paragraph(
    "Shells start sooner where the script is in a file, to be written again after each update: ~/.local/share/bash-completion/completions/grantctl for bash, with the package bash-completion; _grantctl in a folder of $fpath for zsh; ~/.config/fish/completions/grantctl.fish for fish.",
  ),
);

/** Adds what `completion` does. */
export function completeCompletion(completion: Command, dispatch: Dispatch, commands: CommandTable): void {
  completion
    .description(
      "Print the script that completes commands, flags and what follows them when Tab is pressed. Profiles, their settings and the ids of `recover list` are completed from this machine; nothing is ever asked of the service.",
    )
    .addArgument(new Argument("[shell]", "the shell to print it for").choices(shells))
    // For the scripts: what they ask when Tab is pressed.
    .addOption(
      new Option("--values <kind>", "print what is known here of this kind").choices(localValues).hideHelp(),
    )
    .action((shell: Shell | undefined, { values }: CompletionOptions, self: Command) =>
      values === undefined
        ? printScript(shell, self, commands)
        : dispatch(self, (context) => printValues(values, context), "new-profile"),
    );
  addHelpSection(completion, installation);
  addExamples(completion, ["grantctl completion bash", "grantctl completion zsh > _grantctl"]);
}

async function printScript(
  shell: Shell | undefined,
  command: Command,
  commands: CommandTable,
): Promise<void> {
  if (shell === undefined) {
    throw usageFailure("for which shell is not said", `grantctl completion ${shells.join("|")}`);
  }
  await commands.completeAll();
  const { readWordTree } = await import("../../command-line/completion/word-tree.ts");
  const { jsonFields } = await import("../../command-line/completion/json-fields.ts");
  const write = await writers[shell]();
  const program = await commands.find([]);
  command.configureOutput().writeOut?.(write(readWordTree(program, jsonFields)));
}

async function printValues(of: LocalValues, context: Context): Promise<void> {
  await context.stdout.write(await findLocalValues(of, context));
}
