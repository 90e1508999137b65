// Finds out for `grantctl auth status` where each part of the credentials (address, user name, password, ...) would
// come from, a row for each. Asks the stores whether they still have a secret, and sends nothing to the service.
import { candidatesOf, type Candidate, type SettingName } from "../../config/settings.ts";
import type { Context } from "../../run/context.ts";
import { isReady, type Place, type StatusRow, keptState } from "./status-row.ts";
import type { SecretKind } from "../../config/configuration.ts";
import { isFailure } from "../../errors/errors.ts";

const shown: readonly (readonly [string, SettingName])[] = [
  ["base_url", "baseUrl"],
  ["operator", "operator"],
  ["header_word", "headerWord"],
  ["ca_cert", "caCert"],
  ["client_cert", "clientCert"],
  ["username", "username"],
  ["client_id", "clientId"],
];

/** The rows, and whether the account or an application could act without asking the user. */
export async function statusRows(
  context: Context,
): Promise<{ readonly rows: readonly StatusRow[]; readonly hasCredentials: boolean }> {
  const { profile, configuration } = context.configured;
  const { username, clientId } = context.settings;
  const password = await secretRow("password", username?.value, context);
  const clientSecret = await secretRow("client-secret", clientId?.value, context);
  const token = await secretRow("token", context.address.logins.tokenUser() ?? undefined, context);
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
      chain: [],
    },
    { setting: "configuration", value: configuration.path, source: null, state: null, chain: [] },
    ...shown.map(([title, name]) => settingRow(title, name, context)),
    password,
    clientSecret,
    token,
    otpRow(context),
  ];
  return { rows, hasCredentials };
}

function settingRow(title: string, name: SettingName, context: Context): StatusRow {
  const { options, host, configured } = context;
  const candidates = candidatesOf(name, {
    options,
    environment: host.environment,
    profile: configured.profile.values,
  });
  const isElsewhere = ({ source }: Candidate): boolean =>
    source === "profile" && !isProfileFor(name, context);
  const winner = candidates.find((place) => place.value !== null && !isElsewhere(place));
  return {
    setting: title,
    value: winner?.value ?? null,
    source: winner?.source ?? null,
    state: null,
    chain: candidates.map((place) => ({
      source: place.source,
      name: place.name,
      state: place.value === null ? "unset" : isElsewhere(place) ? "elsewhere" : "set",
    })),
  };
}

/** Whether the profile's value is used: its certificate and one-time passwords are for the profile's address alone. */
function isProfileFor(name: SettingName, { address: { logins }, settings }: Context): boolean {
  if (name === "otpCommand") return logins.isProfileFor(settings.username?.value ?? "");
  return name !== "clientCert" || logins.isProfileForAddress();
}

/** One-time passwords: a code, a command that prints one, or a question. */
function otpRow(context: Context): StatusRow {
  const chain = [
    ...settingRow("", "otp", context).chain,
    ...settingRow("", "otpCommand", context).chain,
    ask,
  ];
  return {
    setting: "otp",
    value: null,
    source: chain.find(({ state }) => state === "set")?.source ?? null,
    state: null,
    chain,
  };
}

const ask: Place = { source: "prompt", name: "", state: "set" };

/** The row of a secret, which never holds the secret itself; `user` is its owner, absent where that is not known. */
async function secretRow(kind: SecretKind, user: string | undefined, context: Context): Promise<StatusRow> {
  const title = kind.replace("-", "_");
  const sources = context.address.logins.secretSources(kind, user ?? "");
  const winner = sources.find(({ state }) => state === "set");
  const isStored = winner?.source === "keychain" || winner?.source === "file";
  return {
    setting: title,
    value: null,
    source: winner?.source ?? null,
    state: isStored ? await stateOf(winner.read) : null,
    chain: sources.map(({ source, name, state }) => ({ source, name, state })),
  };
}

/** The state of a stored secret: whether its store still has it. */
async function stateOf(read: () => Promise<string>): Promise<string> {
  try {
    await read();
    return keptState;
  } catch (error) {
    if (!isFailure(error)) throw error;
    return error.message;
  }
}
