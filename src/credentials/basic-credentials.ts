// The two kinds of Basic credentials: the account's user name and password, and the application's client ID and client
// secret. Neither ever stands in for the other.
import { checkClientId, checkUsername, operatorOf } from "../config/settings.ts";
import { Failure } from "../errors/errors.ts";
import type { BasicCredentials } from "../http/authorization.ts";
import { readSecret, type CredentialSources } from "./secret-sources.ts";

/** The account's user name and password; asks on the terminal for those that are missing. */
export async function accountCredentials(sources: CredentialSources): Promise<BasicCredentials> {
  const username = await accountUsername(sources);
  return { username, password: await readSecret("password", username, sources) };
}

/** The account's user name, checked. */
export async function accountUsername({ settings, prompter, address }: CredentialSources): Promise<string> {
  return checkUsername(
    settings.username?.value ??
      (await prompter.askText(`User name at ${address}:`, () =>
        missing("user name", "set --username or GRANTCTL_USERNAME, or log in once: grantctl auth login"),
      )),
  );
}

/** The application's client ID, checked; asks on the terminal where none is configured. */
export async function applicationClientId({
  settings,
  prompter,
  address,
}: CredentialSources): Promise<string> {
  return checkClientId(
    settings.clientId?.value ??
      (await prompter.askText(`Client ID of the application at ${address}:`, () =>
        missing(
          "client ID",
          "set --client-id or GRANTCTL_CLIENT_ID, or log in once: grantctl auth login --app",
        ),
      )),
    operatorOf(settings),
  );
}

function missing(what: string, hint: string): Failure {
  return new Failure("authentication", `there is no ${what}`, { hint });
}
