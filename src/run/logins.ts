// The logins of a run: the user or application that it acts as, and the sources of its password, secret or token.
// Stores (the keychain and the file) are loaded, and the keychain helper and commands are started, only when a secret
// is needed from them.
import type { SecretKind, SecretStoreName } from "../config/configuration.ts";
import { configurationFolder } from "../config/folders.ts";
import {
  accountCredentials,
  accountUsername,
  applicationClientId,
  readToken,
  tokenUser,
} from "../credentials/account-credentials.ts";
import type { SecretStore } from "../credentials/file-store.ts";
import type { Keychain } from "../credentials/keychain.ts";
import { oneTimePasswordSources, createOneTimePasswords } from "../credentials/one-time-passwords.ts";
import {
  readSecret,
  runSecretCommand,
  secretSources,
  type CredentialSources,
} from "../credentials/secret-sources.ts";
import type { OneTimePasswords } from "../http/one-time-password.ts";
import { parseOrigin, type Origin } from "../http/origin.ts";
import { once, type RunParts } from "./run-parts.ts";

/** Long enough for a person to touch a hardware key or to type a passphrase. */
const commandTimeoutMs = 60_000;

interface LoginTarget {
  /** The origin; throws a usage failure if none is configured. */
  readonly origin: () => Origin;
  readonly isKnown: boolean;
}

/** Opens nothing yet. */
export function createLogins(run: RunParts, { origin, isKnown }: LoginTarget) {
  const { host, options, settings, redactor, standardInput, prompter } = run;
  const { profile, configuration } = run.configured;
  const stores = createSecretStores(run);
  const profileOrigin = once(() => {
    const { base_url: profileUrl } = profile.values;
    return profileUrl === undefined ? null : parseOrigin(profileUrl, true);
  });

  const runCommand = (words: readonly [string, ...string[]]): Promise<string> =>
    runSecretCommand(words, {
      environment: host.childEnvironment,
      platform: host.platform,
      timeoutMs: commandTimeoutMs,
      // Piped input is for grantctl itself, so a command that prints a secret must not read it.
      sharesStandardInput: host.stdin.isTerminal,
    });

  const sourcesAt = (baseUrl: string): CredentialSources => {
    return {
      settings,
      passwordFromStandardInput: options.passwordStdin === true,
      clientSecretFromStandardInput: options.clientSecretStdin === true,
      standardInput,
      prompter,
      baseUrl,
      profileName: profile.name,
      profile: profile.values,
      isProfileForUrl: (profileOrigin()?.href ?? baseUrl) === baseUrl,
      runCommand,
      storedSecrets: configuration.storedSecrets,
      readStored: async (secret) => (await stores.open(secret.store)).get(secret),
    };
  };

  const sources = (): CredentialSources => sourcesAt(origin().href);
  const anySources = (): CredentialSources => (isKnown ? sources() : sourcesAt(noUrl));
  const isProfileFor = (user: string): boolean => {
    const { username: named } = profile.values;
    return anySources().isProfileForUrl && (named === undefined || named === user);
  };

  return {
    sources,
    account: () => accountCredentials(sources()),
    applicationClientId: () => applicationClientId(sources()),
    clientSecret: (clientId: string) => readSecret("client-secret", clientId, sources()),
    /** A secret from any source except the stores, which may have an old one. */
    newSecret: (kind: SecretKind, user: string) =>
      readSecret(kind, user, { ...sources(), storedSecrets: [] }),
    username: () => accountUsername(sources()),
    /** The token to send, or null. */
    token: () => readToken(sources()),
    /** The owner of the stored token that `token()` would return; null if there is none. */
    tokenUser: () => tokenUser(anySources()),
    /** The sources of a secret, in order of precedence. */
    secretSources: (kind: SecretKind, user: string) => secretSources(kind, user, anySources()),
    /** True if the profile is for the run's origin, whatever the path. */
    isProfileForOrigin: () =>
      profileOrigin() === null || (isKnown && origin().root === profileOrigin()?.root),
    /** True if the profile's one-time passwords are for this user at the run's base URL. */
    isProfileFor,
    async oneTimePasswords(username: string): Promise<OneTimePasswords> {
      const { baseUrl } = sources();
      const { otpCommand } = settings;
      const isElsewhere = otpCommand?.source === "profile" && !isProfileFor(username);
      return createOneTimePasswords(
        oneTimePasswordSources({
          given: settings.otp?.value ?? null,
          command: otpCommand === undefined || isElsewhere ? null : otpCommand.value,
          runCommand,
          prompter,
          onCode: (code) => {
            redactor.add(code);
          },
          username,
          baseUrl,
        }),
      );
    },
    stores,
    close: () => stores.close(),
  };
}

/** Used if no base URL is configured; no secret is stored for it. */
const noUrl = "";

/** The secret stores. Opens nothing yet. */
function createSecretStores({ host }: RunParts) {
  let keychain: Promise<Keychain> | null = null;
  const openKeychain = (): Promise<Keychain> => {
    keychain ??= import("../credentials/keychain.ts").then(({ createKeychain }) =>
      createKeychain({ helper: host.keychainHelper, environment: host.childEnvironment }),
    );
    return keychain;
  };

  return {
    async open(name: SecretStoreName): Promise<SecretStore> {
      if (name === "keychain") {
        const { createKeychainStore } = await import("../credentials/keychain.ts");
        return createKeychainStore(await openKeychain());
      }
      const { createFileStore } = await import("../credentials/file-store.ts");
      return createFileStore({
        folder: configurationFolder(host),
        userId: host.machine.userId,
        processes: host.processes,
      });
    },
    /** Throws a usage failure with the reason why the keychain does not work. */
    async checkKeychain(): Promise<void> {
      const { checkKeychain } = await import("../credentials/keychain.ts");
      await checkKeychain(await openKeychain());
    },
    /** Ends the keychain's helper, if it was started. */
    async close(): Promise<void> {
      (await keychain)?.close();
    },
  };
}
