// `grantctl auth status`: the profile, host, user and stores that a run would use, and the source of each value.
import { addExamples, explainInherited, printsFields, type Define } from "../../command-line/command.ts";
import type { SecretKind } from "../../config/configuration.ts";
import { checks } from "../../config/setting-forms.ts";
import {
  candidatesOf,
  settingNames,
  settingTable,
  type Candidate,
  type SettingName,
} from "../../config/settings.ts";
import type { Labelled } from "../../drawing/labelled.ts";
import { sanitise } from "../../drawing/sanitise.ts";
import { exitCodeOf, QuietExit, isFailure } from "../../errors/errors.ts";
import { printUnlessPipeClosed } from "../../printing/output-stream.ts";
import { howToVerify } from "./stored-secrets.ts";
import { column, type FieldOf, type Presentation } from "../../printing/presentation.ts";
import type { Context } from "../../run/context.ts";

export const defineStatus: Define = (command, act) => {
  command
    .summary("Show which credentials are in use and where they come from")
    .description(
      "Show which credentials are in use and where they come from. Never shows secrets or sends requests; to verify the credentials, run `grantctl doctor`. Exits with code 4 if there are no account or application credentials.",
    )
    .option("--verbose", "Show every source that was checked, and which one takes precedence")
    .action(act(run));
  explainInherited(command, "--profile", "--json", "--jq");
  printsFields(command, statusPresentation.fields);
  addExamples(command, [
    "grantctl auth status",
    "grantctl auth status --verbose",
    "grantctl --profile work auth status --json",
  ]);
};

async function run(context: Context, { verbose }: { readonly verbose?: true }): Promise<void> {
  context.printer.checkFields(statusPresentation);
  const { rows, hasCredentials } = await statusRows(context);
  await printUnlessPipeClosed(async () => {
    if (context.printer.format === "table") {
      await context.stdout.write(`${sanitise(loginInWords(rows))}\n`);
      await context.printer.printLabelled(verbose === true ? rows.map(describeRow) : summaryLines(rows));
      if (verbose === true) context.notices.note("the first source in brackets takes precedence");
    } else await context.printer.printList(rows.map(publishedRow), statusPresentation);
  });
  if (!hasCredentials) throw new QuietExit(exitCodeOf("authentication"));
}

/** The first line: the login status as a sentence without a full stop. */
function loginInWords(rows: readonly StatusRow[]): string {
  const row = (setting: string): StatusRow | undefined => rows.find((one) => one.setting === setting);
  const baseUrl = row("base_url")?.value ?? null;
  const where = baseUrl === null ? "" : ` to ${baseUrl}`;
  const secrets = [
    { secret: row("password"), user: row("username")?.value, whose: "" },
    { secret: row("client_secret"), user: row("client_id")?.value, whose: "the application " },
  ];
  for (const { secret, user, whose } of secrets) {
    if (secret === undefined || !isReady(secret) || user === undefined || user === null) continue;
    if (baseUrl === null) return `not logged in: ${whose}${user} has a secret, but no base URL is set`;
    return isVerified(secret)
      ? `logged in to ${baseUrl} as ${whose}${user}`
      : `credentials for ${whose}${user} at ${baseUrl}, not verified`;
  }
  const token = row("token");
  if (token !== undefined && isReady(token)) {
    if (baseUrl === null) return "not logged in: there is a token, but no base URL is set";
    return isVerified(token)
      ? `logged in to ${baseUrl} with a token`
      : `a token for ${baseUrl}, not verified`;
  }
  const user = row("username")?.value ?? null;
  return baseUrl === null || user === null
    ? `not logged in${where}`
    : `no password is available for ${user} at ${baseUrl}`;
}

function isStored({ source }: StatusRow): boolean {
  return source === "keychain" || source === "file";
}

/** True if the server accepted the stored secret; secrets from other sources are untested. */
function isVerified(row: StatusRow): boolean {
  return isStored(row) && row.state !== notVerified;
}

