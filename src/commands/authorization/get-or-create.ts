// `grantctl authorization get-or-create`: operations 7 and 8.
import { Option, type Command } from "commander";
import { toJson } from "../../exact-json.ts";
import type { Context } from "../../run/context.ts";
import { Failure, isFailure } from "../../errors/errors.ts";
import { withIntent, type Service } from "../../http/service.ts";
import type { WantedAuthorization } from "../../api/authorizations.ts";
import type { Authorization } from "../../api/resources.ts";
import type { Dispatch } from "../../command-line/dispatch.ts";
import { addExamples } from "../../command-line/examples.ts";
import { makeValue } from "../../delivery/one-value.ts";
import { newValueOf } from "../../delivery/new-value.ts";
import {
  addReceiverOptions,
  checkReceiverCommand,
  openReceiver,
  printWithoutValue,
  writeValue,
  type ReceiverOptions,
} from "../../delivery/value-receiver.ts";
import {
  addNewAuthorizationOptions,
  fingerprintOf,
  type NewAuthorizationOptions,
} from "./new-authorization-options.ts";
import { creationKeyOf } from "./find-created.ts";
import { authorizationPresentation } from "../../shapes/authorization-fields.ts";
import { wholeList } from "../../lists/paging-options.ts";
import { watchPages } from "../../lists/watch-pages.ts";

interface GetOrCreateOptions extends NewAuthorizationOptions, ReceiverOptions {
  readonly allowExisting?: true;
  readonly replaceExisting?: true;
}

export function addGetOrCreateCommand(authorization: Command, dispatch: Dispatch): void {
  const command = addReceiverOptions(
    addNewAuthorizationOptions(
      authorization.command("get-or-create").option("--note <text>", "what the token is for"),
    ),
  )
    .option("--allow-existing", "exit 0 when there is one already, although its value cannot be shown")
    .addOption(
      new Option(
        "--replace-existing",
        "delete the one that is there, and create a new one with its scopes and note unless others are given; asks first",
      ).conflicts("allowExisting"),
    )
    .summary("create an application's token unless there is one")
    .description(
      "Create a token of the application --client-id and print it, unless the account has one already: with the same fingerprint, if one is given. The value of an existing token cannot be shown: then nothing is printed, and the exit code is 10.",
    )
    .action((options: GetOrCreateOptions, self: Command) =>
      dispatch(self, (context) => run(options, context)),
    );
  addExamples(command, [
    "grantctl authorization get-or-create --machine-fingerprint --scope repo",
    "grantctl authorization get-or-create --allow-existing",
  ]);
}

async function run(options: GetOrCreateOptions, context: Context): Promise<void> {
  const { printer } = context;
  printer.checkFields(authorizationPresentation);
  const fingerprint = await fingerprintOf(options, context);
  if (context.options.dryRun === true) {
    await checkReceiverCommand(options, context);
    await plan(fingerprint, options, context);
    return;
  }

  const receiver = await openReceiver(options, context);
  try {
    if (options.replaceExisting === true) {
      await context.confirm(
        `If there is such a token at ${context.address.origin().href} already, delete it and create a new one?`,
      );
    }
    const { service, username } = await context.address.accountService();
    const { clientId, clientSecret } = await context.address.applicationCredentials(null);
    const { getOrCreateAuthorization } = await import("../../api/authorizations.ts");
    const wanted = {
      client_secret: clientSecret,
      ...(options.scope === undefined ? {} : { scopes: options.scope }),
      ...(options.note === undefined ? {} : { note: options.note }),
      ...(options.noteUrl === undefined ? {} : { note_url: options.noteUrl }),
    };
    const key = creationKeyOf({
      client_id: clientId,
      ...(fingerprint === null ? {} : { fingerprint }),
      ...(options.note === undefined ? {} : { note: options.note }),
    });
    const attempt = (body: WantedAuthorization): Promise<Authorization> =>
      makeValue(context, {
        operation: "get-or-create",
        requester: username,
        item: key,
        send: async (intent) =>
          (await getOrCreateAuthorization(withIntent(service, intent), clientId, fingerprint, body))
            .authorization,
        // Operators of another age show the value of an existing token too; what counts is whether there is one.
        deliver: (authorization) =>
          hasValue(authorization)
            ? writeValue(
                receiver,
                context,
                newValueOf(authorization),
                authorization,
                authorizationPresentation,
              )
            : Promise.resolve(true),
        receiverWords: receiver.words,
      });
    const printNew = (made: Authorization): Promise<void> =>
      printWithoutValue(receiver, context, made, authorizationPresentation);

    const authorization = await attempt(wanted);
    if (hasValue(authorization)) await printNew(authorization);
    else if (options.replaceExisting === true) {
      await printNew(
        await replace(authorization, service, () => attempt({ ...keptOf(authorization), ...wanted })),
      );
    } else await reportExisting(authorization, options, context);
  } finally {
    await receiver.close();
  }
}

