// `grantctl authorization get-or-create`: operations 7 and 8.
import type { Command } from "commander";
import { toJson } from "../../exact-json.ts";
import type { Context } from "../../context.ts";
import { Failure } from "../../errors/errors.ts";
import type { Dispatch } from "../dispatch.ts";
import { addExamples } from "../examples.ts";
import {
  addNewAuthorizationOptions,
  fingerprintOf,
  type NewAuthorizationOptions,
} from "./new-authorization-options.ts";
import { authorizationPresentation } from "./presentation.ts";

interface GetOrCreateOptions extends NewAuthorizationOptions {
  readonly allowExisting?: true;
}

export function addGetOrCreateCommand(authorization: Command, dispatch: Dispatch): void {
  const command = addNewAuthorizationOptions(
    authorization.command("get-or-create").option("--note <text>", "what the token is for"),
  )
    .option("--allow-existing", "exit 0 when there is one already, although its value cannot be shown")
    .summary("create an application's token unless there is one")
    .description(
      "Create a token of the application --client-id and print it, unless the account has one already: with the same fingerprint, if one is given. The value of an existing token cannot be shown: then nothing is printed, and the exit code is 10.",
    )
    .action((options: GetOrCreateOptions, self: Command) =>
      dispatch(self, (context) => run(options, context)),
    );
  addExamples(command, [
    "grantctl authorization get-or-create --client-id 0123456789abcdef0123 --machine-fingerprint --scope repo",
    "grantctl authorization get-or-create --client-id 0123456789abcdef0123 --allow-existing --json id,token",
  ]);
}

async function run(options: GetOrCreateOptions, context: Context): Promise<void> {
  const { printer, notices } = context;
  printer.checkFields(authorizationPresentation);
  const fingerprint = await fingerprintOf(options, context);
  if (context.options.dryRun === true) {
    notices.note(`would get or create a token of an application at ${context.origin().href}`);
    return;
  }

  printer.checkCanDeliver();
  const service = await context.accountService();
  const { clientId, clientSecret } = await context.applicationCredentials(null);
  const { getOrCreateAuthorization } = await import("../../api/authorizations.ts");
  const { authorization } = await getOrCreateAuthorization(service, clientId, fingerprint, {
    client_secret: clientSecret,
    ...(options.scope === undefined ? {} : { scopes: options.scope }),
    ...(options.note === undefined ? {} : { note: options.note }),
    ...(options.noteUrl === undefined ? {} : { note_url: options.noteUrl }),
  });

  // Operators of another age show the value of an existing token too; what counts is whether there is one.
  if (typeof authorization.token === "string" && authorization.token !== "") {
    await printer.deliverValue(authorization.token, authorization, authorizationPresentation);
    return;
  }
  if (printer.isJson) await printer.printItem(authorization, authorizationPresentation);
  const id = toJson(authorization.id, 0);
  const message = `authorization ${id} exists already, and the service shows the value of a token only when it is new`;
  if (options.allowExisting !== true) {
    throw new Failure("exists", message, {
      status: 200,
      hint: `delete it first: grantctl authorization delete ${id}`,
    });
  }
  notices.note(message);
}
