// `grantctl config list`: every setting of every profile.
import { addExamples, explainInherited, type Define, type Context } from "../../command-line/command.ts";
import { settingPresentation, settingRows } from "./setting-rows.ts";

export const defineList: Define = (command, act) => {
  command
    .alias("ls")
    .summary("list the settings of all profiles")
    .description(
      "List what the configuration holds, of all profiles or of the one that --profile names. What is in effect, with flags and environment, is shown by `auth status`.",
    )
    .action(act(run, { reads: true, printsList: true, announces: false }));
  explainInherited(command, "--profile", "--json", "--jq");
  addExamples(command, ["grantctl config list", "grantctl config list --profile work --json"]);
};

async function run(context: Context): Promise<void> {
  const { configuration, profile } = context.configured;
  context.printer.checkFields(settingPresentation);
  const isNamed = profile.source === "flag" || profile.source === "environment";
  await context.printer.printList(
    settingRows(configuration, isNamed ? profile.name : null),
    settingPresentation,
  );
}
