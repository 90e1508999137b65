// Stores proven credentials: the secret in its store, everything else in the profile.
import { resolve } from "node:path";
import type { Configuration, SecretKind, SecretStoreName, StoredSecret } from "../../config/configuration.ts";
import type { Edit } from "../../config/edit-configuration.ts";
import { objectWith, optional, text, truth, word, type TypeOf } from "../../output/json-schema.ts";
import type { OperatorName } from "../../operators.ts";
import type { Address } from "../../run/address.ts";
import type { Context } from "../../run/context.ts";
import { nameOfSecret, userKeyOf } from "./secret-words.ts";
import { warnOfMovedProfile } from "../../run/warn-of-moved-profile.ts";
import { editConfigurationOf } from "../../run/save-configuration.ts";

export const storeChoices = ["keychain", "file", "none"] as const;
export type StoreChoice = (typeof storeChoices)[number];

export interface Login {
  readonly kind: SecretKind;
  /** The user name, or the client ID. */
  readonly user: string;
  readonly secret: string;
  readonly isProven: boolean;
}

/** Where a login belongs. */
export interface LoginPlace {
  readonly store: StoreChoice;
  readonly address: Address;
  /** The operator to write into the profile; null for none. */
  readonly operator: OperatorName | null;
}

/** Finds out whether the keychain works before anything is asked. Throws a usage failure that says why it does not. */
export async function checkStore(choice: StoreChoice, { logins }: Address): Promise<void> {
  if (choice === "keychain") await logins.checkKeychain();
}

/** Stores the secret and writes the profile. Throws a usage failure, and leaves no secret behind then. */
export async function storeLogin(login: Login, place: LoginPlace, context: Context): Promise<void> {
  const { store: choice, address } = place;
  const { root, href } = address.origin();
  const key = { origin: root, kind: login.kind, user: login.user };
  warnOfMovedProfile(href, context.configured.profile.values, context);
  let isFirst = false;
  if (context.options.dryRun !== true) {
    const previous = address.logins.sources().stored.storeOf(key);
    if (choice !== "none") await (await address.logins.store(choice)).set(key, login.secret);
    if (choice === "keychain") await address.logins.makeJournalKey();
    try {
      await editConfigurationOf(context, (configuration) => {
        isFirst = isFirstProfile(context, configuration);
        return editsFor(login, place, context, configuration);
      });
    } catch (error) {
      if (choice !== "none" && previous !== choice) {
        await (await address.logins.store(choice)).delete(key).catch(() => undefined);
      }
      throw error;
    }
    if (previous !== null && previous !== choice) await forgetIn(previous, key, address, context);
  }
  await report(login, choice, href, context);
  if (!isFirst) return;
  const { name } = context.configured.profile;
  context.notices.note(
    `${name} is the first profile, so commands use it where none is named; to end that: grantctl config unset default_profile`,
  );
}

/**
 * The changes of the configuration: the profile gets the address, the user, and the flags about the way to the service.
 */
function editsFor(
  { kind, user }: Login,
  { store: choice, address, operator }: LoginPlace,
  context: Context,
  configuration: Configuration,
): readonly Edit[] {
  const { options, configured } = context;
  const { storedSecrets, profiles } = configuration;
  const { root, href } = address.origin();
  const { name } = configured.profile;
  const files = { ca_cert: options.caCert, client_cert: options.clientCert, client_key: options.clientKey };
  const values = {
    base_url: href,
    operator: operator ?? undefined,
    // A token's user is not the account's, unless nobody else is.
    ...(kind === "token" && profiles.get(name)?.username !== undefined ? {} : { [userKeyOf(kind)]: user }),
    header_word: options.headerWord,
    otp_command: options.otpCommand,
    ...Object.fromEntries(
      Object.entries(files).map(([key, path]) => [key, path === undefined ? undefined : resolve(path)]),
    ),
  };
  const others = storedSecrets.filter(
    (stored) => !(stored.origin === root && stored.kind === kind && stored.user === user),
  );
  const stored: readonly StoredSecret[] =
    choice === "none" ? others : [...others, { origin: root, kind, user, store: choice }];
  return [
    ...(isFirstProfile(context, configuration) ? [{ path: ["default_profile"], value: name }] : []),
    ...Object.entries(values)
      .filter(([, value]) => value !== undefined && value !== "")
      .map(([key, value]) => ({ path: ["profiles", name, key], value })),
    editOfStored(stored),
    // With a keychain that works, values that are not delivered yet are sealed with a key in it.
    ...(choice === "keychain" ? [{ path: ["journal_key"], value: "keychain" }] : []),
  ];
}

/** Whether the run's profile becomes the default, as the first one of a name does. */
function isFirstProfile({ configured }: Context, { defaultProfile, profiles }: Configuration): boolean {
  return defaultProfile === null && profiles.size === 0 && configured.profile.name !== "default";
}

/** The change of the list of stored secrets; an empty list is taken out of the file. */
export function editOfStored(stored: readonly StoredSecret[]): Edit {
  return { path: ["stored_secrets"], value: stored.length === 0 ? undefined : stored };
}

/** Deletes a secret from the store that it was in before. */
async function forgetIn(
  name: SecretStoreName,
  key: { origin: string; kind: SecretKind; user: string },
  { logins }: Address,
  { notices }: Context,
): Promise<void> {
  try {
    await (await logins.store(name)).delete(key);
  } catch {
    notices.warn(`what was stored before is still in the ${name}, which cannot be reached`);
  }
}

/** What JSON says of a login. */
export const loginSchema = objectWith("Login", "Who logged in where.", {
  profile: text("the profile that it was stored for"),
  base_url: text("the service's address"),
  username: optional(text("the account's user name")),
  client_id: optional(text("the application's client ID, for a login with --app")),
  store: word("where the secret is kept", ...storeChoices),
  proven: truth("whether the service has taken it"),
});

async function report(
  { kind, user, isProven }: Login,
  choice: StoreChoice,
  href: string,
  { configured, notices, options, printer }: Context,
): Promise<void> {
  const what = nameOfSecret(kind);
  if (!isProven) {
    notices.warn(
      `the ${what} is not proven: the service checks one only together with a live token of the application, on standard input`,
    );
  }
  if (choice === "file") notices.warn(`the ${what} stands unencrypted in a file, which only you can read`);
  const isPlan = options.dryRun === true;
  const where = { keychain: "in the keychain", file: "in a file", none: "nowhere" }[choice];
  notices.note(
    `${isPlan ? "would log in" : "logged in"} to ${href} as ${user}, profile ${configured.profile.name}; the ${what} ${isPlan ? "would be" : "is"} kept ${where}`,
  );
  if (!printer.isJson) return;
  const row: TypeOf<typeof loginSchema> = {
    profile: configured.profile.name,
    base_url: href,
    [userKeyOf(kind)]: user,
    store: choice,
    proven: isProven,
  };
  await printer.printObject(row);
}
