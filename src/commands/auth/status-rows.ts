// The parts of a run's credentials (address, user name, password, ...), each a row with the places where it is looked
// for.
import { fieldsOf, list, objectWith, orNull, text, word, type TypeOf } from "../../output/json-schema.ts";
import { candidatesOf, type Candidate, type SettingName } from "../../config/settings.ts";
import type { SecretKind } from "../../config/configuration.ts";
import type { Context } from "../../run/context.ts";
import { isFailure } from "../../errors/errors.ts";
import type { Labelled } from "../../output/labelled-lines.ts";
import type { Presentation } from "../../output/presentation.ts";

const placeSchema = objectWith("Place", "One place that was looked at.", {
  source: text("flag, environment, profile, keychain, file, prompt or default"),
  name: text("the flag, variable or key; empty where the source says it all"),
  state: word("elsewhere: there, but for another address or user", "set", "unset", "elsewhere"),
});

export const statusRowSchema = objectWith("Setting", "A part of the credentials, and where it comes from.", {
  setting: text("which part"),
  value: orNull(text("its value; null where there is none, and always for secrets")),
  source: orNull(text("where it comes from; null where nowhere")),
  state: orNull(text("what is known of a secret that is stored")),
  chain: list(placeSchema, "every place, in the order they are looked at"),
});

/** One place that was looked at. */
export type Place = TypeOf<typeof placeSchema>;

export type StatusRow = TypeOf<typeof statusRowSchema>;

export const statusPresentation: Presentation<StatusRow> = {
  fields: fieldsOf(statusRowSchema),
  columns: [
    { title: "SETTING", text: (row) => row.setting, minimum: 14 },
    { title: "VALUE", text: (row) => row.value ?? row.state ?? "" },
    { title: "FROM", text: (row) => row.source ?? "", priority: 2 },
    { title: "CHAIN", text: describeChain, priority: 3 },
  ],
};

const shown: readonly (readonly [string, SettingName])[] = [
  ["base_url", "baseUrl"],
  ["operator", "operator"],
  ["header_word", "headerWord"],
  ["ca_cert", "caCert"],
  ["client_cert", "clientCert"],
  ["username", "username"],
  ["client_id", "clientId"],
];

/** The rows, and whether an account or an application could act without a question. */
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

/** Whether a secret is there without a question. */
export function isReady({ source, state }: StatusRow): boolean {
  return source !== null && source !== "prompt" && (state === null || state === keptState);
}

/** What is known of a secret that its store still has. */
const keptState = "kept";

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

/** Whether the profile's value counts here: its certificate and one-time passwords are for its own address alone. */
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

/** Whether a store still has what it was given. */
async function stateOf(read: () => Promise<string>): Promise<string> {
  try {
    await read();
    return keptState;
  } catch (error) {
    if (!isFailure(error)) throw error;
    return error.message;
  }
}

/** A row for a person: what it is and where from, and below it the chain. */
export function describeRow(row: StatusRow): Labelled {
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
  return chain.map(describePlace).join(" > ");
}

function describePlace({ source, name, state }: Place): string {
  const place = source === "profile" ? `profile's ${name}` : name === "" ? source : name;
  return { set: `[${place}]`, unset: place, elsewhere: `${place} (elsewhere)` }[state];
}
