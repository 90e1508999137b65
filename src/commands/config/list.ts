// `grantctl config list`: lists the settings of all profiles, or of one.
import {
  addExamples,
  explainInherited,
  printsFields,
  type Define,
  type Context,
} from "../../command-line/command.ts";
import { profileKeyNames } from "../../config/settings.ts";
import { defaultProfileKey, settingPresentation, settingRow } from "./setting.ts";

export const defineList: Define = (command, act) => {
  command
    .alias("ls")
    .summary("List settings")
    .description(
      "List the settings in the configuration, for all profiles or only for the one given with --profile. Run `grantctl auth status` to see the values in use, including flags and environment variables.",
    )
    .action(act(run, { isPaged: true, printsList: true, announces: false }));
  explainInherited(command, "--profile", "--json", "--jq");
  printsFields(command, settingPresentation.fields);
  addExamples(command, ["grantctl config list", "grantctl config list --profile work --json"]);
};

async function run(context: Context): Promise<void> {
  const { configuration, profile } = context.configured;
  const { defaultProfile, profiles } = configuration;
  context.printer.checkFields(settingPresentation);
  const isNamed = profile.source === "flag" || profile.source === "environment";
  const ofFile =
    defaultProfile === null || isNamed ? [] : [settingRow(null, defaultProfileKey, defaultProfile)];
  const ofProfiles = [...profiles]
    .filter(([name]) => !isNamed || name === profile.name)
    .flatMap(([name, values]) =>
      profileKeyNames.flatMap((key) => {
        const value = values[key];
        return value === undefined ? [] : [settingRow(name, key, value)];
      }),
    );
  await context.printer.printList([...ofFile, ...ofProfiles], settingPresentation);
}
