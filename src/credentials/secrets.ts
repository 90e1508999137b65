// One chain for every secret: standard input, the environment, a command of the profile, the store, a hidden prompt. The
// first place that has the secret is used. A place that fails ends the run; the next one is never tried in its stead.
//
// Nothing of one profile serves another: a stored secret is found by profile, base URL, kind and name, and the settings
// leave out a command whose profile is for another base URL or name. A command runs without a shell and with a time
// limit. Its standard error is passed through, and it keeps the terminal, so that it can prompt for a passphrase.
import { isUtf8 } from "node:buffer";
import { splitCommand } from "../config/command-words.ts";
import {
  isSameKey,
  type SecretKind,
  type SecretStoreName,
  type StoredSecret,
} from "../config/configuration.ts";
import type { SettingName, Settings } from "../config/settings.ts";
import { Failure, usageFailure } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import { capitalised } from "../errors/words.ts";
import type { Prompter } from "../prompt/prompter.ts";
import { secretFrom, type StandardInput } from "./standard-input.ts";

export interface SecretSources {
  readonly settings: Settings;
  readonly isPiped: Readonly<Partial<Record<SecretKind, boolean>>>;
  readonly standardInput: StandardInput;
  readonly prompter: Prompter;
  readonly profile: string;
  /** With its path; empty if none is configured. */
  readonly baseUrl: string;
  /** Runs a command and returns the line that it printed. */
  readonly runCommand: (words: readonly [string, ...string[]]) => Promise<string>;
  readonly storedSecrets: readonly StoredSecret[];
  /** Reads a secret from its store; null if the store no longer has it. */
  readonly readStored: (secret: StoredSecret) => Promise<string | null>;
}

/** A place that may have a secret. */
export interface SecretPlace {
  readonly source: "flag" | "environment" | "profile" | SecretStoreName | "prompt";
  /** As in `GRANTCTL_PASSWORD`; empty if `source` is specific enough. */
  readonly name: string;
  readonly isSet: boolean;
  /** The index entry of a stored secret. */
  readonly stored?: StoredSecret | undefined;
  /** Throws an authentication failure if the place does not return the secret. */
  readonly read: () => Promise<string>;
}

interface Traits {
  /** As in messages. */
  readonly label: string;
  /** The profile key with the name that the secret belongs to. */
  readonly nameKey: "username" | "client_id";
  readonly variable: string;
  /** The setting with the value of the variable. */
  readonly setting: SettingName;
  /** The command that stores it. */
  readonly login: string;
  /** The command that verifies a stored one. */
  readonly verify: string;
  /** What a token lacks: it is never on standard input, printed by a command, or prompted for. */
  readonly more?: { readonly flag: string; readonly key: string; readonly command: SettingName };
}

export const secretTraits: Readonly<Record<SecretKind, Traits>> = {
  password: {
    label: "password",
    nameKey: "username",
    variable: "GRANTCTL_PASSWORD",
    setting: "password",
    login: "grantctl auth login",
    verify: "grantctl auth login",
    more: { flag: "--password-stdin", key: "password_command", command: "passwordCommand" },
  },
  "client-secret": {
    label: "client secret",
    nameKey: "client_id",
    variable: "GRANTCTL_CLIENT_SECRET",
    setting: "clientSecret",
    login: "grantctl auth login --app",
    verify: "grantctl auth login --app --proof-token-file active.txt",
    more: { flag: "--client-secret-stdin", key: "client_secret_command", command: "clientSecretCommand" },
  },
  token: {
    label: "token",
    nameKey: "username",
    variable: "GRANTCTL_TOKEN",
    setting: "token",
    login: "grantctl auth login --with-token",
    verify: "grantctl auth login --with-token",
  },
};

/** The places of a secret, in the order in which they are tried. A profile has one token, whatever its name. */
export function secretPlaces(kind: SecretKind, name: string, sources: SecretSources): readonly SecretPlace[] {
  const { settings, standardInput, profile, baseUrl } = sources;
  const { label, variable, setting, more } = secretTraits[kind];
  const given = settings[setting];
  const stored = sources.storedSecrets.find((secret) =>
    isSameKey(secret, { profile, baseUrl, kind, name: kind === "token" ? secret.name : name }),
  );
  const environment: SecretPlace = {
    source: "environment",
    name: variable,
    isSet: given !== undefined,
    read: () => Promise.resolve(given?.value ?? ""),
  };
  const store: SecretPlace = {
    source: stored?.store ?? "keychain",
    name: "",
    isSet: stored !== undefined,
    stored,
    read: async () => (stored === undefined ? null : await sources.readStored(stored)) ?? lost(kind, stored),
  };
  if (more === undefined) return [environment, store];
  const line = settings[more.command];
  const prompt = (): Promise<string> =>
    sources.prompter.askSecret(`${capitalised(label)} of ${name} at ${baseUrl}:`, (why) =>
      missingSecret(kind, name, sources, why),
    );
  return [
    {
      source: "flag",
      name: more.flag,
      isSet: sources.isPiped[kind] === true,
      // A terminal would echo the secret.
      read: async () =>
        standardInput.isTerminal ? prompt() : secretFrom(await standardInput.read(`the ${label}`), label),
    },
    environment,
    {
      source: "profile",
      name: more.key,
      isSet: line !== undefined,
      read: async () => sources.runCommand(splitCommand(line?.value ?? "")),
    },
    store,
    { source: "prompt", name: "", isSet: true, read: prompt },
  ];
}

