// `grantctl auth status`: each value that a run would use, and where it comes from. Shows no secret and sends nothing; a
// stored secret is read, to see that it is there, and is called verified only if a server has accepted it.
import { addExamples, printsFields, type Context, type Define } from "../../command-line/command.ts";
import type { SecretKind } from "../../config/stored-secrets.ts";
import { checks } from "../../config/setting-forms.ts";
import { listedValue, settingList } from "../../config/settings.ts";
import { hintToVerify } from "../../credentials/secrets.ts";
import { exitCodeOf, failureOf, QuietExit } from "../../errors/errors.ts";
import { printUnlessPipeClosed } from "../../output/output-stream.ts";
import { settingPresentation, type SettingRow } from "../config/keys.ts";

export const define: Define = (command, act) => {
  command
    .description(
      "Show which credentials are in use and where they come from. Never shows secrets or sends requests; to verify the credentials, run `grantctl doctor`. Exits with code 4 if there is neither a token nor credentials that can be used without a prompt.",
    )
    .option("--verbose", "In a table, also show what is not set")
    .action(act(run));
  printsFields(command, settingPresentation.fields);
  addExamples(command, ["grantctl auth status", "grantctl --profile work auth status --json"]);
};

const notVerified = "not verified";

async function run(context: Context, { verbose }: { readonly verbose?: true }): Promise<void> {
  const { printer, notices, configured, settings, serverType } = context;
  const { profile, configuration } = configured;
  // Together, because a keychain that hangs takes its time for each.
  const secrets = await Promise.all([
    secretStatus("password", settings.username?.value, context),
    secretStatus("client-secret", settings.clientId?.value, context),
    secretStatus("token", "", context),
  ]);
  const rows: readonly SettingRow[] = [
    {
      name: "profile",
      value: profile.exists ? profile.name : `${profile.name}, not in the configuration`,
      source: profile.source === "profile" ? "default_profile" : profile.source,
    },
    { name: "configuration", value: configuration.path, source: null },
    ...settingRows(context),
    ...secrets.map(({ row }) => row),
    { name: "otp", value: null, source: (settings.otp ?? settings.otpCommand)?.source ?? "prompt" },
  ];
  const isShort = printer.format === "table" && verbose !== true;
  const shown = rows.filter(({ value, source }) => !isShort || value !== null || source !== null);
  // For a person in lines, since values such as paths are too long for a narrow table.
  const lines = shown.map(({ name, value, source }) => ({
    label: name,
    lines: [[value, source === null ? null : `(${source})`].filter((text) => text !== null).join(" ")],
  }));
  await printUnlessPipeClosed(() =>
    printer.format === "table" ? printer.printLabelled(lines) : printer.printList(shown, settingPresentation),
  );
  // Other secrets are stored only when they are verified.
  if (secrets.some(({ row }) => row.value === notVerified))
    notices.note(`the client secret is not verified. ${hintToVerify(serverType)}`);
  if (secrets.some(({ isReady }) => isReady)) return;
  notices.note("not logged in. Run `grantctl auth login`.");
  throw new QuietExit(exitCodeOf("authentication"));
}

/** The settings under their names in a profile; a command that leads to a secret is in the secret's row. */
function settingRows({ settings }: Context): readonly SettingRow[] {
  return settingList.flatMap(({ name, key, check }) => {
    if (key === undefined || check === checks.command) return [];
    const { value, source = null } = settings[name] ?? {};
    return [{ name: key, value: value === undefined ? null : listedValue(key, value), source }];
  });
}

/** `owner` is the user name or the client ID; undefined if it is not set. */
async function secretStatus(kind: SecretKind, owner: string | undefined, { server }: Context) {
  const { source, stored, read } = server.logins.find(kind, owner ?? "");
  const failure = stored === undefined ? null : await failureOf(read());
  const state = stored?.verified === null ? notVerified : `verified ${stored?.verified}`;
  return {
    row: {
      name: kind.replace("-", "_"),
      value: failure?.message ?? (stored === undefined ? null : state),
      // No command prompts for a token.
      source: kind === "token" && source === "prompt" ? null : source,
    },
    /** True for credentials that a run can use without a prompt. */
    isReady: owner !== undefined && source !== "prompt" && failure === null,
  };
}
