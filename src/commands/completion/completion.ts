// `grantctl completion`: prints a shell's completion script. Like help, it does not read the configuration, so that a
// mistake there cannot break the start of a shell.
import { Argument, type Command } from "commander";
import { addExamples, type Define } from "../../command-line/command.ts";
import { scripts, shells, type Shell } from "../../command-line/completion-scripts.ts";
import { addHelpSection, section, terms } from "../../command-line/help-sections.ts";

const installation = section(
  "Installation",
  "Add the line for your shell to its startup file:",
  terms({
    "~/.bashrc": "source <(grantctl completion bash)",
    "~/.zshrc": "source <(grantctl completion zsh)",
    "~/.config/fish/config.fish": "grantctl completion fish | source",
    $PROFILE: "grantctl completion powershell | Out-String | Invoke-Expression",
  }),
  "For zsh, add the line after compinit. To start shells faster, save the script to a file: ~/.local/share/bash-completion/completions/grantctl for bash (requires the bash-completion package), _grantctl in a directory listed in $fpath for zsh, or ~/.config/fish/completions/grantctl.fish for fish. You do not need to generate it again when you update grantctl.",
);

export const defineCompletion: Define = (completion) => {
  completion
    .description(
      "Generate a completion script for commands, flags and their values. Profiles, settings and the IDs listed by `grantctl recover list` are read from this machine; no requests are sent.",
    )
    .addArgument(new Argument("<shell>", "Shell to generate the script for").choices(shells))
    .action((shell: Shell, _: object, self: Command) => {
      self.configureOutput().writeOut?.(scripts[shell]);
    });
  addHelpSection(completion, installation);
  addExamples(completion, ["grantctl completion bash", "grantctl completion zsh > _grantctl"]);
};
