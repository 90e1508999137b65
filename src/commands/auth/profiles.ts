// `grantctl auth list`: the profiles, and which of them is the default one; `auth switch` makes another one the default.
import { addExamples, printsFields, type Context, type Define } from "../../command-line/command.ts";
import { noProfile, usualProfile, type Configuration } from "../../config/configuration.ts";
import { usageFailure } from "../../errors/errors.ts";
import { column, type Presentation } from "../../output/presentation.ts";
import { layOutRows } from "../../output/table.ts";
import { editConfiguration } from "../../run/edit-configuration.ts";

export const defineList: Define = (command, act) => {
  command
    .description("List the profiles in the configuration. Sends no requests.")
    .action(act(list, { isPaged: true, configuration: "new-profile" }));
  printsFields(command, profilePresentation.fields);
  addExamples(command, ["grantctl auth list", "grantctl auth list --json profile,default"]);
};

export const defineSwitch: Define = (command, act) => {
  command
    .description(
      "Make a profile the default for commands that are run without --profile or GRANTCTL_PROFILE.",
    )
    .argument("[profile]", "Name of a profile; on a terminal, you can select one instead")
    .action(act(makeDefault, { configuration: "new-profile" }));
  addExamples(command, ["grantctl auth switch work"]);
};

function profileRows({ profiles, defaultProfile }: Configuration) {
  return [...profiles].map(([profile, values]) => ({
    profile,
    base_url: values.base_url ?? null,
    server_type: values.server_type ?? null,
    username: values.username ?? null,
    client_id: values.client_id ?? null,
    /** True if runs use it for which none is named. */
    default: profile === (defaultProfile ?? usualProfile),
  }));
}

const profilePresentation: Presentation<ReturnType<typeof profileRows>[number]> = {
  fields: ["profile", "base_url", "server_type", "username", "client_id", "default"],
  columns: [
    { title: "DEFAULT", text: (row) => (row.default ? "*" : "") },
    column("PROFILE", "profile"),
    column("SERVER", "base_url"),
    column("USER", "username", { priority: 2 }),
    column("CLIENT ID", "client_id", { priority: 3 }),
  ],
};

async function list({ printer, configured }: Context): Promise<void> {
  await printer.printList(profileRows(configured.configuration), profilePresentation);
}

async function makeDefault(context: Context, given: string | undefined): Promise<void> {
  const profile = given ?? (await pickProfile(context));
  await editConfiguration(context, (configuration) => {
    if (!configuration.profiles.has(profile)) throw noProfile(profile, configuration);
    return { ...configuration, defaultProfile: profile };
  });
  context.notices.note(`the default profile is now ${profile}`);
}

async function pickProfile({ configured, prompter }: Context): Promise<string> {
  await prompter.check(cannotPick);
  const profiles = profileRows(configured.configuration);
  const rows = layOutRows(profiles, profilePresentation.columns);
  const [index = -1] =
    profiles.length === 0 ? [] : await prompter.pick("Select the default profile", rows, cannotPick, true);
  const row = profiles[index];
  if (row === undefined) throw usageFailure("no profile is selected", "Run `grantctl auth login`.");
  return row.profile;
}

function cannotPick(): Error {
  return usageFailure(
    "no profile given, and no terminal to select one on",
    "Run `grantctl auth list` to see the profiles.",
  );
}
