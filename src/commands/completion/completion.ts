// `grantctl completion`: prints a shell's completion script. Like help, it does not read the configuration, so that a
// mistake there cannot break the start of a shell.
import { Argument, type Command } from "commander";
import { addExamples, addNote, type Define } from "../../command-line/command.ts";
import { scripts, shells, type Shell } from "../../command-line/completion-scripts.ts";

export const defineCompletion: Define = (completion) => {
  completion
    .description(
      "Print a completion script for commands, flags and their values. Profiles and the IDs of interrupted runs are read from this machine; no requests are sent.",
    )
    .addArgument(new Argument("<shell>", "Shell to print the script for").choices(shells))
    .action((shell: Shell, _: object, self: Command) => {
      self.configureOutput().writeOut?.(scripts[shell]);
    });
  addNote(
    completion,
    "Installation",
    "Add the line for your shell to its startup file; for zsh, after compinit.",
    {
      "~/.bashrc": "source <(grantctl completion bash)",
      "~/.zshrc": "source <(grantctl completion zsh)",
      "~/.config/fish/config.fish": "grantctl completion fish | source",
      $PROFILE: "grantctl completion powershell | Out-String | Invoke-Expression",
    },
  );
  addExamples(completion, ["grantctl completion bash", "grantctl completion zsh > _grantctl"]);
};
