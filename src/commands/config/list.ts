// `grantctl config list`: the settings of all profiles, or of a named one, as they are in the configuration file.
import { addExamples, printsFields, type Context, type Define } from "../../command-line/command.ts";
import { listedValue, profileKeys } from "../../config/settings.ts";
import { settingPresentation } from "./keys.ts";

export const define: Define = (command, act) => {
  command
    .description(
      "List the settings in the configuration, for all profiles or only for the one given with --profile. Run `grantctl auth status` to see the values in use, including flags and environment variables.",
    )
    .action(act(run, { isPaged: true, announces: false }));
  printsFields(command, settingPresentation.fields);
  addExamples(command, ["grantctl config list", "grantctl config list --profile work --json"]);
};

async function run({ configured, printer }: Context): Promise<void> {
  const { configuration, profile } = configured;
  const isNamed = profile.source === "flag" || profile.source === "environment";
  const rows = [...configuration.profiles]
    .filter(([name]) => !isNamed || name === profile.name)
    .flatMap(([profileName, values]) =>
      [...profileKeys.keys()].flatMap((name) => {
        const value = values[name];
        if (value === undefined) return [];
        return [{ name, value: listedValue(name, value), source: `profile ${profileName}` }];
      }),
    );
  await printer.printList(rows, settingPresentation, "no settings are stored");
}
