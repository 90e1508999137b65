// `grantctl auth switch`: sets the default profile.
import { addExamples, type Context, type Define } from "../../command-line/command.ts";
import { noProfile } from "../../config/configuration.ts";
import { usageFailure } from "../../errors/errors.ts";
import { layOutRows } from "../../output/table.ts";
import { column } from "../../output/presentation.ts";
import { editConfiguration } from "../../run/edit-configuration.ts";

export const defineSwitch: Define = (command, act) => {
  command
    .description(
      "Make a profile the default for commands that are run without --profile or GRANTCTL_PROFILE.",
    )
    .argument("[profile]", "Name of a profile; on a terminal, you can select one instead")
    .action(act(run, { configuration: "new-profile" }));
  addExamples(command, ["grantctl auth switch work"]);
};

async function run(context: Context, given: string | undefined): Promise<void> {
  const profile = given ?? (await pickProfile(context));
  await editConfiguration(context, (configuration) => {
    if (!configuration.profiles.has(profile)) throw noProfile(profile, configuration);
    return { ...configuration, defaultProfile: profile };
  });
  context.notices.note(`the default profile is now ${profile}`);
}

async function pickProfile({ configured, prompter }: Context): Promise<string> {
  await prompter.check(cannotPick);
  const profiles = [...configured.configuration.profiles].map(([name, { base_url: url = "" }]) => ({
    name,
    url,
  }));
  const columns = [
    column<(typeof profiles)[number]>("PROFILE", "name", { isWhole: true }),
    column<(typeof profiles)[number]>("SERVER", "url", { priority: 2 }),
  ];
  const rows = layOutRows(profiles, columns);
  const picked =
    profiles.length === 0 ? [] : await prompter.pick("Select the default profile", rows, cannotPick, true);
  const profile = profiles[picked[0] ?? -1];
  if (profile === undefined) throw usageFailure("no profile is selected", "Run `grantctl auth login`.");
  return profile.name;
}

function cannotPick(): Error {
  return usageFailure(
    "no profile given, and no terminal to select one on",
    "Run `grantctl auth list` to see the profiles.",
  );
}
