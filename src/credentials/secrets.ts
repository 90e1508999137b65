// One chain for every secret: standard input, the environment, a command of the profile, the store, a hidden prompt. The
// first place that has the secret is used. A place that fails ends the run; the next one is never tried in its stead.
//
// Nothing of one profile serves another: a stored secret is found by profile, base URL, kind and name, and the settings
// leave out a command whose profile is for another base URL or name. A command runs without a shell and with a time
// limit. Its standard error is passed through, and it keeps the terminal, so that it can prompt for a passphrase.
import { splitCommand } from "../config/command-words.ts";
import {
  isSameKey,
  type SecretKind,
  type SecretStoreName,
  type StoredSecret,
} from "../config/configuration.ts";
import type { SettingName, Settings } from "../config/settings.ts";
import { Failure, usageFailure } from "../errors/errors.ts";
import { capitalised } from "../errors/words.ts";
import type { Prompter } from "../prompt/prompter.ts";
import type { ServerType } from "../server-types.ts";
import { secretFrom, type StandardInput } from "./standard-input.ts";

export interface SecretSources {
  readonly settings: Settings;
  readonly isPiped: Readonly<Partial<Record<SecretKind, boolean>>>;
  readonly standardInput: StandardInput;
  readonly prompter: Prompter;
  readonly profile: string;
  /** With its path; empty if none is configured. */
  readonly baseUrl: () => string;
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
    more: { flag: "--password-stdin", key: "password_command", command: "passwordCommand" },
  },
  "client-secret": {
    label: "client secret",
    nameKey: "client_id",
    variable: "GRANTCTL_CLIENT_SECRET",
    setting: "clientSecret",
    login: "grantctl auth login --app",
    more: { flag: "--client-secret-stdin", key: "client_secret_command", command: "clientSecretCommand" },
  },
  token: {
    label: "token",
    nameKey: "username",
    variable: "GRANTCTL_TOKEN",
    setting: "token",
    login: "grantctl auth login --with-token",
  },
};

/** How to verify a stored client secret; other secrets are stored only when they are verified. */
export function hintToVerify({ publishesMetadata }: Pick<ServerType, "publishesMetadata">): string {
  return publishesMetadata
    ? "The server did not verify it by introspection; to try again, run `grantctl auth login --app`."
    : "To verify it, run `grantctl auth login --app --proof-token-file active.txt` with one of the application's active tokens in that file.";
}

export function createSecrets(sources: SecretSources) {
  const { settings, isPiped, standardInput, prompter, profile, baseUrl, storedSecrets } = sources;

  /** The failure for a secret that no place has; `why` nobody typed it. */
  const missing = (kind: SecretKind, name: string, why?: string): Failure => {
    const { label, variable, login, more } = secretTraits[kind];
    const other = storedSecrets.find(
      (stored) =>
        stored.profile === profile && stored.kind === kind && (more === undefined || stored.name === name),
    );
    const where = other === undefined ? "" : ` for ${baseUrl()}: the stored one is for ${other.baseUrl}`;
    const ways = more === undefined ? "" : `, use ${more.flag}`;
    return missingFailure(
      `no ${label} configured${where}${why === undefined ? "" : `, and ${why}`}`,
      `Run \`${login}\` to store it${ways}, or set ${variable}.`,
    );
  };

  /** The places of a secret, in the order in which they are tried. A profile has one token, whatever its name. */
  const places = (kind: SecretKind, name: string): readonly SecretPlace[] => {
    const { label, variable, setting, login, more } = secretTraits[kind];
    const given = settings[setting];
    const stored = storedSecrets.find((secret) =>
      isSameKey(secret, { profile, baseUrl: baseUrl(), kind, name: more === undefined ? secret.name : name }),
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
      async read() {
        const secret = stored === undefined ? null : await sources.readStored(stored);
        if (secret !== null) return secret;
        throw missingFailure(
          `the ${label} stored for ${stored?.name} at ${stored?.baseUrl} is no longer in the ${stored?.store}`,
          `Run \`${login}\` to store it again.`,
        );
      },
    };
    if (more === undefined) return [environment, store];
    const line = settings[more.command];
    const prompt = (): Promise<string> =>
      prompter.askSecret(`${capitalised(label)} of ${name} at ${baseUrl()}:`, (why) =>
        missing(kind, name, why),
      );
    return [
      {
        source: "flag",
        name: more.flag,
        isSet: isPiped[kind] === true,
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
  };

  return {
    places,
    /** The secret of the first place that has it. Throws an authentication failure if there is none. */
    async read(kind: SecretKind, name: string): Promise<string> {
      const place = places(kind, name).find(({ isSet }) => isSet);
      if (place === undefined) throw missing(kind, name);
      return readSome(kind, place);
    },
    /** A secret for a login, which replaces a stored one. */
    async takeNew(kind: SecretKind, name: string) {
      const place = places(kind, name).find(({ isSet, stored }) => isSet && stored === undefined);
      if (place === undefined) throw missing(kind, name);
      return { secret: await readSome(kind, place), isFromCommand: place.source === "profile" };
    },
    /** Asks for the user name or the client ID, if it is configured nowhere. */
    askName(key: "username" | "client_id"): Promise<string> {
      const [label, question, ways] =
        key === "username"
          ? (["user name", "User name", "--username or GRANTCTL_USERNAME"] as const)
          : (["client ID", "Client ID of the application", "--client-id or GRANTCTL_CLIENT_ID"] as const);
      const { login } = secretTraits[key === "username" ? "password" : "client-secret"];
      return prompter.askText(`${question} at ${baseUrl()}:`, (why) =>
        missingFailure(`no ${label} configured, and ${why}`, `Set ${ways}, or run \`${login}\`.`),
      );
    },
  };
}

async function readSome(kind: SecretKind, place: SecretPlace): Promise<string> {
  const secret = await place.read();
  if (secret === "") throw usageFailure(`the ${secretTraits[kind].label} is empty`);
  return secret;
}

function missingFailure(what: string, hint: string): Failure {
  return new Failure("authentication", what, { hint });
}

const maxOutputBytes = 64 * 1024;

/** Long enough for a person to touch a hardware key or to type a passphrase. */
const timeoutMs = 60_000;

interface SecretCommandOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
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
  const { runProgram } = await import("../system/run-program.ts");
  const chunks: Buffer[] = [];
  let size = 0;
  const problem = await runProgram(words, {
    ...options,
    timeoutMs,
    onOutput(chunk) {
      size += chunk.length;
      if (size <= maxOutputBytes) chunks.push(chunk);
    },
  });
  const fail = (what: string, cause?: unknown): Failure =>
    new Failure("authentication", `the command ${words[0]} ${what}`, { cause });
  if (problem !== null) throw fail(problem.what, problem.cause);
  if (size > maxOutputBytes) throw fail("printed more than 64 KiB");
  const line = /^\uFEFF?([^\r\n]*)/.exec(Buffer.concat(chunks).toString())?.[1] ?? "";
  if (line === "") throw fail("printed nothing");
  return line;
}
