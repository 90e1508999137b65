// `grantctl auth list`: the profiles, which of them this run uses, and what is stored for each.
import { addExamples, printsFields, type Context, type Define } from "../../command-line/command.ts";
import type { ProfileValues } from "../../config/settings.ts";
import { noteEmptyList } from "../../lists/paging.ts";
import { column, type FieldOf, type Presentation } from "../../output/presentation.ts";

export const defineList: Define = (command, act) => {
  command
    .description("List the profiles in the configuration. Sends no requests.")
    .action(act(run, { isPaged: true, printsList: true, configuration: "new-profile" }));
  printsFields(command, fields);
  addExamples(command, ["grantctl auth list", "grantctl auth list --json profile,default"]);
};

interface ProfileRow {
  readonly profile: string;
  readonly base_url: string | null;
  readonly server_type: string | null;
  readonly username: string | null;
  readonly client_id: string | null;
  /** True if this run uses it. */
  readonly default: boolean;
}

const fields = [
  "profile",
  "base_url",
  "server_type",
  "username",
  "client_id",
  "default",
] as const satisfies readonly FieldOf<ProfileRow>[];

const profilePresentation: Presentation<ProfileRow> = {
  fields,
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
  printer.checkFields(profilePresentation);
  const rows = [...configured.configuration.profiles].map(([profile, values]) =>
    profileRow(profile, values, context),
  );
  await printer.printList(rows, profilePresentation);
  if (rows.length === 0)
    noteEmptyList("There is no profile. Run `grantctl auth login` to create one.", context);
}

function profileRow(profile: string, values: ProfileValues, { configured }: Context): ProfileRow {
  const {
    base_url: baseUrl = null,
    server_type: serverType = null,
    username = null,
    client_id: clientId = null,
  } = values;
  return {
    profile,
    base_url: baseUrl,
    server_type: serverType,
    username,
    client_id: clientId,
    default: profile === configured.profile.name,
  };
}
