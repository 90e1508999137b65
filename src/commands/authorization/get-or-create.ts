// `grantctl authorization get-or-create`: prints a token of the application, and creates it if there is none.
//
// If the account already has the authorization, the server does not show its token again. grantctl then reports it (exit
// code 10, or 0 with --allow-existing) or replaces it: deletes it and sends the same request again, because the server
// allows only one per fingerprint.
import { Option } from "commander";
import { deleteAuthorization, getOrCreateAuthorization } from "../../api/authorizations.ts";
import { idText, type Authorization } from "../../api/resources.ts";
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import { actionInWords } from "../../jobs/change-items.ts";
import { requestNewToken } from "../../delivery/request-token.ts";
import { hasValue } from "../../delivery/values.ts";
import { addReceiverOptions, openReceiver, type ReceiverOptions } from "../../delivery/receiver.ts";
import { Failure, isFailure } from "../../errors/errors.ts";
import { withIntent } from "../../http/service.ts";
import { printUnlessPipeClosed } from "../../output/output-stream.ts";
import { authorizations } from "../../nouns.ts";
import { addNewAuthorizationOptions, fingerprintOf } from "./new-authorization.ts";
import type { NewAuthorizationOptions } from "./new-authorization.ts";

interface GetOrCreateOptions extends NewAuthorizationOptions, ReceiverOptions {
  readonly allowExisting?: true;
  readonly replaceExisting?: true;
}

export const define: Define = (command, act) => {
  addReceiverOptions(addNewAuthorizationOptions(command.option("--note <text>", "What the token is for")))
    .option("--allow-existing", "Exit with code 0 instead of 10 if a token already exists")
    .addOption(
      new Option(
        "--replace-existing",
        "Delete an existing token, then create a new one; prompts for confirmation",
      ).conflicts("allowExisting"),
    )
    .description(
      "Create and print a token for an application (see --client-id), unless the account already has one for that application and fingerprint (if specified). If a token already exists, its value cannot be shown: grantctl prints nothing (with --json, the authorization without its token) and exits with code 10.",
    )
    .action(act(run));
  printsFields(command, authorizations.presentation.fields);
  addExamples(command, [
    "grantctl authorization get-or-create --machine-fingerprint --scope repo",
    "grantctl authorization get-or-create --allow-existing",
  ]);
};

async function run(context: Context, options: GetOrCreateOptions): Promise<void> {
  const fingerprint = await fingerprintOf(options, context);
  const receiver = await openReceiver(options, context);
  const replaces = options.replaceExisting === true;
  context.server.checkAccounts();
  if (replaces) await context.checkCanConfirm();
  const { service, username } = await context.server.accountService();
  const { name: clientId, secret } = await context.server.logins.credentials("client-secret");
  const { note, scope: scopes, noteUrl: note_url } = options;
  const wanted = { note, client_secret: secret, scopes, note_url };
  const create = (prepare = (): Promise<void> => Promise.resolve()): Promise<Authorization> =>
    requestNewToken(context, {
      operation: "get-or-create",
      requester: username,
      creation: { client_id: clientId, fingerprint: fingerprint ?? null, note: note ?? null },
      async send(intent) {
        // Recorded first: after a deletion, "nothing was sent" would be false.
        await intent.beforeSending();
        await prepare();
        return getOrCreateAuthorization(withIntent(service, intent), clientId, fingerprint ?? null, wanted);
      },
      receiver,
    });

  const found = await create();
  if (hasValue(found)) return;
  if (!replaces) return await reportExisting(found, options.allowExisting === true, context);
  const id = idText(found.id);
  const words = { ...authorizations, effect: { ofOne: "and revoke its token", ofMany: "" } };
  await context.confirm(`${actionInWords("Replace", [id], new Map([[id, found]]), words, context)}?`);
  let isDeleted = false;
  const made = await create(async () => {
    await deleteAuthorization(service, id);
    isDeleted = true;
  }).catch((error: unknown) => {
    if (!isDeleted || !isFailure(error) || error.kind === "undelivered") throw error;
    const message = `authorization ${id} was deleted; ${error.message}`;
    if (error.kind === "unknown") throw error.with({}, message);
    throw new Failure("incomplete", message, {
      ...error.details,
      hint: "Run the same command again to create a new one.",
    });
  });
  if (!hasValue(made))
    throw new Failure("incomplete", `authorization ${id} was deleted, but ${idText(made.id)} exists`, {
      hint: "The same command deletes that one next. Add --fingerprint or --machine-fingerprint to give each machine its own.",
    });
}

/** Reports the existing authorization. Throws an `exists` failure unless --allow-existing was given. */
async function reportExisting(existing: Authorization, isAllowed: boolean, context: Context): Promise<void> {
  if (context.printer.isJson)
    await printUnlessPipeClosed(() => context.printer.printItem(existing, authorizations.presentation));
  const scopes = existing.scopes?.length ? ` with the scopes ${existing.scopes.join(", ")}` : "";
  const message = `authorization ${idText(existing.id)} already exists${scopes}, and the server shows a token only when it is new`;
  if (isAllowed) return context.notices.note(message);
  throw new Failure("exists", message, {
    status: 200,
    hint: "Replace it with --replace-existing --yes, or accept it with --allow-existing.",
  });
}
