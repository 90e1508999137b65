// `grantctl auth switch`: sets the default profile.
import { addExamples, type Context, type Define } from "../../command-line/command.ts";
import { existingProfiles } from "../../config/run-configuration.ts";
import { usageFailure } from "../../errors/errors.ts";
import { editConfigurationOf } from "../../run/save-configuration.ts";

export const defineSwitch: Define = (command, act) => {
  command
    .description(
      "Make a profile the default for commands that are run without --profile or GRANTCTL_PROFILE.",
    )
    .argument("<profile>", "Name of a profile, as shown by `grantctl auth list`")
    .action(act(run, { configuration: "new-profile" }));
  addExamples(command, ["grantctl auth switch work"]);
};

async function run(context: Context, profile: string): Promise<void> {
  await editConfigurationOf(context, (configuration) => {
    if (!configuration.profiles.has(profile)) {
      throw usageFailure(
        `there is no profile named ${profile}${existingProfiles(configuration)}`,
        `Run \`grantctl --profile ${profile} auth login\` to create it.`,
      );
    }
    return { ...configuration, defaultProfile: profile };
  });
  const { host, notices } = context;
  notices.note(`the default profile is now ${profile}`);
  const winner = host.environment["GRANTCTL_PROFILE"];
  if (winner !== undefined && winner !== profile)
    notices.warn(`GRANTCTL_PROFILE is set to ${winner}, which takes precedence over the default`);
}
