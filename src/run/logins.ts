// The logins of a run: which user or application it acts as at its address, and where its password, secret or token
// comes from. Stores are loaded, and commands started, only when a secret is needed from them.
import { isSameKey, type SecretKey, type SecretKind, type SecretStoreName } from "../config/configuration.ts";
import {
  accountCredentials,
  accountUsername,
  applicationClientId,
} from "../credentials/basic-credentials.ts";
import { oneTimePasswordSources } from "../credentials/one-time-password-sources.ts";
import { createOneTimePasswords } from "../credentials/one-time-passwords.ts";
import {
  isProfileForAddress,
  readSecret,
  secretSources,
  type CredentialSources,
} from "../credentials/secret-sources.ts";
import { readToken, tokenUser } from "../credentials/token.ts";
import type { OneTimePasswords } from "../http/one-time-password.ts";
import { parseOrigin, type Origin } from "../http/origin.ts";
import { parseUrl } from "../parse-url.ts";
import type { RunParts } from "./run-parts.ts";
import { createSecretStores } from "./secret-stores.ts";

/** Long enough for a person to touch a hardware key or to type a passphrase; a command that takes longer is ended. */
const commandTimeoutMs = 60_000;

/** The address that the logins are for. */
interface LoginPlace {
  /** The address; throws a usage failure when there is none. */
  readonly origin: () => Origin;
  readonly isKnown: boolean;
}

export type Logins = ReturnType<typeof createLogins>;

/** The logins of one run at one address. Opens nothing by itself. */
export function createLogins(run: RunParts, { origin, isKnown }: LoginPlace) {
  const { host, options, settings, redactor, standardInput, prompter } = run;
  const { profile, configuration } = run.configured;
  const stores = createSecretStores(run);

  const runCommand = async (words: readonly [string, ...string[]]): Promise<string> => {
    const { runSecretCommand } = await import("../credentials/secret-command.ts");
    return runSecretCommand(words, {
      environment: host.childEnvironment,
      platform: host.platform,
      timeoutMs: commandTimeoutMs,
      // Piped input is for grantctl itself: a command that supplies a secret does not get it.
      sharesStandardInput: host.stdin.isTerminal,
    });
  };

  const storeOf = (key: SecretKey): SecretStoreName | null =>
    configuration.storedSecrets.find((stored) => isSameKey(stored, key))?.store ?? null;

  const sourcesAt = ({ root, href }: Pick<Origin, "root" | "href">): CredentialSources => {
    const { base_url: profileUrl } = profile.values;
    return {
      settings,
      passwordFromStandardInput: options.passwordStdin === true,
      clientSecretFromStandardInput: options.clientSecretStdin === true,
      standardInput,
      prompter,
      root,
      address: href,
      profile: profile.values,
      profileRoot: profileUrl === undefined ? null : parseOrigin(profileUrl, true).root,
      usersOfOtherProfiles: (key) =>
        [...configuration.profiles].flatMap(([name, { [key]: user, base_url: address }]) => {
          const isHere = address === undefined || parseUrl(address)?.origin === root;
          return name !== profile.name && user !== undefined && isHere ? [user] : [];
        }),
      runCommand,
      stored: {
        storeOf,
        usersOf: (of, kind) =>
          configuration.storedSecrets
            .filter((stored) => stored.origin === of && stored.kind === kind)
            .map(({ user }) => user),
        otherOriginOf: ({ kind, user }) =>
          configuration.storedSecrets.find((stored) => stored.kind === kind && stored.user === user)
            ?.origin ?? null,
        async get(key) {
          const name = storeOf(key);
          return name === null ? null : (await stores.open(name)).get(key);
        },
      },
    };
  };

  const sources = (): CredentialSources => sourcesAt(origin());
  const anySources = (): CredentialSources => (isKnown ? sources() : sourcesAt(nowhere));
  const isProfileForUser = (user: string): boolean => isProfileFor(user, anySources());

  return {
    /** Every place that credentials may come from. */
    sources,
    account: () => accountCredentials(sources()),
    applicationClientId: () => applicationClientId(sources()),
    clientSecret: (clientId: string) => readSecret("client-secret", clientId, sources()),
    /** A secret from any place but the stores, which may hold an old one. */
    newSecret: (kind: SecretKind, user: string) =>
      readSecret(kind, user, { ...sources(), stored: nothingStored }),
    username: () => accountUsername(sources()),
    /** The token to send; null where there is none. */
    token: () => readToken(sources()),
    /** The user whose stored token `token()` would give; null where none is stored, or the user is not known. */
    tokenUser: () => tokenUser(anySources()),
    /** The places a secret may come from, in their order. */
    secretSources: (kind: SecretKind, user: string) => secretSources(kind, user, anySources()),
    isProfileForAddress: () => isProfileForAddress(anySources()),
    /** Whether the profile's one-time passwords are this user's, at the run's address. */
    isProfileFor: isProfileForUser,
    async oneTimePasswords(username: string): Promise<OneTimePasswords> {
      const { address } = sources();
      const { otpCommand } = settings;
      const isElsewhere = otpCommand?.source === "profile" && !isProfileForUser(username);
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
          address,
        }),
      );
    },
    stores,
    /** Ends what the stores have started. */
    close: () => stores.close(),
  };
}

/** Stands in where no address is configured: no secret is stored under it. */
const nowhere = { root: "", href: "" };

const nothingStored: CredentialSources["stored"] = {
  storeOf: () => null,
  usersOf: () => [],
  otherOriginOf: () => null,
  get: () => Promise.resolve(null),
};

/** Whether the profile's one-time passwords are this user's, at this address. */
function isProfileFor(username: string, sources: CredentialSources): boolean {
  const { username: named } = sources.profile;
  return isProfileForAddress(sources) && (named === undefined || named === username);
}
