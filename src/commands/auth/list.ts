// `grantctl auth list`: the profiles, and which of them is the default one.
import { addExamples, printsFields, type Context, type Define } from "../../command-line/command.ts";
import type { Configuration } from "../../config/configuration.ts";
import { usualProfile } from "../../config/profiles.ts";
import { column, type Presentation } from "../../output/presentation.ts";

export const define: Define = (command, act) => {
  command
    .description("List the profiles in the configuration. Sends no requests.")
    .action(act(run, { isPaged: true, configuration: "new-profile" }));
  printsFields(command, profilePresentation.fields);
  addExamples(command, ["grantctl auth list", "grantctl auth list --json profile,default"]);
};

export function profileRows({ profiles, defaultProfile }: Configuration) {
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

export const profilePresentation: Presentation<ReturnType<typeof profileRows>[number]> = {
  fields: ["profile", "base_url", "server_type", "username", "client_id", "default"],
  columns: [
    { title: "DEFAULT", text: (row) => (row.default ? "*" : "") },
    column("PROFILE", "profile"),
    column("SERVER", "base_url"),
    column("USER", "username", { priority: 2 }),
    column("CLIENT ID", "client_id", { priority: 3 }),
  ],
};

async function run({ printer, configured }: Context): Promise<void> {
  const empty = "there are no profiles: run `grantctl auth login` to create one";
  await printer.printList(profileRows(configured.configuration), profilePresentation, empty);
}
