// `grantctl authorization create`: creates a personal token or one of an application.
import { createAuthorization } from "../../api/authorizations.ts";
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import { usageFailure } from "../../errors/errors.ts";
import { withIntent } from "../../http/service.ts";
import { requestNewToken, withOwnerHint } from "../../delivery/request-token.ts";
import { addReceiverOptions, openReceiver, type ReceiverOptions } from "../../delivery/receiver.ts";
import { addNewAuthorizationOptions, fingerprintOf, newAuthorization } from "./new-authorization.ts";
import type { NewAuthorizationOptions } from "./new-authorization.ts";
import { authorizations } from "../../nouns.ts";

type CreateOptions = NewAuthorizationOptions & ReceiverOptions;

export const define: Define = (command, act) => {
  command.option("--note <text>", "What the token is for; on a terminal, grantctl prompts for it");
  addReceiverOptions(addNewAuthorizationOptions(command))
    .description(
      "Create an authorization and print its token, which the server shows only once. Without --client-id, the token is personal, and each personal token needs a unique note, even if it has a fingerprint.",
    )
    .action(act(run));
  printsFields(command, authorizations.presentation.fields);
  addExamples(command, [
    'TOKEN=$(grantctl authorization create --note "ci $(hostname)" --scope repo) || exit',
    "grantctl authorization create --note backup --scope repo,gist --json id,token",
  ]);
};

function noNote(why: string): Error {
  return usageFailure(
    `--note is not given, and ${why}`,
    "Add --note TEXT, which says what the token is for.",
  );
}

async function run(context: Context, options: CreateOptions): Promise<void> {
  // Before any question.
  context.server.checkAccounts();
  const note = options.note ?? (await context.prompter.askText("Note of the new token:", noNote));
  if (note.trim() === "") throw usageFailure("the note is empty");
  const { clientId = null } = context.options;
  const fingerprint = await fingerprintOf(options, context);
  const creation = { client_id: clientId, note, fingerprint: fingerprint ?? null };

  const receiver = await openReceiver(options, context);
  const { service, username } = await context.server.accountService();
  const wanted = await newAuthorization({ note, fingerprint }, options, context);
  await requestNewToken(context, {
    operation: "create",
    requester: username,
    creation,
    send: (intent) => createAuthorization(withIntent(service, intent), wanted),
    receiver,
  }).catch(async (error: unknown) => {
    throw await withOwnerHint(error, creation, context);
  });
}
