// `grantctl authorization get-or-create`: operations 7 and 8.
import { Option } from "commander";
import { addExamples, explainInherited, type Define, type Context } from "../../command-line/command.ts";
import type { WantedAuthorization } from "../../api/authorizations.ts";
import type { Authorization } from "../../api/resources.ts";
import { hasValue, requestNewToken } from "../../delivery/deliver.ts";
import {
  addReceiverOptions,
  checkReceiver,
  checkValueOutput,
  openReceiver,
  type ReceiverOptions,
} from "../../delivery/receiver.ts";
import { isFailure } from "../../errors/errors.ts";
import { withIntent } from "../../http/service.ts";
import { authorizationPresentation } from "../../printing/resources.ts";
import {
  type Deletion,
  type ExistingOptions,
  planGetOrCreate,
  replaceExisting,
  reportExisting,
} from "./existing-authorization.ts";
import { creationKey } from "../../delivery/created-tokens.ts";
import {
  addNewAuthorizationOptions,
  fingerprintOf,
  type NewAuthorizationOptions,
} from "./new-authorization.ts";

type GetOrCreateOptions = NewAuthorizationOptions & ReceiverOptions & ExistingOptions;

export const defineGetOrCreate: Define = (command, act) => {
  addReceiverOptions(addNewAuthorizationOptions(command.option("--note <text>", "What the token is for")))
    .option("--allow-existing", "Exit with code 0 instead of 10 if the token already exists")
    .addOption(
      new Option(
        "--replace-existing",
        "Delete an existing token and create a new one with the same scopes and note, unless you specify others; prompts for confirmation",
      ).conflicts("allowExisting"),
    )
    .summary("Create a token for an application unless one already exists")
    .description(
      "Create a token for an application (see --client-id) and print it, unless the account already has one for it (with the same fingerprint, if you specify one). The value of an existing token cannot be shown: grantctl then prints nothing (with --json, the authorization without its token) and exits with code 10.",
    )
    .action(act(run));
  explainInherited(command, "--client-id", "--client-secret-stdin", "--dry-run", "--json", "--jq");
  addExamples(command, [
    "grantctl authorization get-or-create --machine-fingerprint --scope repo",
    "grantctl authorization get-or-create --allow-existing",
  ]);
};

async function run(context: Context, options: GetOrCreateOptions): Promise<void> {
  context.printer.checkFields(authorizationPresentation);
  // With --allow-existing, the fields may be those of an existing authorization, which has no token to show.
  if (options.allowExisting !== true) await checkValueOutput(false, options, context);
  const fingerprint = await fingerprintOf(options, context);
  if (context.options.dryRun === true) {
    await checkReceiver(options, context);
    await planGetOrCreate(fingerprint, options, context);
    return;
  }

  const receiver = await openReceiver(options, context);
  try {
    const replaces = options.replaceExisting === true;
    if (replaces) await context.checkCanConfirm();
    const { service, username } = await context.server.accountService();
    const { clientId, clientSecret } = await context.server.applicationCredentials(null);
    const { getOrCreateAuthorization } = await import("../../api/authorizations.ts");
    const wanted = {
      ...(options.note === undefined ? {} : { note: options.note }),
      client_secret: clientSecret,
      ...(options.scope === undefined ? {} : { scopes: options.scope }),
      ...(options.noteUrl === undefined ? {} : { note_url: options.noteUrl }),
    };
    const key = { client_id: clientId, ...(fingerprint === null ? {} : { fingerprint }) };
    const create = (body: WantedAuthorization, deletion?: Deletion): Promise<Authorization> =>
      requestNewToken(context, {
        operation: "get-or-create",
        requester: username,
        item: creationKey({ ...key, ...body }),
        async send(intent, record) {
          await deletion?.carryOut(record);
          const creating = withIntent(service, intent);
          return getOrCreateAuthorization(creating, clientId, fingerprint, body, replaces).catch(
            async (error: unknown) => {
              // Nothing was created, so the journal keeps nothing of the response.
              if (isFailure(error, "protocol"))
                await record.update({ state: "failed" }).catch(() => undefined);
              throw error;
            },
          );
        },
        receiver,
        createRow: (made) => made,
        presentation: authorizationPresentation,
        describeChanges: () => deletion?.remark(),
      });

    const found = await create(wanted);
    // Old servers also return the token of an existing authorization: unless it must be replaced, the work is done.
    if (hasValue(found)) return;
    if (!replaces) return await reportExisting(found, options, context);
    await replaceExisting(found, { service, wanted, create }, context);
  } finally {
    await receiver.close();
  }
}
