// The credentials of a run: the account's user name and password, the application's client ID, and the token for
// requests outside the Authorizations API. None of them is a fallback for another.
import { checkClientId } from "../config/settings.ts";
import { Failure, usageFailure } from "../errors/errors.ts";
import type { BasicCredentials } from "../http/authorization.ts";
import { readSecret, type CredentialSources, secretSources } from "./secret-sources.ts";

/** The account's user name and password; prompts on the terminal for missing ones. */
export async function accountCredentials(sources: CredentialSources): Promise<BasicCredentials> {
  const username = await accountUsername(sources);
  return { username, password: await readSecret("password", username, sources) };
}

export async function accountUsername({ settings, prompter, baseUrl }: CredentialSources): Promise<string> {
  return checkUsername(
    settings.username?.value ??
      (await prompter.askText(`User name at ${baseUrl}:`, () =>
        missingSettingFailure(
          "user name",
          "Set --username or GRANTCTL_USERNAME, or run `grantctl auth login`.",
        ),
      )),
  );
}

/** Checks a user name, which cannot contain a colon in Basic credentials (RFC 7617, section 2). */
function checkUsername(username: string): string {
  if (username.includes(":"))
    throw usageFailure("the user name contains a colon, which Basic authentication does not allow");
  if (username === "") throw usageFailure("the user name is empty");
  return username;
}

/** The application's client ID, checked; prompts on the terminal if none is configured. */
export async function applicationClientId({
  settings,
  prompter,
  baseUrl,
}: CredentialSources): Promise<string> {
  return checkClientId(
    settings.clientId?.value ??
      (await prompter.askText(`Client ID of the application at ${baseUrl}:`, () =>
        missingSettingFailure(
          "client ID",
          "Set --client-id or GRANTCTL_CLIENT_ID, or run `grantctl auth login --app`.",
        ),
      )),
    settings,
  );
}

function missingSettingFailure(what: string, hint: string): Failure {
  return new Failure("authentication", `no ${what} configured`, { hint });
}

/** The token from the environment or a login, or null. Throws an authentication failure if the store does not return it. */
export async function readToken(sources: CredentialSources): Promise<string | null> {
  const places = secretSources("token", tokenUser(sources) ?? "", sources);
  const source = places.find(({ state }) => state === "set");
  return source === undefined ? null : source.read();
}

/** The owner of the token that is stored for the profile and this base URL; null for another user of a flag. */
export function tokenUser({
  storedSecrets,
  profileName,
  baseUrl,
  settings,
}: CredentialSources): string | null {
  const stored = storedSecrets.find(
    (secret) => secret.kind === "token" && secret.profile === profileName && secret.baseUrl === baseUrl,
  );
  const named = settings.username;
  const isOther = named?.source === "flag" && named.value !== stored?.name;
  return stored === undefined || isOther ? null : stored.name;
}

export function missingTokenFailure(): Failure {
  return new Failure("authentication", "no token configured", {
    hint: "Set GRANTCTL_TOKEN, or run `grantctl auth login --with-token < token.txt` to store one.",
  });
}
