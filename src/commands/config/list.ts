// `grantctl config list`: lists the settings of all profiles, or of one.
import { addExamples, explainInherited, type Define, type Context } from "../../command-line/command.ts";
import { settingPresentation, settingRows } from "./setting.ts";

export const defineList: Define = (command, act) => {
  command
    .alias("ls")
    .summary("List settings")
    .description(
      "List the settings in the configuration, for all profiles or for --profile. Run `grantctl auth status` to see the values in use, including flags and environment variables.",
    )
    .action(act(run, { isPaged: true, printsList: true, announces: false }));
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
