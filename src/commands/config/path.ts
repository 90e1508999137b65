// `grantctl config path`: prints the path of the configuration file.
import {
  addExamples,
  explainInherited,
  printsFields,
  type Define,
  type Context,
} from "../../command-line/command.ts";
import { configurationPath } from "../../config/configuration.ts";
import type { Presentation } from "../../printing/presentation.ts";

const pathPresentation: Presentation<{ readonly path: string }> = { fields: ["path"], columns: [] };

export const definePath: Define = (command, act) => {
  command
    .summary("Show the path of the configuration file")
    .description(
      "Show the path of the configuration file, even if the file does not exist. The file is JSON with comments.",
    )
    .action(act(run, { configuration: "unused", isPaged: true, announces: false }));
  explainInherited(command, "--profile", "--json", "--jq");
  printsFields(command, pathPresentation.fields);
  addExamples(command, ["grantctl config path"]);
};

async function run(context: Context): Promise<void> {
  const { printer, stdout } = context;
  const path = configurationPath(context.configurationFolder());
  if (printer.isJson) await printer.printItem({ path }, pathPresentation);
  else await stdout.write(`${path}\n`);
}