/** What the new one takes from the one that it replaces, unless something else is asked for. */
function keptOf({ scopes, note, note_url }: Authorization): Partial<WantedAuthorization> {
  return {
    ...(scopes === null || scopes === undefined ? {} : { scopes }),
    ...(typeof note !== "string" || note === "" ? {} : { note }),
    ...(typeof note_url !== "string" || note_url === "" ? {} : { note_url }),
  };
}

/** Looks for what would be found, and says what would be done. */
async function plan(
  fingerprint: string | null,
  options: GetOrCreateOptions,
  context: Context,
): Promise<void> {
  const { service } = await context.address.accountService();
  const { clientId } = await context.address.applicationCredentials(null);
  const { listAuthorizations } = await import("../../api/authorizations.ts");
  let existing: Authorization | null = null;
  for await (const page of listAuthorizations(
    service,
    watchPages(wholeList(context.options.concurrency), context),
  )) {
    existing ??=
      page.find(
        ({ app, fingerprint: other }) =>
          app?.client_id === clientId && (fingerprint === null || fingerprint === other),
      ) ?? null;
  }
  const id = existing === null ? null : toJson(existing.id, 0);
  const deed =
    id === null ? "would-create" : options.replaceExisting === true ? "would-replace" : "would-find";
  if (context.printer.isJson)
    await context.stdout.write(`${toJson({ status: deed, id: existing?.id ?? null }, 0)}\n`);
  const what =
    id === null ? `a token of application ${clientId}` : `authorization ${id} of application ${clientId}`;
  context.notices.note(`${deed.replace("-", " ")} ${what} at ${context.address.origin().href}`);
}

/** Deletes the one that exists and creates a new one; says so if only the first succeeded. */
async function replace(
  existing: Authorization,
  service: Service,
  create: () => Promise<Authorization>,
): Promise<Authorization> {
  const id = toJson(existing.id, 0);
  const { deleteAuthorization } = await import("../../api/authorizations.ts");
  await deleteAuthorization(service, id);
  const gone = `authorization ${id} was deleted`;
  let created: Authorization;
  try {
    created = await create();
  } catch (error) {
    if (!isFailure(error)) throw error;
    const isDecided = error.kind !== "unknown" && error.kind !== "undelivered";
    throw new Failure(
      isDecided ? "refused" : error.kind,
      isDecided ? `${gone}, but no new one was created: ${error.marked}` : `${gone}; ${error.marked}`,
      error.details,
    );
  }
  if (!hasValue(created)) {
    throw new Failure("refused", `${gone}, but another one exists: ${toJson(created.id, 0)}`, {
      hint: "run it again to replace that one too",
    });
  }
  return created;
}

async function reportExisting(
  authorization: Authorization,
  options: GetOrCreateOptions,
  context: Context,
): Promise<void> {
  if (context.printer.isJson) await context.printer.printItem(authorization, authorizationPresentation);
  const id = toJson(authorization.id, 0);
  const message = `authorization ${id} exists already, and the service shows the value of a token only when it is new`;
  if (options.allowExisting !== true) {
    throw new Failure("exists", message, {
      status: 200,
      hint: "replace it with --replace-existing, or accept it with --allow-existing",
    });
  }
  context.notices.note(message);
}

function hasValue(authorization: Authorization): boolean {
  return typeof authorization.token === "string" && authorization.token !== "";
}
