// The token for requests beyond the Authorizations API: from the environment, or stored by a login.
import { Failure } from "../errors/errors.ts";
import { secretSources, type CredentialSources } from "./secret-sources.ts";

/** The token to send; null where there is none. Throws an authentication failure where the store does not give it. */
export async function readToken(sources: CredentialSources): Promise<string | null> {
  const places = secretSources("token", tokenUser(sources) ?? "", sources);
  const source = places.find(({ state }) => state === "set");
  return source === undefined ? null : source.read();
}

/**
 * The user of the stored token to send: the configured user, or else the only one with a stored token, who may be a
 * robot that the profile's user logged in. Beside a user that was typed nobody else, and beside one of the profile not the
 * user of another profile.
 */
export function tokenUser({
  settings,
  stored,
  root,
  usersOfOtherProfiles,
}: CredentialSources): string | null {
  const users = stored.usersOf(root, "token");
  const named = settings.username;
  if (named !== undefined && (named.source === "flag" || users.includes(named.value)))
    return users.find((user) => user === named.value) ?? null;
  const others = named === undefined ? [] : usersOfOtherProfiles("username");
  const [only, ...more] = users.filter((user) => !others.includes(user));
  return more.length === 0 ? (only ?? null) : null;
}

/** The authentication failure for a missing token, which says where one could come from. */
export function missingToken(): Failure {
  return new Failure("authentication", "there is no token", {
    hint: "set GRANTCTL_TOKEN, or store one: grantctl auth login --with-token < token.txt",
  });
}
