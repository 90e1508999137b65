// `grantctl config unset`: removes a setting from a profile.
import { addExamples, explainInherited, type Define, type Context } from "../../command-line/command.ts";
import { withProfileValues } from "../../config/configuration.ts";
import { editConfigurationOf } from "../../run/save-configuration.ts";
import { checkKey, defaultProfileKey, explainKeys } from "./setting.ts";

export const defineUnset: Define = (command, act) => {
  command
    .summary("Remove a setting")
    .description("Remove a setting from a profile. Succeeds even if it is not set.")
    .argument("<key>", "Name of the setting")
    .action((key: string, ...given) =>
      // A `default_profile` that does not exist must not prevent its own removal.
      act(run, {
        configuration: key === defaultProfileKey ? "new-profile" : "needed",
        announces: false,
      })(key, ...given),
    );
  explainKeys(command);
  explainInherited(command, "--profile");
  addExamples(command, ["grantctl config unset otp_command", "grantctl --profile work config unset ca_cert"]);
};

async function run(context: Context, word: string): Promise<void> {
  const key = checkKey(word);
  const { name } = context.configured.profile;
  await editConfigurationOf(context, (configuration) => {
    if (key === defaultProfileKey) return { ...configuration, defaultProfile: null };
    return configuration.profiles.has(name)
      ? withProfileValues(configuration, name, { [key]: undefined })
      : configuration;
  });
}
