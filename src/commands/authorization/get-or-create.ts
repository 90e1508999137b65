// `grantctl authorization get-or-create`: operations 7 and 8.
//
// If the account already has the authorization, the server does not show its token again. grantctl then reports it (exit
// code 10, or 0 with --allow-existing) or replaces it: deletes it first, because the server allows only one per
// fingerprint, and creates a new one with its scopes, note and URL. The journal records the deleted authorization and
// these fields, so that `recover show` can report the state after an interruption.
import { Option } from "commander";
import type { WantedAuthorization } from "../../api/authorizations.ts";
import type { Authorization } from "../../api/resources.ts";
import {
  addExamples,
  explainInherited,
  printsFields,
  type Define,
  type Context,
} from "../../command-line/command.ts";
import { authorizationInWords } from "../../deletion/question.ts";
import { creationKey } from "../../delivery/created-tokens.ts";
import { hasValue, requestNewToken } from "../../delivery/deliver.ts";
import { checkScopesReported } from "../../delivery/new-value.ts";
import {
  addReceiverOptions,
  checkValueOutput,
  openReceiver,
  type ReceiverOptions,
} from "../../delivery/receiver.ts";
import { Failure, isFailure } from "../../errors/errors.ts";
import { hints } from "../../errors/hints.ts";
import { foreign } from "../../errors/foreign.ts";
import { isItemNotFound } from "../../errors/not-found.ts";
import { withIntent, type Service } from "../../http/service.ts";
import type { ItemRecord } from "../../jobs/job.ts";
import type { Replaced } from "../../journal/entries.ts";
import { toJson } from "../../json/exact-json.ts";
import { quoteWord } from "../../printing/complete-commands.ts";
import { printUnlessPipeClosed } from "../../printing/output-stream.ts";
import { authorizationPresentation } from "../../printing/resources.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { addNewAuthorizationOptions, type NewAuthorizationOptions } from "./new-authorization.ts";

interface GetOrCreateOptions extends NewAuthorizationOptions, ReceiverOptions {
  readonly allowExisting?: true;
  readonly replaceExisting?: true;
}

