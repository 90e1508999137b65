// A new authorization: the flags that `create`, `get-or-create` and `run` share, and the body of the request.
import type { NewAuthorization } from "../../api/authorizations.ts";
import { collectSomeScopes } from "../../config/global-options.ts";
import { usageFailure } from "../../errors/errors.ts";
import type { Context } from "../../command-line/command.ts";
import { machineFingerprint } from "../../system/machine.ts";
import { type Command, Option } from "commander";

export interface NewAuthorizationOptions {
  readonly scope?: readonly string[];
  readonly note?: string;
  readonly noteUrl?: string;
  readonly fingerprint?: string;
  readonly machineFingerprint?: true;
}

/** Adds the flags that describe the authorization, except --note. */
export function addNewAuthorizationOptions(command: Command): Command {
  return addScopeOptions(command)
    .option(
      "--fingerprint <text>",
      "Text that distinguishes this token from the application's other tokens; for example, a different value for each machine",
    )
    .addOption(
      new Option(
        "--machine-fingerprint",
        "Use a fingerprint that is always the same for this user on this machine",
      ).conflicts("fingerprint"),
    );
}

export function addScopeOptions(command: Command): Command {
  return command
    .option("--scope <scope>", "Scope (can be repeated or comma-separated)", collectSomeScopes)
    .option("--note-url <url>", "URL that reminds you what the token is for");
}

/**
 * The body of a request for a new token: a personal one, unless --client-id names its application. A variable that happens to
 * be set must not turn a personal token into an application's.
 */
export async function newAuthorization(
  { note, fingerprint }: Pick<NewAuthorization, "note" | "fingerprint">,
  { scope = [], noteUrl }: Pick<NewAuthorizationOptions, "scope" | "noteUrl">,
  { server, options: { clientId: wanted } }: Context,
): Promise<NewAuthorization> {
  const application =
    wanted === undefined ? undefined : await server.logins.credentials("client-secret", { wanted });
  return {
    note,
    scopes: scope,
    note_url: noteUrl,
    fingerprint,
    client_id: application?.name,
    client_secret: application?.secret,
  };
}

/** The fingerprint from the flags, or undefined. Throws a usage failure for an empty one. */
export async function fingerprintOf(options: NewAuthorizationOptions, { host }: Context) {
  if (options.machineFingerprint === true) return machineFingerprint(host);
  if (options.fingerprint === "") throw usageFailure("the fingerprint is empty");
  return options.fingerprint;
}
