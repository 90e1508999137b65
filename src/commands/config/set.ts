// `grantctl config set`: changes one setting of a profile, and creates the profile if there is none.
import { resolve } from "node:path";
import { addExamples, explainInherited, type Define, type Context } from "../../command-line/command.ts";
import { existingProfiles } from "../../config/run-configuration.ts";
import { withProfileValues } from "../../config/configuration.ts";
import { isProfileName } from "../../config/setting-forms.ts";
import { problemOf, profileKeys } from "../../config/settings.ts";
import { usageFailure } from "../../errors/errors.ts";
import { editConfigurationOf, warnOfMovedProfile } from "../../run/save-configuration.ts";
import { checkKey, defaultProfileKey, explainKeys } from "./setting.ts";

export const defineSet: Define = (command, act) => {
  command
    .summary("Change a setting")
    .description("Change a profile's setting. Creates the profile if it does not exist.")
    .argument("<key>", "Name of the setting")
    .argument("<value>", "Value; if it is a command with arguments, quote the whole command")
    .action(act(run, { configuration: "new-profile", announces: false }));
  explainKeys(command);
  explainInherited(command, "--profile");
  addExamples(command, [
    "grantctl config set base_url https://ghe.example.com/api/v3",
    "grantctl --profile work config set password_command 'pass show work/grantctl'",
  ]);
};

async function run(context: Context, word: string, value: string): Promise<void> {
  const key = checkKey(word);
  if (key === defaultProfileKey) {
    await setDefaultProfile(value, context);
    return;
  }
  if (value === "")
    throw usageFailure(`${key} cannot be empty`, `Run \`grantctl config unset ${key}\` to remove it.`);
  const checked = profileKeys.get(key)?.form === "path" ? resolve(value) : value;
  const problem = problemOf(key, checked);
  if (problem !== null) throw usageFailure(`${key} ${problem}`);
  const { name, values } = context.configured.profile;
  if (key === "base_url") {
    // Rejects the URLs that every run would reject; allow_http permits plain http.
    context.serverAt(checked).origin();
    warnOfMovedProfile(checked, values, context);
  }
  await editConfigurationOf(context, (configuration) =>
    withProfileValues(configuration, name, { [key]: checked }),
  );
}

async function setDefaultProfile(name: string, context: Context): Promise<void> {
  if (!isProfileName(name)) throw usageFailure(`${defaultProfileKey} must be the name of a profile`);
  await editConfigurationOf(context, (configuration) => {
    if (!configuration.profiles.has(name))
      throw usageFailure(`there is no profile named ${name}${existingProfiles(configuration)}`);
    return { ...configuration, defaultProfile: name };
  });
}