/** The short view of four lines: profile, server, available secrets, and missing settings. */
function summaryLines(rows: readonly StatusRow[]): readonly Labelled[] {
  const valueOf = (setting: string): string | null =>
    rows.find((one) => one.setting === setting)?.value ?? null;
  const secrets = rows.filter(({ setting }) => ["password", "client_secret", "token"].includes(setting));
  const available = secrets.filter(isReady).map(sourceClause);
  const stored = secrets.filter((row) => isStored(row) && isReady(row));
  const broken = secrets
    .filter(({ isLost }) => isLost)
    .map(({ setting, state }) => `the ${setting.replace("_", " ")} (${state ?? ""})`);
  const isMissing = (setting: string): boolean =>
    !secrets.some((row) => row.setting === setting && isReady(row));
  const missing = [
    ...(valueOf("base_url") === null ? ["the base URL"] : []),
    ...(valueOf("username") !== null && isMissing("password")
      ? ["the password (commands prompt for it)"]
      : []),
    ...(valueOf("client_id") !== null && isMissing("client_secret") ? ["the client secret"] : []),
    ...broken,
  ];
  const user = [valueOf("username"), valueOf("client_id")].filter((name) => name !== null).join(", ");
  const baseUrl = valueOf("base_url");
  const server = baseUrl === null ? "not set" : `${baseUrl}, server type ${valueOf("server_type") ?? ""}`;
  const profile = rows.find(({ setting }) => setting === "profile");
  return [
    { label: "profile", lines: [[profile?.value, profile?.state].filter(Boolean).join(", ")] },
    { label: "server", lines: [`${server}${user === "" ? "" : `, for ${user}`}`] },
    { label: "secrets", lines: [available.length === 0 ? "none" : available.join("; ")] },
    ...(stored.length === 0 ? [] : [{ label: "verified", lines: stored.map(verifiedClause) }]),
    ...(missing.length === 0
      ? []
      : [{ label: "missing", lines: [`${missing.join(", ")}. Run \`grantctl auth login\`.`] }]),
  ];
}

/** Whether a stored secret is verified: `the password at …, by listing grants`, or the command that verifies it. */
function verifiedClause({ setting, state }: StatusRow): string {
  const what = `the ${setting.replace("_", " ")}`;
  return state === notVerified
    ? `${what} is not verified; ${howToVerify}`
    : `${what} ${state?.replace("verified ", "") ?? ""}`;
}

/** The source of a secret as a clause: `the password is kept in the keychain`. */
function sourceClause({ setting, source, chain }: StatusRow): string {
  const what = `the ${setting.replace("_", " ")}`;
  if (source === "keychain") return `${what} is kept in the keychain`;
  if (source === "file") return `${what} is kept in a file`;
  const name = chain.find((place) => place.source === source && place.state === "set")?.name ?? "";
  if (source === "profile") return `${what} comes from the profile's ${name}`;
  return `${what} comes from ${name === "" ? (source ?? "nowhere") : name}`;
}

/** The settings with a row of their own; those that lead to a secret are in the secret's row. */
function shownSettings({ serverType }: Context): readonly SettingName[] {
  return settingNames.filter((name) => {
    const { key, check, isForOauth } = settingTable[name];
    const isShown = key !== undefined && check !== checks.command && name !== "format";
    return isShown && (isForOauth === undefined || serverType.tokenPlace === "form");
  });
}

/** The rows; `hasCredentials` is true if commands can authenticate without a prompt. */
async function statusRows(
  context: Context,
): Promise<{ readonly rows: readonly StatusRow[]; readonly hasCredentials: boolean }> {
  const { profile, configuration } = context.configured;
  const { username, clientId } = context.settings;
  const password = await secretRow("password", username?.value, context);
  const clientSecret = await secretRow("client-secret", clientId?.value, context);
  const token = await secretRow("token", context.server.logins.tokenUser() ?? undefined, context);
  const hasCredentials =
    (username !== undefined && isReady(password)) ||
    (clientId !== undefined && isReady(clientSecret)) ||
    isReady(token);
  const rows: StatusRow[] = [
    {
      setting: "profile",
      value: profile.name,
      source: profile.source === "profile" ? "default_profile" : profile.source,
      state: profile.exists ? null : "not in the configuration",
      isLost: false,
      chain: [],
    },
    {
      setting: "configuration",
      value: configuration.path,
      source: null,
      state: null,
      isLost: false,
      chain: [],
    },
    ...shownSettings(context).map((name) => settingRow(name, context)),
    password,
    clientSecret,
    token,
    otpRow(context),
  ];
  return { rows, hasCredentials };
}

/** The row of a setting, under its name in a profile (`base_url`). */
function settingRow(name: SettingName, context: Context): StatusRow {
  const { options, host, configured } = context;
  const candidates = candidatesOf(name, {
    options,
    environment: host.environment,
    profile: configured.profile.values,
  });
  const isElsewhere = ({ source }: Candidate): boolean =>
    source === "profile" && !isProfileFor(name, context);
  const winner = candidates.find((candidate) => candidate.value !== null && !isElsewhere(candidate));
  return {
    setting: name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    // A header may hold a secret, such as a gateway's key.
    value: (name === "headers" ? winner?.value?.replaceAll(/:.*/g, ": …") : winner?.value) ?? null,
    source: winner?.source ?? null,
    state: null,
    isLost: false,
    chain: candidates.map((candidate) => ({
      source: candidate.source,
      name: candidate.name,
      state: candidate.value === null ? "unset" : isElsewhere(candidate) ? "elsewhere" : "set",
    })),
  };
}

