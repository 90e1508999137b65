// The two kinds of Basic credentials and where they come from: the account's user name and password, and the
// application's client ID and client secret. Neither ever stands in for the other.
import { checkClientId, type Settings } from "../config/settings.ts";
import { Failure, usageFailure } from "../errors/errors.ts";
import type { BasicCredentials } from "../http/basic.ts";
import type { Prompter } from "../prompt/prompter.ts";
import { secretFrom, type StandardInput } from "./standard-input.ts";

export interface CredentialSources {
  readonly settings: Settings;
  readonly passwordFromStandardInput: boolean;
  readonly clientSecretFromStandardInput: boolean;
  readonly standardInput: StandardInput;
  readonly prompter: Prompter;
  /** The configured address: the only one that a question may name. */
  readonly address: string;
}

/** The account's user name and password; asks on the terminal for what is missing. */
export async function accountCredentials(sources: CredentialSources): Promise<BasicCredentials> {
  const { settings, standardInput, prompter, address } = sources;
  const username =
    settings.username?.value ??
    (await prompter.askText(`User name at ${address}:`, () =>
      missing("user name", "set --username or GRANTCTL_USERNAME"),
    ));
  if (username.includes(":"))
    throw usageFailure("the user name holds a colon, which Basic credentials cannot carry");
  if (username === "") throw usageFailure("the user name is empty");

  if (sources.passwordFromStandardInput) {
    return { username, password: secretFrom(await standardInput.read("the password"), "password") };
  }
  const password =
    settings.password?.value ??
    (await prompter.askSecret(`Password of ${username} at ${address}:`, () =>
      missing("password", "set GRANTCTL_PASSWORD, or pipe it in with --password-stdin"),
    ));
  if (password === "") throw usageFailure("the password is empty");
  return { username, password };
}

/** The application's client ID, checked; without one it cannot be asked for any better than with --client-id. */
export async function applicationClientId({
  settings,
  prompter,
  address,
}: CredentialSources): Promise<string> {
  return checkClientId(
    settings.clientId?.value ??
      (await prompter.askText(`Client ID of the application at ${address}:`, () =>
        missing("client ID", "set --client-id or GRANTCTL_CLIENT_ID"),
      )),
  );
}

/** The client secret of an application. */
export async function applicationClientSecret(sources: CredentialSources, clientId: string): Promise<string> {
  const { settings, standardInput, prompter, address } = sources;
  if (sources.clientSecretFromStandardInput) {
    return secretFrom(await standardInput.read("the client secret"), "client secret");
  }
  const secret =
    settings.clientSecret?.value ??
    (await prompter.askSecret(`Client secret of ${clientId} at ${address}:`, () =>
      missing("client secret", "set GRANTCTL_CLIENT_SECRET, or pipe it in with --client-secret-stdin"),
    ));
  if (secret === "") throw usageFailure("the client secret is empty");
  return secret;
}

function missing(what: string, hint: string): Failure {
  return new Failure("authentication", `there is no ${what}`, { hint });
}
