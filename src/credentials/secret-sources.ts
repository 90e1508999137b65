// The sources of a password, a client secret or a token, in the order in which they are tried. A profile's command and
// a stored secret are used only for one base URL, with its path, and one user name or client ID.
//
// A command that prints a secret runs without a shell and with a time limit. Its standard error is passed through, and
// it keeps the terminal, so that it can prompt for a passphrase.
import { isUtf8 } from "node:buffer";
import { splitCommand } from "../config/command-words.ts";
import {
  isSameKey,
  type SecretKey,
  type SecretKind,
  type SecretStoreName,
  type StoredSecret,
} from "../config/configuration.ts";
import type { ProfileValues, Setting, SettingName, Settings } from "../config/settings.ts";
import { Failure, usageFailure } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import { capitalised } from "../errors/words.ts";
import type { Prompter } from "../prompt/prompter.ts";
import { secretFrom, type StandardInput } from "./standard-input.ts";

export interface CredentialSources {
  readonly settings: Settings;
  readonly passwordFromStandardInput: boolean;
  readonly clientSecretFromStandardInput: boolean;
  readonly standardInput: StandardInput;
  readonly prompter: Prompter;
  /** The base URL of the run, with its path. */
  readonly baseUrl: string;
  readonly profileName: string;
  readonly profile: ProfileValues;
  /** True if the profile is for this run's base URL, or for any. */
  readonly isProfileForUrl: boolean;
  /** Runs a command and returns the line that it printed. */
  readonly runCommand: (words: readonly [string, ...string[]]) => Promise<string>;
  readonly storedSecrets: readonly StoredSecret[];
  /** Reads a secret from its store; null if the store no longer has it. */
  readonly readStored: (secret: StoredSecret) => Promise<string | null>;
}

interface SecretSource {
  readonly source: "flag" | "environment" | "profile" | SecretStoreName | "prompt";
  /** As in `GRANTCTL_PASSWORD`; empty if `source` is specific enough. */
  readonly name: string;
  /** elsewhere: set, but for another URL or user than this run's. */
  readonly state: "set" | "unset" | "elsewhere";
  /** Of a stored secret: when and how a server accepted it, or null. */
  readonly verified?: string | null;
  /** Reads the secret. Throws an authentication failure if that fails. */
  readonly read: () => Promise<string>;
}

interface SecretTraits {
  /** Its name in messages. */
  readonly what: string;
  readonly variable: string;
  /** The setting with the value of the variable. */
  readonly setting: SettingName;
  /** The flag of `auth login` that stores it, after a space. */
  readonly loginFlag: string;
  /** The other sources; absent for a secret that is never prompted for. */
  readonly source?: {
    readonly flag: string;
    /** The profile's command that prints it: its key, and its setting. */
    readonly command: "password_command" | "client_secret_command";
    readonly commandSetting: SettingName;
    /** The profile key with the owner of the secret that the command prints. */
    readonly owner: "username" | "client_id";
  };
}

const traitsByKind: Readonly<Record<SecretKind, SecretTraits>> = {
  password: {
    what: "password",
    variable: "GRANTCTL_PASSWORD",
    setting: "password",
    loginFlag: "",
    source: {
      flag: "--password-stdin",
      command: "password_command",
      commandSetting: "passwordCommand",
      owner: "username",
    },
  },
  "client-secret": {
    what: "client secret",
    variable: "GRANTCTL_CLIENT_SECRET",
    setting: "clientSecret",
    loginFlag: " --app",
    source: {
      flag: "--client-secret-stdin",
      command: "client_secret_command",
      commandSetting: "clientSecretCommand",
      owner: "client_id",
    },
  },
  token: { what: "token", variable: "GRANTCTL_TOKEN", setting: "token", loginFlag: " --with-token" },
};

