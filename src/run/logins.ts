// The logins of a run: the user or application that it acts as, and where its password, secret or token is. Stores (the
// keychain and the file) are loaded, and their programs and commands started, only when a secret is needed from them.
import type { SecretKind, SecretStoreName } from "../config/configuration.ts";
import { configurationFolder, trustOf } from "../config/folders.ts";
import { checkClientId } from "../config/settings.ts";
import type { SecretStore } from "../credentials/file-store.ts";
import { createOneTimePasswords } from "../credentials/one-time-passwords.ts";
import {
  askName,
  missingSecret,
  readSecret,
  runSecretCommand,
  secretPlaces,
  type SecretPlace,
  type SecretSources,
} from "../credentials/secrets.ts";
import { usageFailure, type Failure } from "../errors/errors.ts";
import type { BasicCredentials } from "../http/authorization.ts";
import type { OneTimePasswords } from "../http/one-time-password.ts";
import type { RunParts } from "./run-parts.ts";

/** Long enough for a person to touch a hardware key or to type a passphrase. */
const commandTimeoutMs = 60_000;

/** Opens nothing yet. `baseUrl` is empty if none is configured; it throws a usage failure if it is invalid. */
export function createLogins(run: RunParts, baseUrl: () => string) {
  const { host, options, settings, standardInput, prompter } = run;
  const { profile, configuration } = run.configured;

  const runCommand = (words: readonly [string, ...string[]]): Promise<string> =>
    runSecretCommand(words, {
      environment: host.childEnvironment,
      platform: host.platform,
      timeoutMs: commandTimeoutMs,
      // Piped input is for grantctl itself, so a command that prints a secret must not read it.
      input: host.stdin.isTerminal ? "inherit" : "ignore",
    });

  const sources = (): SecretSources => ({
    settings,
    isPiped: {
      password: options.passwordStdin === true,
      "client-secret": options.clientSecretStdin === true,
    },
    standardInput,
    prompter,
    profile: profile.name,
    baseUrl: baseUrl(),
    runCommand,
    storedSecrets: configuration.storedSecrets,
    readStored: async (secret) => (await openStore(secret.store, run)).get(secret),
  });
  const read = async (kind: SecretKind, name: string): Promise<string> => {
    const secret = await readSecret(kind, name, sources());
    if (secret === null) throw missingSecret(kind, name, sources());
    return secret;
  };
  const username = async (): Promise<string> => {
    const name = settings.username?.value ?? (await askName("username", sources()));
    // It ends at the colon in Basic credentials (RFC 7617, section 2).
    if (name.includes(":"))
      throw usageFailure("the user name contains a colon, which Basic authentication does not allow");
    if (name === "") throw usageFailure("the user name is empty");
    return name;
  };

  return {
    username,
    async account(): Promise<BasicCredentials> {
      const name = await username();
      return { username: name, password: await read("password", name) };
    },
    /** The application's client ID, checked. */
    applicationClientId: async (): Promise<string> =>
      checkClientId(settings.clientId?.value ?? (await askName("client_id", sources())), settings),
    clientSecret: (clientId: string): Promise<string> => read("client-secret", clientId),
    /** The token to send, or null. */
    token: (): Promise<string | null> => readSecret("token", "", sources()),
    missingSecret: (kind: SecretKind, name: string, why?: string): Failure =>
      missingSecret(kind, name, sources(), why),
    /** The places of a secret, in order of precedence. */
    places: (kind: SecretKind, name: string): readonly SecretPlace[] => secretPlaces(kind, name, sources()),
    oneTimePasswords: (name: string): OneTimePasswords =>
      createOneTimePasswords({
        given: settings.otp?.value ?? null,
        command: settings.otpCommand?.value ?? null,
        runCommand,
        prompter,
        whose: `${name} at ${baseUrl()}`,
        redact: (code) => {
          run.redactor.add(code);
        },
        now: () => host.now(),
        wait: (milliseconds) => run.progress.wait(milliseconds),
      }),
    openStore: (name: SecretStoreName): Promise<SecretStore> => openStore(name, run),
  };
}

async function openStore(name: SecretStoreName, { host }: RunParts): Promise<SecretStore> {
  if (name === "keychain") {
    const { createKeychain } = await import("../credentials/keychain.ts");
    return createKeychain(host.keychainHelper, host.childEnvironment);
  }
  const { createFileStore } = await import("../credentials/file-store.ts");
  return createFileStore({
    folder: configurationFolder(host),
    trust: trustOf(host),
  });
}