/** Reads a secret from the first place that has it; null if there is none. */
export async function readSecret(
  kind: SecretKind,
  name: string,
  sources: SecretSources,
): Promise<string | null> {
  const secret = await secretPlaces(kind, name, sources)
    .find(({ isSet }) => isSet)
    ?.read();
  if (secret === "") throw usageFailure(`the ${secretTraits[kind].label} is empty`);
  return secret ?? null;
}

/** Asks for the user name or the client ID, if it is configured nowhere. */
export function askName(
  key: "username" | "client_id",
  { prompter, baseUrl }: SecretSources,
): Promise<string> {
  const [label, question, places] =
    key === "username"
      ? (["user name", "User name", "--username or GRANTCTL_USERNAME"] as const)
      : (["client ID", "Client ID of the application", "--client-id or GRANTCTL_CLIENT_ID"] as const);
  const { login } = secretTraits[key === "username" ? "password" : "client-secret"];
  return prompter.askText(`${question} at ${baseUrl}:`, (why) =>
    missing(`no ${label} configured, and ${why}`, `Set ${places}, or run \`${login}\`.`),
  );
}

/** The failure for a secret that no place has; `why` nobody typed it. */
export function missingSecret(
  kind: SecretKind,
  name: string,
  { storedSecrets, profile, baseUrl }: SecretSources,
  why?: string,
): Failure {
  const { label, variable, login, more } = secretTraits[kind];
  const other = storedSecrets.find(
    (stored) =>
      stored.profile === profile && stored.kind === kind && (more === undefined || stored.name === name),
  );
  const where = other === undefined ? "" : ` for ${baseUrl}: the stored one is for ${other.baseUrl}`;
  const ways = more === undefined ? "" : `, use ${more.flag}`;
  return missing(
    `no ${label} configured${where}${why === undefined ? "" : `, and ${why}`}`,
    `Run \`${login}\` to store it${ways}, or set ${variable}.`,
  );
}

function missing(what: string, hint: string): Failure {
  return new Failure("authentication", what, { hint });
}

/** Throws the failure for a secret that is in the configuration's index, but not in its store. */
function lost(kind: SecretKind, stored: StoredSecret | undefined): never {
  const { label, login } = secretTraits[kind];
  throw missing(
    `the ${label} stored for ${stored?.name} at ${stored?.baseUrl} is no longer in the ${stored?.store}`,
    `Run \`${login}\` to store it again.`,
  );
}

const maxOutputBytes = 64 * 1024;

interface SecretCommandOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
  readonly timeoutMs: number;
  /** The command's standard input: that of grantctl, or nothing. */
  readonly input: "inherit" | "ignore";
}

/**
 * Runs a command and returns the first line of its output, without line break and byte order mark. Throws an
 * authentication failure that names the command if it fails, prints nothing, or takes too long.
 */
export async function runSecretCommand(
  words: readonly [string, ...string[]],
  options: SecretCommandOptions,
): Promise<string> {
  const { runProgram } = await import("../programs/run-program.ts");
  const chunks: Buffer[] = [];
  let size = 0;
  const problem = await runProgram(words, {
    ...options,
    onOutput(chunk) {
      size += chunk.length;
      if (size <= maxOutputBytes) chunks.push(chunk);
    },
  });
  const fail = (what: string, cause?: unknown): Failure =>
    new Failure("authentication", `the command ${foreign(words[0])} ${what}`, { cause });
  if (problem !== null) throw fail(problem.what, problem.cause);
  if (size > maxOutputBytes) throw fail("printed more than 64 KiB");
  const output = Buffer.concat(chunks);
  if (!isUtf8(output)) throw fail("printed text that is not UTF-8");
  const line = /^\uFEFF?([^\r\n]*)/.exec(output.toString("utf8"))?.[1] ?? "";
  if (line === "") throw fail("printed nothing");
  return line;
}
