// `grantctl config list`: lists the settings of all profiles, or of one.
import { addExamples, explainInherited, type Define, type Context } from "../../command-line/command.ts";
import type { Configuration } from "../../config/configuration.ts";
import { profileKeyNames } from "../../config/profile-keys.ts";
import type { TypeOf } from "../../schema/json-schema.ts";
import { defaultProfileKey, settingPresentation, type settingSchema } from "./setting.ts";

export const defineList: Define = (command, act) => {
  command
    .alias("ls")
    .summary("List settings")
    .description(
      "List the settings in the configuration, for all profiles or only for the one given with --profile. Run `grantctl auth status` to see the values in use, including flags and environment variables.",
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

/** Every setting, or those of one profile. */
function settingRows(
  { defaultProfile, profiles }: Configuration,
  only: string | null,
): readonly TypeOf<typeof settingSchema>[] {
  const ofFile =
    defaultProfile === null || only !== null
      ? []
      : [{ profile: null, key: defaultProfileKey, value: defaultProfile }];
  const ofProfiles = [...profiles]
    .filter(([profile]) => only === null || profile === only)
    .flatMap(([profile, values]) =>
      profileKeyNames.flatMap((key) => {
        const value = values[key];
        return value === undefined ? [] : [{ profile, key, value }];
      }),
    );
  return [...ofFile, ...ofProfiles];
}
