// `grantctl auth status`: each value that a run would use, and where it comes from. Shows no secret and sends nothing; a
// stored secret is read, to see that it is there, and is called verified only if a server has accepted it.
import { addExamples, printsFields, type Define } from "../../command-line/command.ts";
import type { SecretKind } from "../../config/configuration.ts";
import { checks } from "../../config/setting-forms.ts";
import { candidatesOf, settingNames, settingTable, type SettingName } from "../../config/settings.ts";
import { hintToVerify, secretTraits, type SecretPlace } from "../../credentials/secrets.ts";
import type { Labelled } from "../../output/labelled.ts";
import { exitCodeOf, isFailure, QuietExit } from "../../errors/errors.ts";
import { printUnlessPipeClosed } from "../../output/output-stream.ts";
import { column, type FieldOf, type Presentation } from "../../output/presentation.ts";
import type { Context } from "../../run/context.ts";

export const defineStatus: Define = (command, act) => {
  command
    .description(
      "Show which credentials are in use and where they come from. Never shows secrets or sends requests; to verify the credentials, run `grantctl doctor`. Exits with code 4 if there are no account or application credentials.",
    )
    .option("--verbose", "Also show unset values, and every source that was tried, the winner in brackets")
    .action(act(run));
  printsFields(command, statusPresentation.fields);
  addExamples(command, [
    "grantctl auth status",
    "grantctl auth status --verbose",
    "grantctl --profile work auth status --json",
  ]);
};

interface StatusRow {
  readonly name: string;
  /** Of a stored secret, when and how it was verified, or why it cannot be read; null for any other. */
  readonly value: string | null;
  /** Flag, environment, profile, keychain, file, prompt or default; null if there is no value. */
  readonly source: string | null;
}

const statusPresentation: Presentation<StatusRow> = {
  fields: ["name", "value", "source"] satisfies readonly FieldOf<StatusRow>[],
  columns: [column("NAME", "name"), column("VALUE", "value", { isWhole: true }), column("SOURCE", "source")],
};

/** A row, and what else is known of it. */
interface Status extends StatusRow {
  /** Every source, in the order in which they are tried. */
  readonly tried?: string;
  /** True for credentials that a run can use without a prompt. */
  readonly isReady?: boolean;
  /** What to say about a secret that is not verified. */
  readonly note?: string | null;
}

async function run(context: Context, { verbose }: { readonly verbose?: true }): Promise<void> {
  const { printer, notices, configured, settings } = context;
  const { profile, configuration } = configured;
  const isNamed = profile.source === "profile";
  const statuses: readonly Status[] = [
    {
      name: "profile",
      value: profile.exists ? profile.name : `${profile.name}, not in the configuration`,
      source: isNamed ? "default_profile" : profile.source,
    },
    { name: "configuration", value: configuration.path, source: null },
    ...shownSettings(context).map((name) => settingStatus(name, context)),
    // Together, because a keychain that hangs takes its time for each.
    ...(await Promise.all([
      secretStatus("password", settings.username?.value, context),
      secretStatus("client-secret", settings.clientId?.value, context),
      secretStatus("token", "", context),
    ])),
    otpStatus(context),
  ];
  await printUnlessPipeClosed(() => {
    const isTable = printer.format === "table";
    if (isTable && verbose === true) return printer.printLabelled(statuses.map(labelledStatus));
    const shown = statuses.filter(({ value, source }) => !isTable || value !== null || source !== null);
    const rows = shown.map(({ name, value, source }): StatusRow => ({ name, value, source }));
    return printer.printList(rows, statusPresentation);
  });
  for (const { note } of statuses) if (typeof note === "string") notices.note(note);
  if (statuses.some(({ isReady }) => isReady === true)) return;
  notices.note("not logged in. Run `grantctl auth login`.");
  throw new QuietExit(exitCodeOf("authentication"));
}

function labelledStatus({ name, value, source, tried }: Status): Labelled {
  const known = value ?? (source === null ? "not set" : "");
  const from = source === null ? "" : `from ${source}`;
  const first = [known, from].filter((part) => part !== "").join(", ");
  return { label: name, lines: tried === undefined ? [first] : [first, tried] };
}

/** The settings with a row of their own; those that lead to a secret are in the secret's row. */
function shownSettings({ serverType }: Context): readonly SettingName[] {
  return settingNames.filter((name) => {
    const { key, check, isForOauth } = settingTable[name];
    const isShown = key !== undefined && check !== checks.command;
    return isShown && (isForOauth === undefined || serverType.publishesMetadata);
  });
}

type Place = Pick<SecretPlace, "name" | "isSet"> & { readonly source: string };

/** As in `--otp > [GRANTCTL_OTP] > prompt`. */
function describeTried(places: readonly Place[]): string {
  const winner = places.findIndex(({ isSet }) => isSet);
  const labels = places.map(({ source, name }) =>
    source === "profile" ? `profile's ${name}` : name === "" ? source : name,
  );
  return labels.map((label, index) => (index === winner ? `[${label}]` : label)).join(" > ");
}

function settingPlaces(name: SettingName, { options, host, configured }: Context) {
  const sources = { options, environment: host.environment, profile: configured.profile.values };
  return candidatesOf(name, sources).map((candidate) => ({ ...candidate, isSet: candidate.value !== null }));
}

/** The row of a setting, under its name in a profile (`base_url`). */
function settingStatus(name: SettingName, context: Context): Status {
  const places = settingPlaces(name, context);
  const winner = places.find(({ isSet }) => isSet);
  // A header may hold a secret, such as a gateway's key.
  const value = name === "headers" ? winner?.value?.replaceAll(/:.*/g, ": …") : winner?.value;
  return {
    name: settingTable[name].key ?? name,
    value: value ?? null,
    source: winner?.source ?? null,
    tried: describeTried(places),
  };
}

function otpStatus(context: Context): Status {
  const places: readonly Place[] = [
    ...settingPlaces("otp", context),
    ...settingPlaces("otpCommand", context),
    { source: "prompt", name: "", isSet: true },
  ];
  const { source = null } = places.find(({ isSet }) => isSet) ?? {};
  return { name: "otp", value: null, source, tried: describeTried(places) };
}

/** The row of a secret. `owner` is the user name or the client ID; undefined if it is not set. */
async function secretStatus(kind: SecretKind, owner: string | undefined, context: Context): Promise<Status> {
  const places = context.server.logins.secrets.places(kind, owner ?? "");
  const winner = places.find(({ isSet }) => isSet);
  const row = {
    name: kind.replace("-", "_"),
    source: winner?.source ?? null,
    tried: describeTried(places),
    isReady: owner !== undefined && winner !== undefined && winner.source !== "prompt",
  };
  if (winner?.stored === undefined) return { ...row, value: null };
  try {
    await winner.read();
  } catch (error) {
    if (!isFailure(error)) throw error;
    return { ...row, value: error.message, isReady: false };
  }
  const { verified } = winner.stored;
  if (verified !== null) return { ...row, value: `verified ${verified}` };
  const note = `the ${secretTraits[kind].label} is not verified. ${hintToVerify(context.serverType)}`;
  return { ...row, value: "not verified", note };
}