/** The sources of one secret, in order of precedence. The last one is a prompt, except for tokens. */
export function secretSources(
  kind: SecretKind,
  user: string,
  sources: CredentialSources,
): readonly SecretSource[] {
  const { settings, standardInput, prompter, baseUrl, storedSecrets, readStored } = sources;
  const { what, variable, setting, source: more } = traitsByKind[kind];
  const given = settings[setting];
  const key: SecretKey = { profile: sources.profileName, baseUrl, kind, name: user };
  const stored = storedSecrets.find((other) => isSameKey(other, key));
  const isPiped =
    kind === "password" ? sources.passwordFromStandardInput : sources.clientSecretFromStandardInput;
  const promptForSecret = (): Promise<string> =>
    prompter.askSecret(`${capitalised(what)} of ${user} at ${baseUrl}:`, () =>
      missingSecretFailure(kind, user, sources),
    );
  const fromFlag = (flag: string): SecretSource => ({
    source: "flag",
    name: flag,
    state: isPiped ? "set" : "unset",
    // A terminal would echo the secret.
    read: async () =>
      standardInput.isTerminal
        ? promptForSecret()
        : secretFrom(await standardInput.read(`the ${what}`), what),
  });
  const fromEnvironment: SecretSource = {
    source: "environment",
    name: variable,
    state: given === undefined ? "unset" : "set",
    read: () => Promise.resolve(given?.value ?? ""),
  };
  const fromStore: SecretSource = {
    verified: stored?.verified ?? null,
    source: stored?.store ?? "keychain",
    name: "",
    state:
      stored !== undefined ? "set" : otherUrlOf(key, storedSecrets) === undefined ? "unset" : "elsewhere",
    read: async () =>
      (stored === undefined ? null : await readStored(stored)) ?? lostSecretFailure(key, stored?.store),
  };
  if (more === undefined) return [fromEnvironment, fromStore];
  const { flag, command, commandSetting, owner } = more;
  const line = settings[commandSetting];
  return [
    fromFlag(flag),
    fromEnvironment,
    {
      source: "profile",
      name: command,
      state: stateOfCommand(line, owner, user, sources),
      read: async () => sources.runCommand(splitCommand(line?.value ?? "")),
    },
    fromStore,
    { source: "prompt", name: "", state: "set", read: promptForSecret },
  ];
}

/** Reads the secret from the first source that is set. Throws an authentication failure if there is none. */
export async function readSecret(
  kind: SecretKind,
  user: string,
  sources: CredentialSources,
): Promise<string> {
  const source = secretSources(kind, user, sources).find(({ state }) => state === "set");
  const secret = (await source?.read()) ?? "";
  if (secret === "") throw usageFailure(`the ${traitsByKind[kind].what} is empty`);
  return secret;
}

function stateOfCommand(
  line: Setting | undefined,
  owner: "username" | "client_id",
  user: string,
  sources: CredentialSources,
): SecretSource["state"] {
  if (line === undefined) return "unset";
  const named = sources.profile[owner];
  return sources.isProfileForUrl && (named === undefined || named === user) ? "set" : "elsewhere";
}

/** The failure for a secret that is in the configuration's index, but not in its store. */
function lostSecretFailure({ name, baseUrl, kind }: SecretKey, store: SecretStoreName = "keychain"): never {
  throw new Failure(
    "authentication",
    `the ${traitsByKind[kind].what} stored for ${name} at ${baseUrl} is no longer in the ${store}`,
    { hint: `Run \`${loginCommand(kind)}\` to store it again.` },
  );
}

function loginCommand(kind: SecretKind): string {
  return `grantctl auth login${traitsByKind[kind].loginFlag}`;
}

function missingSecretFailure(kind: SecretKind, user: string, sources: CredentialSources): Failure {
  const { what, variable, source: more } = traitsByKind[kind];
  const other = otherUrlOf({ profile: sources.profileName, kind, name: user }, sources.storedSecrets);
  const isElsewhere = secretSources(kind, user, sources).some(({ state }) => state === "elsewhere");
  const why =
    other !== undefined
      ? ` of ${user} for ${sources.baseUrl}: the stored one is for ${other}`
      : isElsewhere
        ? ` of ${user} for ${sources.baseUrl}: the profile's command is for another URL or user`
        : "";
  const ways =
    more === undefined ? "Set " : `Run \`${loginCommand(kind)}\` to store it, use ${more.flag}, or set `;
  return new Failure("authentication", `no ${what} configured${why}`, { hint: `${ways}${variable}.` });
}

/** A base URL for which the profile's secret is stored; undefined if there is none. */
function otherUrlOf(
  { profile, kind, name }: Omit<SecretKey, "baseUrl">,
  storedSecrets: readonly StoredSecret[],
): string | undefined {
  return storedSecrets.find(
    (stored) => stored.profile === profile && stored.kind === kind && stored.name === name,
  )?.baseUrl;
}

const maxOutputBytes = 64 * 1024;

interface SecretCommandOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
  readonly timeoutMs: number;
  /** True if the command inherits standard input; otherwise it has none. */
  readonly sharesStandardInput: boolean;
}

/**
 * Runs a command and returns the first line of its output, without line break and byte order mark. Throws an
 * authentication failure that names the command if it fails, prints nothing, or takes too long.
 */
export async function runSecretCommand(
  words: readonly [string, ...string[]],
  { environment, platform, timeoutMs, sharesStandardInput }: SecretCommandOptions,
): Promise<string> {
  const { runProgram } = await import("../programs/run-program.ts");
  const chunks: Buffer[] = [];
  let size = 0;
  const problem = await runProgram(words, {
    environment,
    platform,
    timeoutMs,
    input: sharesStandardInput ? "inherit" : "ignore",
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
