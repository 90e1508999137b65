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
import { parseUrl } from "../parse-url.ts";
import type { RunParts } from "./run-parts.ts";

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

  const runCommand = (words: readonly [string, ...string[]]): Promise<string> =>
    runSecretCommand(words, {
      environment: host.childEnvironment,
      platform: host.platform,
      timeoutMs: commandTimeoutMs,
      // Piped input is for grantctl itself, so a command that prints a secret must not read it.
      sharesStandardInput: host.stdin.isTerminal,
    });

  const sourcesAt = ({ root, href }: Pick<Origin, "root" | "href">): CredentialSources => {
    const { base_url: profileUrl } = profile.values;
    return {
      settings,
      passwordFromStandardInput: options.passwordStdin === true,
      clientSecretFromStandardInput: options.clientSecretStdin === true,
      standardInput,
      prompter,
      root,
      baseUrl: href,
      profile: profile.values,
      isProfileForOrigin: profileUrl === undefined || parseOrigin(profileUrl, true).root === root,
      usersOfOtherProfiles: (key) =>
        [...configuration.profiles].flatMap(([name, { [key]: user, base_url: baseUrl }]) => {
          const isHere = baseUrl === undefined || parseUrl(baseUrl)?.origin === root;
          return name !== profile.name && user !== undefined && isHere ? [user] : [];
        }),
      runCommand,
      storedSecrets: configuration.storedSecrets,
      readStored: async (secret) => (await stores.open(secret.store)).get(secret),
    };
  };

  const sources = (): CredentialSources => sourcesAt(origin());
  const anySources = (): CredentialSources => (isKnown ? sources() : sourcesAt(noOrigin));
  const isProfileFor = (user: string): boolean => {
    const { username: named } = profile.values;
    return anySources().isProfileForOrigin && (named === undefined || named === user);
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
    /** The user whose stored token `token()` would return; null if none is stored, or the user is ambiguous. */
    tokenUser: () => tokenUser(anySources()),
    /** The sources of a secret, in order of precedence. */
    secretSources: (kind: SecretKind, user: string) => secretSources(kind, user, anySources()),
    isProfileForOrigin: () => anySources().isProfileForOrigin,
    /** True if the profile's one-time passwords are for this user at the run's origin. */
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
const noOrigin = { root: "", href: "" };

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
