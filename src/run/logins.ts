// The logins of a run: the user or application that it acts as, and where its password, secret or token is. Stores (the
// keychain and the file) are loaded, and their programs and commands started, only when a secret is needed from them.
import type { SecretStoreName } from "../config/configuration.ts";
import { configurationFolder, trustOf } from "../config/folders.ts";
import { checkClientId, problemOf, settingTable } from "../config/settings.ts";
import type { SecretStore } from "../credentials/stores.ts";
import { createOneTimePasswords } from "../credentials/one-time-passwords.ts";
import { createSecrets, runSecretCommand } from "../credentials/secrets.ts";
import { usageFailure } from "../errors/errors.ts";
import type { BasicCredentials } from "../http/authorization.ts";
import type { OneTimePasswords } from "../http/one-time-password.ts";
import type { RunParts } from "./run-parts.ts";

/** Opens nothing yet. `baseUrl` is empty if none is configured; it throws a usage failure if it is invalid. */
export function createLogins(run: RunParts, baseUrl: () => string) {
  const { host, options, settings, standardInput, prompter } = run;
  const { profile, configuration } = run.configured;

  const openStore = async (name: SecretStoreName): Promise<SecretStore> => {
    const { createFileStore, createKeychain } = await import("../credentials/stores.ts");
    return name === "keychain"
      ? createKeychain(host.keychainHelper, host.childEnvironment)
      : createFileStore(configurationFolder(host), trustOf(host));
  };
  const runCommand = (words: readonly [string, ...string[]]): Promise<string> =>
    runSecretCommand(words, host);
  const secrets = createSecrets({
    settings,
    options,
    standardInput,
    prompter,
    profile: profile.name,
    baseUrl,
    runCommand,
    storedSecrets: configuration.storedSecrets,
    readStored: async (secret) => (await openStore(secret.store)).get(secret),
  });
  const username = async (): Promise<string> => {
    const name = settings.username?.value ?? (await secrets.askName("password"));
    const problem = problemOf(settingTable.username, name);
    if (problem !== null) throw usageFailure(`the user name ${problem}`);
    return name;
  };

  return {
    secrets,
    openStore,
    username,
    async account(): Promise<BasicCredentials> {
      const name = await username();
      return { username: name, password: await secrets.read("password", name) };
    },
    /** The application's client ID, checked. */
    clientId: async (): Promise<string> =>
      checkClientId(settings.clientId?.value ?? (await secrets.askName("client-secret")), settings),
    clientSecret: (clientId: string): Promise<string> => secrets.read("client-secret", clientId),
    hasToken: (): boolean => secrets.find("token", "").source !== "prompt",
    token: (): Promise<string> => secrets.read("token", ""),
    oneTimePasswords: (name: string): OneTimePasswords =>
      createOneTimePasswords({
        given: settings.otp?.value ?? null,
        command: settings.otpCommand?.value ?? null,
        runCommand,
        prompter,
        whose: `${name} at ${baseUrl()}`,
        redact: run.redactor.addSecret,
        now: () => host.now(),
        wait: (milliseconds) => run.progress.wait(milliseconds),
      }),
  };
}
