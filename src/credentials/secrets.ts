// One chain for every secret: standard input, the environment, a command of the profile, the store, a hidden prompt. The
// first place that has the secret is used. A place that fails ends the run; the next one is never tried in its place.
//
// Nothing of one profile serves another: a stored secret is found by profile, base URL, kind and name, and the settings
// leave out a command whose profile is for another base URL or name. A command runs without a shell and with a time
// limit. Its standard error is passed through, and it keeps the terminal, so that it can prompt for a passphrase.
import { splitCommand } from "../config/command-words.ts";
import { isSameKey } from "../config/stored-secrets.ts";
import type { SecretKind, SecretStoreName, StoredSecret } from "../config/stored-secrets.ts";
import { configurationFolder, trustOf } from "../config/folders.ts";
import { checkClientId, problemOf, settingTable } from "../config/settings.ts";
import { Failure, usageFailure } from "../errors/errors.ts";
import { capitalised } from "../errors/words.ts";
import type { Credentials } from "../http/authentication.ts";
import type { RunParts } from "../run/context.ts";
import type { ServerType } from "../server-types.ts";
import type { Host } from "../system/host.ts";
import type { OneTimePasswords } from "../http/otp-layer.ts";
import { createOneTimePasswords } from "./one-time-passwords.ts";
import { secretFrom } from "./standard-input.ts";
import type { SecretStore } from "./stores.ts";

/** The place of a secret: the first in the chain that has it. */
interface SecretPlace {
  readonly source: "flag" | "environment" | "profile" | SecretStoreName | "prompt" | "none";
  readonly stored?: StoredSecret;
  /** Throws an authentication failure if the place does not return the secret, a usage failure for a wrong input or file. */
  readonly read: () => Promise<string>;
}

/** In this chain, a token comes neither from standard input nor from a command; `auth login --with-token` reads its own. */
export const secretTraits = {
  password: {
    label: "password",
    nameKey: "username",
    setting: "password",
    flag: "passwordStdin",
    command: "passwordCommand",
    ways: "Run `grantctl auth login` to store it, use --password-stdin, or set GRANTCTL_PASSWORD.",
  },
  "client-secret": {
    label: "client secret",
    nameKey: "client_id",
    setting: "clientSecret",
    flag: "clientSecretStdin",
    command: "clientSecretCommand",
    ways: "Run `grantctl auth login --app` to store it, use --client-secret-stdin, or set GRANTCTL_CLIENT_SECRET.",
  },
  token: {
    label: "token",
    nameKey: "username",
    setting: "token",
    flag: null,
    command: null,
    ways: "Run `grantctl auth login --with-token` to store it, or set GRANTCTL_TOKEN.",
  },
} as const satisfies Record<SecretKind, unknown>;

/** How to verify a stored client secret; other secrets are stored only when they are verified. */
export function hintToVerify({ isOauth }: Pick<ServerType, "isOauth">): string {
  return isOauth
    ? "The server did not verify it by introspection; to try again, run `grantctl auth login --app`."
    : "To verify it, run `grantctl auth login --app --proof-token-file active.txt` with one of the application's active tokens in that file.";
}

export type Logins = ReturnType<typeof createLogins>;

/**
 * The logins of a run: the user or application that it acts as, and where its password, secret or token is. Opens nothing
 * yet. `baseUrl` has its path, is empty if none is configured, and throws a usage failure if it is invalid.
 */
