// `grantctl auth status`: each value that a run would use, and where it comes from. Shows no secret and sends nothing; a
// stored secret is read, to see that it is there, and is called verified only if a server has accepted it.
import { addExamples, explainInherited, printsFields, type Define } from "../../command-line/command.ts";
import type { SecretKind } from "../../config/configuration.ts";
import { checks } from "../../config/setting-forms.ts";
import { candidatesOf, settingNames, settingTable, type SettingName } from "../../config/settings.ts";
import { secretTraits } from "../../credentials/secrets.ts";
import type { Labelled } from "../../drawing/labelled.ts";
import { exitCodeOf, isFailure, QuietExit } from "../../errors/errors.ts";
import { printUnlessPipeClosed } from "../../printing/output-stream.ts";
import { column, type FieldOf, type Presentation } from "../../printing/presentation.ts";
import type { Context } from "../../run/context.ts";

export const defineStatus: Define = (command, act) => {
  command
    .summary("Show which credentials are in use and where they come from")
    .description(
      "Show which credentials are in use and where they come from. Never shows secrets or sends requests; to verify the credentials, run `grantctl doctor`. Exits with code 4 if there are no account or application credentials.",
    )
    .option("--verbose", "Also show unset values, and every source that was tried, the winner in brackets")
    .action(act(run));
  explainInherited(command, "--profile", "--json", "--jq");
  printsFields(command, statusPresentation.fields);
  addExamples(command, [
    "grantctl auth status",
    "grantctl auth status --verbose",
    "grantctl --profile work auth status --json",
  ]);
};

/** A row as it is published. */
interface PublishedRow {
  readonly name: string;
  /** Of a stored secret, when and how it was verified, or why it cannot be read; null for any other. */
  readonly value: string | null;
  /** Flag, environment, profile, keychain, file, prompt or default; null if there is no value. */
  readonly source: string | null;
}

interface StatusRow extends PublishedRow {
  /** Every source, in the order in which they are tried. */
  readonly tried: string;
  /** The kind of a secret that is there without a prompt. */
  readonly secret?: SecretKind | null;
}

const statusPresentation: Presentation<PublishedRow> = {
  fields: ["name", "value", "source"] satisfies readonly FieldOf<PublishedRow>[],
  columns: [column("NAME", "name"), column("VALUE", "value", { isWhole: true }), column("SOURCE", "source")],
};

async function run(context: Context, { verbose }: { readonly verbose?: true }): Promise<void> {
  const { printer, notices, settings } = context;
  printer.checkFields(statusPresentation);
  const rows = [
    ...profileRows(context),
    ...shownSettings(context).map((name) => settingRow(name, context)),
    ...(await secretRows(context)),
    otpRow(context),
  ];
  await printUnlessPipeClosed(() => {
    if (printer.format === "table" && verbose === true) return printer.printLabelled(rows.map(describeRow));
    const isShown = ({ value, source }: StatusRow): boolean =>
      printer.format !== "table" || value !== null || source !== null;
    const published = rows.filter(isShown).map(({ name, value, source }) => ({ name, value, source }));
    return printer.printList(published, statusPresentation);
  });
  for (const { secret, value } of rows)
    if (secret !== undefined && secret !== null && value === notVerified)
      notices.note(
        `the ${secretTraits[secret].label} is not verified. Run \`${secretTraits[secret].verify}\` to verify it.`,
      );
  const isReady = (kind: SecretKind): boolean => rows.some(({ secret }) => secret === kind);
  const hasCredentials =
    isReady("token") ||
    (settings.username !== undefined && isReady("password")) ||
    (settings.clientId !== undefined && isReady("client-secret"));
  if (hasCredentials) return;
  notices.note("not logged in. Run `grantctl auth login`.");
  throw new QuietExit(exitCodeOf("authentication"));
}

function describeRow({ name, value, source, tried }: StatusRow): Labelled {
  const known = value ?? (source === null ? "not set" : "");
  const from = source === null ? "" : `from ${source}`;
  return {
    label: name,
    lines: [[known, from].filter((part) => part !== "").join(", "), ...(tried === "" ? [] : [tried])],
  };
}

function profileRows({ configured: { profile, configuration } }: Context): readonly StatusRow[] {
  const source = profile.source === "profile" ? "default_profile" : profile.source;
  const value = profile.exists ? profile.name : `${profile.name}, not in the configuration`;
  return [
    { name: "profile", value, source, tried: "" },
    { name: "configuration", value: configuration.path, source: null, tried: "" },
  ];
}

/** The settings with a row of their own; those that lead to a secret are in the secret's row. */
function shownSettings({ serverType }: Context): readonly SettingName[] {
  return settingNames.filter((name) => {
    const { key, check, isForOauth } = settingTable[name];
    const isShown = key !== undefined && check !== checks.command && name !== "format";
    return isShown && (isForOauth === undefined || serverType.publishesMetadata);
  });
}

interface Place {
  readonly source: string;
  readonly name: string;
  readonly isSet: boolean;
}

/** As in `--otp > [GRANTCTL_OTP] > prompt`. */
function describeTried(places: readonly Place[]): string {
  const winner = places.findIndex(({ isSet }) => isSet);
  const label = ({ source, name }: Place): string =>
    source === "profile" ? `profile's ${name}` : name === "" ? source : name;
  return places.map((place, index) => (index === winner ? `[${label(place)}]` : label(place))).join(" > ");
}

function settingPlaces(name: SettingName, { options, host, configured }: Context) {
  const sources = { options, environment: host.environment, profile: configured.profile.values };
  return candidatesOf(name, sources).map((candidate) => ({ ...candidate, isSet: candidate.value !== null }));
}

/** The row of a setting, under its name in a profile (`base_url`). */
function settingRow(name: SettingName, context: Context): StatusRow {
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

function otpRow(context: Context): StatusRow {
  const places: readonly Place[] = [
    ...settingPlaces("otp", context),
    ...settingPlaces("otpCommand", context),
    { source: "prompt", name: "", isSet: true },
  ];
  const { source = null } = places.find(({ isSet }) => isSet) ?? {};
  return { name: "otp", value: null, source, tried: describeTried(places) };
}

const notVerified = "not verified";

async function secretRows({ server: { logins }, settings }: Context): Promise<readonly StatusRow[]> {
  const rowOf = async (kind: SecretKind, user = ""): Promise<StatusRow> => {
    const places = logins.places(kind, user);
    const winner = places.find(({ isSet }) => isSet);
    const problem = winner?.stored === undefined ? null : await whyLost(winner.read);
    const mark = winner?.stored?.verified ?? null;
    const state = mark === null ? notVerified : `verified ${mark}`;
    const isReady = winner !== undefined && winner.source !== "prompt" && problem === null;
    return {
      name: kind.replace("-", "_"),
      value: winner?.stored === undefined ? null : (problem ?? state),
      source: winner?.source ?? null,
      tried: describeTried(places),
      secret: isReady ? kind : null,
    };
  };
  // Together, because a keychain that hangs takes its time for each.
  return Promise.all([
    rowOf("password", settings.username?.value),
    rowOf("client-secret", settings.clientId?.value),
    rowOf("token"),
  ]);
}

/** Why a store does not return its secret; null if it does. */
async function whyLost(read: () => Promise<string>): Promise<string | null> {
  try {
    await read();
    return null;
  } catch (error) {
    if (!isFailure(error)) throw error;
    return error.message;
  }
}
