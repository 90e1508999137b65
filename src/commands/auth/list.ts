// `grantctl auth list`: the profiles, and which of them is the default one.
import { addExamples, printsFields, type Context, type Define } from "../../command-line/command.ts";
import { usualProfile } from "../../config/configuration.ts";
import { column, type FieldOf, type Presentation } from "../../output/presentation.ts";

export const defineList: Define = (command, act) => {
  command
    .description("List the profiles in the configuration. Sends no requests.")
    .action(act(run, { isPaged: true, configuration: "new-profile" }));
  printsFields(command, profilePresentation.fields);
  addExamples(command, ["grantctl auth list", "grantctl auth list --json profile,default"]);
};

interface ProfileRow {
  readonly profile: string;
  readonly base_url: string | null;
  readonly server_type: string | null;
  readonly username: string | null;
  readonly client_id: string | null;
  /** True if runs use it for which none is named. */
  readonly default: boolean;
}

const profilePresentation: Presentation<ProfileRow> = {
  fields: [
    "profile",
    "base_url",
    "server_type",
    "username",
    "client_id",
    "default",
  ] satisfies readonly FieldOf<ProfileRow>[],
  columns: [
    { title: "DEFAULT", text: (row) => (row.default ? "*" : "") },
    column("PROFILE", "profile"),
    column("SERVER", "base_url"),
    column("USER", "username", { priority: 2 }),
    column("CLIENT ID", "client_id", { priority: 3 }),
  ],
};

async function run(context: Context): Promise<void> {
  const { printer, configured } = context;
  const { profiles, defaultProfile } = configured.configuration;
  const rows = [...profiles].map(([profile, values]): ProfileRow => ({
    profile,
    base_url: values.base_url ?? null,
    server_type: values.server_type ?? null,
    username: values.username ?? null,
    client_id: values.client_id ?? null,
    default: profile === (defaultProfile ?? usualProfile),
  }));
  await printer.printList(rows, profilePresentation);
}