export function createLogins(run: RunParts, baseUrl: () => string) {
  const { host, settings, options, standardInput, prompter } = run;

  /** Where a secret is; a prompt if it is nowhere else. For a new one, what is stored does not count. */
  function find(kind: SecretKind, name: string, isNew = false): SecretPlace {
    const { label, setting, flag, command, ways } = secretTraits[kind];
    if (isPublic(kind)) return { source: "none", read: () => Promise.resolve("") };
    const question = `${capitalised(label)}${name === "" ? "" : ` of ${name}`} at ${baseUrl()}:`;
    const prompt = (): Promise<string> => prompter.askSecret(question, (why) => missing(label, why, ways));
    if (flag !== null && options[flag] === true) {
      // A terminal would echo what is typed there.
      if (standardInput.isTerminal) return { source: "prompt", read: prompt };
      return {
        source: "flag",
        read: async () => secretFrom(await standardInput.read(`the ${label}`), label),
      };
    }
    const { value } = settings[setting] ?? {};
    if (value !== undefined) return { source: "environment", read: () => Promise.resolve(value) };
    const line = command === null ? undefined : settings[command];
    if (line !== undefined)
      return { source: "profile", read: async () => runSecretCommand(splitCommand(line.value), host) };
    const stored = isNew ? undefined : storedFor(kind, name);
    if (stored !== undefined) return { source: stored.store, stored, read: () => readStored(stored) };
    return { source: "prompt", read: prompt };
  }

  /** True for the secret of a public client, which has none. */
  function isPublic(kind: SecretKind): boolean {
    return kind === "client-secret" && settings.clientAuth?.value === "none";
  }

  function storedFor(kind: SecretKind, name: string): StoredSecret | undefined {
    const { profile, configuration } = run.configured;
    return configuration.storedSecrets.find((secret) => {
      // A profile has one token, whoever's it is.
      const owner = kind === "token" ? secret.name : name;
      return isSameKey(secret, { profile: profile.name, base_url: baseUrl(), kind, name: owner });
    });
  }

  async function readStored(stored: StoredSecret): Promise<string> {
    const secret = await (await openStore(stored.store)).get(stored);
    if (secret !== null) return secret;
    const { label, ways } = secretTraits[stored.kind];
    throw new Failure(
      "authentication",
      `the ${label} stored for ${stored.name} at ${stored.base_url} is no longer in the ${stored.store}`,
      { hint: ways },
    );
  }

  async function openStore(name: SecretStoreName): Promise<SecretStore> {
    const { createFileStore, createKeychain } = await import("./stores.ts");
    return name === "keychain"
      ? createKeychain(host)
      : createFileStore(configurationFolder(host), trustOf(host));
  }

  async function read(kind: SecretKind, name: string, isNew = false): Promise<string> {
    const secret = await find(kind, name, isNew).read();
    if (secret === "" && !isPublic(kind)) throw usageFailure(`the ${secretTraits[kind].label} is empty`);
    return secret;
  }

  async function username(): Promise<string> {
    const ways = "Run `grantctl auth login`, or add --username.";
    const name = settings.username?.value ?? (await askName("user name", ways));
    const problem = problemOf(settingTable.username, name);
    if (problem !== null) throw usageFailure(`the user name ${problem}`);
    return name;
  }

  async function clientId(): Promise<string> {
    const ways = "Run `grantctl auth login --app`, or add --client-id.";
    return checkClientId(settings.clientId?.value ?? (await askName("client ID", ways)), settings);
  }

  function askName(label: string, ways: string): Promise<string> {
    const question = `${capitalised(label)} at ${baseUrl()}:`;
    return prompter.askText(question, (why) => missing(label, why, ways));
  }

  return {
    find,
    openStore,
    /**
     * The account or the application that the run acts as; `wanted` names another application. Throws an authentication
     * failure if something is nowhere and nobody can be asked.
     */
    async credentials(
      kind: "password" | "client-secret",
      { isNew = false, wanted = null }: { readonly isNew?: boolean; readonly wanted?: string | null } = {},
    ): Promise<Credentials> {
      const name = wanted ?? (await (kind === "password" ? username() : clientId()));
      const secret = await read(kind, name, isNew);
      run.redactor.addSecret(secret);
      return { name, secret };
    },
    hasToken: (): boolean => find("token", "").source !== "prompt",
    token: (): Promise<string> => read("token", ""),
    oneTimePasswords: (owner: string): OneTimePasswords =>
      createOneTimePasswords(run, `${owner} at ${baseUrl()}`, (words) => runSecretCommand(words, host)),
  };
}

function missing(what: string, why: string, hint: string): Failure {
  return new Failure("authentication", `no ${what} configured, and ${why}`, { hint });
}

/** Long enough for a person to touch a hardware key or to type a passphrase. */
const timeoutMs = 60_000;

/**
 * Runs a command and returns the first line of its output, without line break and byte order mark. Throws an
 * authentication failure that names the command if it fails, prints nothing, or takes too long.
 */
async function runSecretCommand(
  words: readonly [string, ...string[]],
  { childEnvironment, stdin }: Pick<Host, "childEnvironment" | "stdin">,
): Promise<string> {
  const { runProgram } = await import("../system/programs.ts");
  const { output, problem, cause } = await runProgram(words, {
    environment: childEnvironment,
    // Piped input is for grantctl itself.
    input: stdin.isTerminal ? "inherit" : "ignore",
    timeoutMs,
    errors: "inherit",
  });
  const line = /^\uFEFF?([^\r\n]*)/.exec(output)?.[1] ?? "";
  const what = problem ?? (line === "" ? "printed nothing" : null);
  if (what !== null) throw new Failure("authentication", `the command ${words[0]} ${what}`, { cause });
  return line;
}