/** Settings of a profile that are only for the profile's own server. */
const ofOwnServer: readonly SettingName[] = ["clientCert", "clientKey", "allowHttp", "headers"];

/** True if the profile's value applies: some are for its server, and its one-time passwords for its user there. */
function isProfileFor(name: SettingName, { server: { logins }, settings }: Context): boolean {
  if (name === "otpCommand") return logins.isProfileFor(settings.username?.value ?? "");
  return !ofOwnServer.includes(name) || logins.isProfileForOrigin();
}

function otpRow(context: Context): StatusRow {
  const chain: readonly CredentialSource[] = [
    ...settingRow("otp", context).chain,
    ...settingRow("otpCommand", context).chain,
    { source: "prompt", name: "", state: "set" },
  ];
  return {
    setting: "otp",
    value: null,
    source: chain.find(({ state }) => state === "set")?.source ?? null,
    state: null,
    isLost: false,
    chain,
  };
}

/** The row of a secret, which never holds the secret itself; `user` is its owner, absent if that is not known. */
async function secretRow(kind: SecretKind, user: string | undefined, context: Context): Promise<StatusRow> {
  const sources = context.server.logins.secretSources(kind, user ?? "");
  const winner = sources.find(({ state }) => state === "set");
  const isFromStore = winner?.source === "keychain" || winner?.source === "file";
  const problem = isFromStore ? await whyLost(winner.read) : null;
  const known = winner?.verified ?? null;
  const mark = known === null ? notVerified : `verified ${known}`;
  return {
    setting: kind.replace("-", "_"),
    value: null,
    source: winner?.source ?? null,
    state: isFromStore ? (problem ?? mark) : null,
    isLost: problem !== null,
    chain: sources.map(({ source, name, state }) => ({ source, name, state })),
  };
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

/** A source that was checked. */
interface CredentialSource {
  /** Flag, environment, profile, keychain, file, prompt or default. */
  readonly source: string;
  /** The flag, variable or key; empty if the source has no name. */
  readonly name: string;
  /** `elsewhere`: found, but for another server or user. */
  readonly state: "set" | "unset" | "elsewhere";
}

/** A part of the credentials, and its source. */
interface StatusRow {
  readonly setting: string;
  /** Null if there is none, and always for secrets. */
  readonly value: string | null;
  readonly source: string | null;
  /** Of a stored secret: when and how it was verified, or why it cannot be read. */
  readonly state: string | null;
  /** True for a stored secret that cannot be read. */
  readonly isLost: boolean;
  /** Every source, in the order in which they are checked. */
  readonly chain: readonly CredentialSource[];
}

/** A row as it is published: the value or the state of a stored secret, and the source. */
interface PublishedRow {
  readonly name: string;
  readonly value: string | null;
  readonly source: string | null;
}

function publishedRow({ setting, value, source, state }: StatusRow): PublishedRow {
  return { name: setting, value: value ?? state, source };
}

const statusPresentation: Presentation<PublishedRow> = {
  fields: ["name", "value", "source"] satisfies readonly FieldOf<PublishedRow>[],
  columns: [
    column("NAME", "name", { minimum: 14 }),
    column("VALUE", "value"),
    column("SOURCE", "source", { priority: 2 }),
  ],
};

/** True if a secret is available without a prompt. */
function isReady({ source, isLost }: StatusRow): boolean {
  return source !== null && source !== "prompt" && !isLost;
}

const notVerified = "not verified";

/** A row for a person: its value and source, followed by every source that was checked. */
function describeRow(row: StatusRow): Labelled {
  const { setting, value, source, state } = row;
  const known = [value, state].filter((part) => part !== null).join(", ");
  const from = source === null || source === value ? "" : `from ${source}`;
  const first = [known, known === "" ? from : from === "" ? "" : `(${from})`]
    .filter((part) => part !== "")
    .join(" ");
  return {
    label: setting,
    lines: [first === "" ? "not set" : first, ...(row.chain.length === 0 ? [] : [describeChain(row)])],
  };
}

function describeChain({ chain }: StatusRow): string {
  return chain.map(describeSource).join(" > ");
}

function describeSource({ source, name, state }: CredentialSource): string {
  const place = source === "profile" ? `profile's ${name}` : name === "" ? source : name;
  return { set: `[${place}]`, unset: place, elsewhere: `${place} (elsewhere)` }[state];
}
