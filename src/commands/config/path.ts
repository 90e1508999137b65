// `grantctl config path`: where the configuration is, or would be.
import type { Command } from "commander";
import { configurationPath } from "../../config/configuration.ts";
import type { Context } from "../../run/context.ts";
import type { Act } from "../../command-line/dispatch.ts";
import { addExamples } from "../../command-line/examples.ts";

export function completePath(command: Command, act: Act): void {
  command
    .summary("print where the configuration is")
    .description(
      "Print the path of the configuration file, whether it exists or not. It is JSON, with comments.",
    )
    .action(act(run, "unused"));
  addExamples(command, ["grantctl config path"]);
}

async function run(context: Context): Promise<void> {
  const { printer, stdout } = context;
  const path = configurationPath(context.configurationFolder());
  if (printer.isJson) await printer.printObject({ path });
  else await stdout.write(`${path}\n`);
}