export const defineGetOrCreate: Define = (command, act) => {
  addReceiverOptions(addNewAuthorizationOptions(command.option("--note <text>", "What the token is for")))
    .option("--allow-existing", "Exit with code 0 instead of 10 if a token already exists")
    .addOption(
      new Option(
        "--replace-existing",
        "Delete an existing token and create a new one with the same scopes and note, unless you specify others; prompts for confirmation",
      ).conflicts("allowExisting"),
    )
    .summary("Create a token for an application unless one already exists")
    .description(
      "Create and print a token for an application (see --client-id), unless the account already has one for that application and fingerprint (if specified). If a token already exists, its value cannot be shown: grantctl prints nothing (with --json, the authorization without its token) and exits with code 10.",
    )
    .action(act(run));
  explainInherited(command, "--client-id", "--client-secret-stdin", "--json", "--jq");
  printsFields(command, authorizationPresentation.fields);
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
  const receiver = await openReceiver(options, context);
  try {
    const replaces = options.replaceExisting === true;
    context.server.checkAccounts();
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
    const create = (body: WantedAuthorization, deletion?: Deletion): Promise<Authorization> =>
      requestNewToken(context, {
        operation: "get-or-create",
        requester: username,
        item: creationKey({ client_id: clientId, fingerprint, note: body.note }),
        async send(intent, record) {
          await deletion?.carryOut(record);
          const creating = withIntent(service, intent);
          try {
            return await getOrCreateAuthorization(creating, clientId, fingerprint ?? null, body, replaces);
          } catch (error) {
            // Nothing was created, so the journal keeps nothing of the response.
            if (isFailure(error, "protocol")) await record.update({ state: "failed" }).catch(() => undefined);
            throw error;
          }
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
    await replaceExisting(found, service, wanted, create, context);
  } finally {
    await receiver.close();
  }
}

/**
 * The failure for an authorization that exists, whose token cannot be shown. If an earlier run saved its token, because it
 * could not be delivered, the hint names the command that shows it.
 */
async function existsFailure(existing: Authorization, context: Context): Promise<Failure> {
  const id = await findSavedToken(existing, context);
  const saved =
    id === null ? "" : `An earlier run saved its token. Run \`grantctl recover show ${id}\` to get it. `;
  return new Failure(
    "exists",
    `authorization ${toJson(existing.id, 0)} already exists, and the server shows a token only when it is new`,
    {
      status: 200,
      hint: `${saved}Replace it with --replace-existing, or accept it with --allow-existing.`,
    },
  );
}

/** The ID of the journal with the authorization's undelivered token, or null. */
async function findSavedToken(
  { token_last_eight: end }: Authorization,
  context: Context,
): Promise<string | null> {
  if (end === null || end === "") return null;
  const { summarize } = await import("../../journal/leftover.ts");
  const leftovers = await (await context.journals()).leftovers().catch(() => []);
  const found = leftovers.find((leftover) => {
    const { state, lastEights } = summarize(leftover);
    return state === "value kept" && lastEights.includes(end);
  });
  return found?.id ?? null;
}

/** Reports the existing authorization. Throws an `exists` failure unless --allow-existing was given. */
async function reportExisting(
  existing: Authorization,
  options: GetOrCreateOptions,
  context: Context,
): Promise<void> {
  if (context.printer.isJson)
    await printUnlessPipeClosed(() => context.printer.printItem(existing, authorizationPresentation));
  const failure = await existsFailure(existing, context);
  if (options.allowExisting !== true) throw failure;
  context.notices.note(failure.message);
  const { id, scopes } = existing;
  const { scope: wanted } = options;
  if (wanted === undefined || scopes === null || isSameSet(scopes, wanted)) return;
  const flags = wanted.map((scope) => `--scope ${quoteWord(scope)}`).join(" ");
  context.notices.warn(
    `authorization ${toJson(id, 0)} has other scopes than requested: ${scopes.length === 0 ? "none" : foreign(scopes.join(", "))}. Run \`grantctl authorization update ${toJson(id, 0)} ${flags}\` to change them.`,
  );
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  const [first, second] = [new Set(one), new Set(other)];
  return first.size === second.size && [...first].every((each) => second.has(each));
}

/** Throws if the scopes of an authorization are unknown, unless --scope sets those of its replacement. */
function checkCanReplace(existing: Authorization, wanted: readonly string[] | undefined): void {
  if (wanted === undefined)
    checkScopesReported(existing, { hint: "Name them with --scope, or give --scope '' for none." });
}

interface Deletion {
  /** Records the plan in the journal, then deletes the old authorization. Does nothing if it is already deleted. */
  carryOut(record: ItemRecord): Promise<void>;
  /** Describes the deletion and how to continue; undefined until the deletion succeeds. */
  remark(): string | undefined;
}

/**
 * Prompts, deletes the existing authorization, and creates a new one with the wanted fields; the others are copied from
 * the old one. If only the deletion succeeds, the failure reports it. `create` runs the deletion, then the creation.
 */
async function replaceExisting(
  existing: Authorization,
  service: Service,
  wanted: WantedAuthorization,
  create: (body: WantedAuthorization, deletion: Deletion) => Promise<Authorization>,
  context: Context,
): Promise<void> {
  checkCanReplace(existing, wanted.scopes);
  const subject = `${authorizationInWords(existing)} at ${context.server.origin().href}`;
  await context.confirm(`Replace ${subject} and revoke its token?`);
  const id = toJson(existing.id, 0);
  const { deleteAuthorization } = await import("../../api/authorizations.ts");
  const kept = fieldsToKeep(existing);
  const gone = `authorization ${id} was deleted`;
  const again = `Fix the problem, then run the same command again to create it${previousFlags(kept)}`;
  let isGone = false;
  let wasNotFound = false;
  const deletion: Deletion = {
    async carryOut(record) {
      if (isGone) return;
      await record.update({ state: "sent", replaces: { id, ...kept } });
      await deleteAuthorization(service, id).catch((error: unknown) => {
        // The same credentials have just found it, so "not found" means that somebody else deleted it.
        if (!isItemNotFound(error)) throw error;
        wasNotFound = true;
      });
      isGone = true;
    },
    remark: () => (isGone ? `${gone}. ${again}` : undefined),
  };
  let created: Authorization;
  try {
    created = await create({ ...kept, ...wanted }, deletion);
  } catch (error) {
    if (!isFailure(error) || !isGone) throw error;
    const isDecided = error.kind !== "unknown" && error.kind !== "undelivered";
    throw new Failure(
      isDecided ? "incomplete" : error.kind,
      isDecided ? `${gone}, but no new one was created: ${error.marked}` : `${gone}; ${error.marked}`,
      isDecided ? { ...error.details, hint: again } : error.details,
    );
  }
  if (!hasValue(created)) {
    if (wasNotFound && toJson(created.id, 0) === id) {
      throw new Failure(
        "refused",
        `authorization ${id} still exists, and the server returns 404 only for its deletion: it may not support it`,
        { status: 404, hint: hints.server },
      );
    }
    throw anotherFailure(`${gone}, but another one exists: ${toJson(created.id, 0)}`);
  }
}

/** The failure if the server returns another authorization of the application instead of the replacement. */
function anotherFailure(message: string): Failure {
  return new Failure("incomplete", message, {
    hint: "The same command deletes that one next. Add --fingerprint or --machine-fingerprint to give each machine its own.",
  });
}

/** The fields of the old authorization that the new one gets unless a flag sets them. */
function fieldsToKeep({
  scopes,
  note,
  note_url,
}: Authorization): Omit<Partial<WantedAuthorization>, "client_secret"> {
  return {
    ...(scopes === null || scopes === undefined ? {} : { scopes }),
    ...(typeof note !== "string" || note === "" ? {} : { note }),
    ...(typeof note_url !== "string" || note_url === "" ? {} : { note_url }),
  };
}

/** The flags for an authorization with these fields, as the end of a message; empty for none. */
function previousFlags({ scopes = [], note, note_url: noteUrl }: Omit<Replaced, "id">): string {
  const flags = [
    ...scopes.flatMap((scope) => ["--scope", scope]),
    ...(note === undefined ? [] : ["--note", note]),
    ...(noteUrl === undefined ? [] : ["--note-url", noteUrl]),
  ];
  return flags.length === 0 ? "" : `; it had: ${foreign(flags.map(quoteWord).join(" "))}`;
}
