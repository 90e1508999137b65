// The configuration edits of a login or logout, and the names of stored secrets.
import { resolve } from "node:path";
import {
  isSameKey,
  type Configuration,
  type StoredSecret,
  type SecretKind,
} from "../../config/configuration.ts";
import type { Edit } from "../../config/edit-configuration.ts";
import type { Context } from "../../run/context.ts";
import type { FoundServer } from "./find-server.ts";

/** The edits of a login, applied in one write. */
export function loginEdits(
  { kind, user }: Login,
  { store: choice, server, operator }: LoginTarget,
  context: Context,
  configuration: Configuration,
): readonly Edit[] {
  const { options, configured } = context;
  const { storedSecrets, profiles } = configuration;
  const { root, href } = server.origin();
  const { name } = configured.profile;
  const files = { ca_cert: options.caCert, client_cert: options.clientCert, client_key: options.clientKey };
  const values = {
    base_url: href,
    operator: operator ?? undefined,
    // A token's user becomes the profile's user only if the profile has none.
    ...(kind === "token" && profiles.get(name)?.username !== undefined ? {} : { [userKey(kind)]: user }),
    header_word: options.headerWord,
    client_auth: options.clientAuth,
    introspection_path: options.introspectionPath,
    revocation_path: options.revocationPath,
    otp_command: options.otpCommand,
    ...Object.fromEntries(
      Object.entries(files).map(([key, path]) => [key, path === undefined ? undefined : resolve(path)]),
    ),
  };
  const others = storedSecrets.filter((stored) => !isSameKey(stored, { origin: root, kind, user }));
  const stored: readonly StoredSecret[] =
    choice === "none" ? others : [...others, { origin: root, kind, user, store: choice }];
  return [
    ...(isFirstProfile(context, configuration) ? [{ path: ["default_profile"], value: name }] : []),
    ...Object.entries(values)
      .filter(([, value]) => value !== undefined && value !== "")
      .map(([key, value]) => ({ path: ["profiles", name, key], value })),
    storedSecretsEdit(stored),
    // The keychain works, so undelivered tokens are sealed with a key in it from now on.
    ...(choice === "keychain" ? [{ path: ["journal_key"], value: "keychain" }] : []),
  ];
}

/** True if the run's profile becomes the default, as the first named profile does. */
export function isFirstProfile(
  { configured }: Context,
  { defaultProfile, profiles }: Configuration,
): boolean {
  return defaultProfile === null && profiles.size === 0 && configured.profile.name !== "default";
}

/** The edit that replaces the list of stored secrets; an empty list is removed from the file. */
export function storedSecretsEdit(stored: readonly StoredSecret[]): Edit {
  return { path: ["stored_secrets"], value: stored.length === 0 ? undefined : stored };
}

/** A type of secret in messages: `client secret`. */
export function secretLabel(kind: SecretKind): string {
  return kind.replace("-", " ");
}

/** The profile key that names a secret's user: for an application, its client ID. */
export function userKey(kind: SecretKind): "username" | "client_id" {
  return kind === "client-secret" ? "client_id" : "username";
}

export const storeChoices = ["keychain", "file", "none"] as const;
export type StoreChoice = (typeof storeChoices)[number];

export interface Login {
  readonly kind: SecretKind;
  /** The user name, or the client ID. */
  readonly user: string;
  readonly secret: string;
  readonly isProven: boolean;
  /** True if the server required a one-time password. */
  readonly requiredCode?: boolean;
}

export interface LoginTarget extends FoundServer {
  readonly store: StoreChoice;
}
