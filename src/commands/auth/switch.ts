// `grantctl auth switch`: makes another profile the default one.
import { addExamples, type Context, type Define } from "../../command-line/command.ts";
import { editConfiguration } from "../../config/configuration.ts";
import { noProfile } from "../../config/profiles.ts";
import { usageFailure } from "../../errors/errors.ts";
import { profilePresentation, profileRows } from "./list.ts";

export const define: Define = (command, act) => {
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
  await prompter.check(noneSelected);
  const items = profileRows(configured.configuration);
  if (items.length === 0) throw noneSelected();
  const choices = { items, columns: profilePresentation.columns, isSingle: true };
  const [row] = await prompter.pick("Select the default profile", choices, noneSelected);
  return row?.profile ?? "";
}

function noneSelected(): Error {
  return usageFailure("no profile given or selected", "Run `grantctl auth list` to see the profiles.");
}
