// What a login changes in the configuration: the profile gets the address, the user and the flags about the way to the
// service, and the list of stored secrets gets the secret's entry.
import { resolve } from "node:path";
import type { Configuration, StoredSecret } from "../../config/configuration.ts";
import type { Edit } from "../../config/edit-configuration.ts";
import type { Context } from "../../run/context.ts";
import type { Login, LoginPlace } from "./taken-login.ts";
import { userKeyOf } from "./secret-names.ts";

export function editsOfLogin(
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
export function isFirstProfile(
  { configured }: Context,
  { defaultProfile, profiles }: Configuration,
): boolean {
  return defaultProfile === null && profiles.size === 0 && configured.profile.name !== "default";
}

/** The change of the list of stored secrets; an empty list is taken out of the file. */
export function editOfStored(stored: readonly StoredSecret[]): Edit {
  return { path: ["stored_secrets"], value: stored.length === 0 ? undefined : stored };
}
