// `grantctl auth list`: the profiles, which of them this run uses, and what is stored for each.
import {
  addExamples,
  explainInherited,
  printsFields,
  type Context,
  type Define,
} from "../../command-line/command.ts";
import { secretStores } from "../../config/configuration.ts";
import type { ProfileValues } from "../../config/profile-keys.ts";
import { noteEmptyList } from "../../lists/paging.ts";
import { parseOrigin } from "../../http/origin.ts";
import { column, type FieldOf, type Presentation } from "../../printing/presentation.ts";

export const defineList: Define = (command, act) => {
  command
    .alias("ls")
    .summary("List profiles")
    .description(
      "List the profiles in the configuration, and where their secrets are stored. Sends no requests and reads no secrets.",
    )
    .action(act(run, { isPaged: true, printsList: true, configuration: "new-profile" }));
  explainInherited(command, "--json", "--jq");
  printsFields(command, fields);
  addExamples(command, ["grantctl auth list", "grantctl auth list --json profile,is_active"]);
};

interface ProfileRow {
  readonly profile: string;
  /** True if this run uses it. */
  readonly is_active: boolean;
  readonly base_url: string | null;
  readonly operator: string | null;
  readonly username: string | null;
  readonly client_id: string | null;
  /** The stores of its secrets: keychain or file. */
  readonly stores: readonly string[];
}

const fields = [
  "profile",
  "is_active",
  "base_url",
  "operator",
  "username",
  "client_id",
  "stores",
] as const satisfies readonly FieldOf<ProfileRow>[];

const profilePresentation: Presentation<ProfileRow> = {
  fields,
  columns: [
    { title: "ACTIVE", text: (row) => (row.is_active ? "*" : "") },
    column("PROFILE", "profile"),
    column("SERVER", "base_url"),
    column("USER", "username", { priority: 2 }),
    column("CLIENT ID", "client_id", { priority: 3 }),
    { title: "STORED IN", text: (row) => row.stores.join(", "), priority: 2 },
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
  const { base_url: baseUrl = null, operator = null, username = null, client_id: clientId = null } = values;
  const root = baseUrl === null ? null : parseOrigin(baseUrl, true).root;
  const own = configured.configuration.storedSecrets.filter(
    ({ origin, user }) => origin === root && (user === username || user === clientId),
  );
  return {
    profile,
    is_active: profile === configured.profile.name,
    base_url: baseUrl,
    operator,
    username,
    client_id: clientId,
    stores: secretStores.filter((name) => own.some(({ store }) => store === name)),
  };
}
