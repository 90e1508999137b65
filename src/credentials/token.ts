// The token for requests beyond the Authorizations API: from the environment, or stored by a login.
import { Failure } from "../errors/errors.ts";
import { secretSources, type CredentialSources } from "./secret-sources.ts";

/** The token to send; null where there is none. Throws an authentication failure where the store does not give it. */
export async function readToken(sources: CredentialSources): Promise<string | null> {
  const places = secretSources("token", tokenUser(sources) ?? "", sources);
  const source = places.find(({ state }) => state === "set");
  return source === undefined ? null : source.read();
}

/** The user of the stored token to send: the configured user, or the only one with a stored token. */
export function tokenUser({ settings, stored, root }: CredentialSources): string | null {
  const users = stored.usersOf(root, "token");
  const named = settings.username?.value;
  if (named !== undefined && users.includes(named)) return named;
  return users.length === 1 ? (users[0] ?? null) : null;
}

/** The authentication failure for a missing token, which says where one could come from. */
export function missingToken(): Failure {
  return new Failure("authentication", "there is no token", {
    hint: "set GRANTCTL_TOKEN, or store one: grantctl auth login --with-token < token.txt",
  });
}
