// `grantctl authorization run`: runs a command with a token that exists only as long as the command runs.
//
//   state     written                   an interruption leaves                   `recover end`
//   sent      before the creation       perhaps a token, known by fingerprint    looks for it, and deletes it
//   answered  before the command        a token, known by its ID                 deletes it when the command has ended
//   ended     when the command ended    a token, known by its ID                 deletes it
//
// After the creation, grantctl always tries to delete the token: however the command ends, if it cannot be started, or
// after a signal. Like any change, the deletion is sent once. It is sent again, for up to a minute, only if the server did
// not process it: after a 429, or without a connection. A token that is left stays in the record. A signal before the
// command starts, or during the deletion, stops the attempts; a second one ends grantctl at once. While the command runs,
// it receives all signals.
//
// The record never holds the token's value, because nobody needs it again. The command inherits the record's lock, so that
// the token of a command that outlives grantctl is not deleted. The fingerprint is random, so no other authorization has it.
import type { NewAuthorization } from "../../api/authorizations.ts";
import { type Context, type Define, addExamples } from "../../command-line/command.ts";
import { collect } from "../../config/global-options.ts";
import { isNameTaken } from "../../delivery/token-names.ts";
import { Failure, QuietExit, isFailure, usageFailure } from "../../errors/errors.ts";
import type { Intent } from "../../http/request.ts";
import { type Service, withIntent } from "../../http/service.ts";
import { type StopSignals, startStoppable } from "../../jobs/signals.ts";
import { hashOf, type Journal } from "../../jobs/journal.ts";
import { readJson, toJson } from "../../json.ts";
import { isProgram } from "../../system/start-program.ts";
import { notFoundCode, notRunnableCode, runInForeground } from "../foreground.ts";
import { deleteOrProveGone, endLeftToken, type Ending } from "../../jobs/look.ts";
import { addScopeOptions, clientIdFromFlag, type NewAuthorizationOptions } from "./new-authorization.ts";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";

/** The time limit for attempts to delete the token, counted from the first one. */
const retryForMs = 60_000;

interface RunOptions extends Pick<NewAuthorizationOptions, "note" | "scope" | "noteUrl"> {
  readonly env?: readonly string[];
}

export const defineRun: Define = (command, act) => {
  command
    .description(
      "Create a token, run a command with it in an environment variable, and delete the token when the command ends, whether or not it succeeds. Exits with the command's exit code, or with 12 if the token could not be deleted.",
    )
    .argument("<command...>", "Command and its arguments, after --")
    .option("--note <text>", 'What the token is for (default "grantctl run on HOST, DATE TIME")');
  addScopeOptions(command)
    .option(
      "--env <name>",
      'Environment variable for the token (can be repeated; default "GRANTCTL_TOKEN")',
      collect,
    )
    .action(act(run));
  addExamples(command, [
    "grantctl authorization run --scope repo -- ./deploy.sh",
    "grantctl authorization run --env GH_TOKEN -- gh release create v1.0",
    "grantctl authorization run -- sh -c 'grantctl api /user --jq .login'",
  ]);
};

async function run(
  context: Context,
  words: readonly [string, ...string[]],
  options: RunOptions,
): Promise<void> {
  const variables = variableNames(options);
  if (options.note?.trim() === "") throw usageFailure("the note is empty");
  const { host } = context;
  const clientId = clientIdFromFlag(context);
  const { service, username } = await context.server.accountService();
  const [program] = words;
  checkCanRun(program, context);
  const started = new Date(host.now()).toISOString();
  const when = started.slice(0, 19).replace("T", " ");
  const note = options.note ?? `grantctl run on ${host.machine.hostname}, ${when}`;
  const fingerprint = randomBytes(16).toString("hex");
  const scopes = options.scope ?? [];
  const application = clientId === null ? null : await context.server.applicationCredentials(clientId);
  const item = hashOf(fingerprint);
  const journals = await context.journals();
  const journal = await journals.create({
    version: 2,
    operation: "run",
    argv: [...host.argv],
    server: context.server.origin().href,
    server_type: context.serverType.name,
    requester: hashOf(username),
    created_at: started,
    items: [item],
  });
  const wanted = {
    note,
    scopes,
    note_url: options.noteUrl,
    fingerprint,
    client_id: application?.clientId,
    client_secret: application?.clientSecret,
  };
  const state: RunState = { service, journal, item, context };
  const created = await createToken(wanted, state);
  context.redactor.add(created.token);
  const environment = { ...host.childEnvironment };
  for (const name of variables) environment[name] = created.token;
  let code: number | null = null;
  if (!created.signals.isStopped()) {
    created.signals.release();
    code = await runInForeground(words, { environment, descriptor: journal.descriptor }, context);
    journal.note({ item, state: "ended" });
  }
  await deleteToken(created.id, program, created.signals, state);
  created.signals.check();
  if (code !== null && code !== 0) throw new QuietExit(code);
}

/** Exits as a shell does if there is no such program, before anything is sent. */
function checkCanRun(program: string, { host, notices }: Context): void {
  if (isProgram(program, host.childEnvironment, host.platform)) return;
  const isThere = program.includes("/") && existsSync(program);
  notices.show(
    `grantctl: cannot run ${program}: ${isThere ? "not executable" : "command not found"}; nothing was sent`,
  );
  throw new QuietExit(isThere ? notRunnableCode : notFoundCode);
}

interface RunState {
  readonly service: Service;
  readonly journal: Journal;
  /** The key of the run's only entry. */
  readonly item: string;
  readonly context: Context;
}

/** The fingerprint identifies the token after an interruption. */
type CreationRequest = NewAuthorization & { readonly fingerprint: string };

interface CreatedToken {
  readonly id: string;
  readonly token: string;
  /** Registered before the creation. */
  readonly signals: StopSignals;
}

/** Creates the token and writes its ID to disk. After a failure, no token is left or the journal has it. */
function createToken(wanted: CreationRequest, state: RunState): Promise<CreatedToken> {
  const { journal, context } = state;
  return startStoppable(context, async (signals) => {
    try {
      const created = await sendCreation(wanted, state).catch((error: unknown) => {
        if (!isNameTaken(error)) throw error;
        // Another token has the note, perhaps one of a run that began in the same second.
        return sendCreation({ ...wanted, note: `${wanted.note} ${wanted.fingerprint.slice(0, 8)}` }, state);
      });
      return { ...created, signals };
    } catch (error) {
      // Without a connection, nothing was sent.
      const mayExist = ["sent", "answered"].includes(journal.latestEntry(state.item)?.state ?? "");
      if (!mayExist || isFailure(error, "network")) {
        await journal.remove();
        throw error;
      }
      throw await cleanUpCreation(error, state);
    }
  });
}

async function sendCreation(
  wanted: CreationRequest,
  { service, journal, item, context }: RunState,
): Promise<Omit<CreatedToken, "signals">> {
  const { note, fingerprint, client_id = null } = wanted;
  const { host } = context;
  let unkept: unknown = null;
  const intent: Intent = {
    beforeSending: () =>
      journal.mark({
        item,
        state: "sent",
        at: new Date(host.now()).toISOString(),
        creation: { unique: "fingerprint", client_id, note, fingerprint },
      }),
    async keepResponse(status, body) {
      if (status >= 400 && status < 500) journal.note({ item, state: "failed" });
      const id = status >= 200 && status < 300 ? readId(body) : null;
      if (id === null) return;
      await journal.mark({ item, state: "answered", id }).catch((error: unknown) => {
        unkept = error;
        // Known at least to this run, which deletes the token.
        journal.note({ item, state: "answered", id });
      });
    },
  };
  const { createAuthorization } = await import("../../api/authorizations.ts");
  const created = await createAuthorization(withIntent(service, intent), wanted);
  if (created.fingerprint !== fingerprint)
    throw new Failure(
      "unknown",
      "the server responded with another authorization than the one to be created",
    );
  // The command must not start before the ID is on disk.
  if (unkept !== null) throw unkept;
  return { id: toJson(created.id, 0), token: created.token };
}

function readId(body: Buffer): string | null {
  try {
    const { id } = readJson(body) as { readonly id?: unknown };
    const text = toJson(id, 0);
    return /^\d+$/.test(text) ? text : null;
  } catch {
    return null;
  }
}

/**
 * The failure to throw after a creation with an unreliable response. With an ID in it, a token exists, and is deleted.
 * Without one, the request may still take effect, so the journal stays for `recover end`.
 */
async function cleanUpCreation(error: unknown, state: RunState): Promise<unknown> {
  const { service, journal, context } = state;
  const entry = journal.latestEntry(state.item);
  let ending: Ending | null = null;
  try {
    if (entry?.id !== undefined) ending = await endLeftToken(service, entry, context);
  } catch {
    // The token is left for `recover end`.
  }
  if (ending !== null && ending.state !== "left") {
    await journal.remove();
    if (!isFailure(error)) return error;
    return new Failure(
      "protocol",
      `${error.message}; grantctl then deleted the new token and did not run the command`,
      { cause: error },
    );
  }
  await journal.close();
  return isFailure(error) ? error.with({ hint: endHint(journal.id, "the token if it was created") }) : error;
}

/** Deletes the token after the command. If that fails, keeps the journal and throws `undelivered`. */
async function deleteToken(
  id: string,
  program: string,
  earlierSignals: StopSignals,
  state: RunState,
): Promise<void> {
  const { service, journal, context } = state;
  const hasCodeCommand = context.settings.otpCommand !== undefined;
  const deadline = context.host.now() + retryForMs;
  await startStoppable(context, async (signals) => {
    for (let pause = 1000; ; pause *= 2) {
      try {
        await deleteOrProveGone(service, id, context);
        await journal.remove();
        signals.release();
        return;
      } catch (error) {
        const isOver =
          context.host.now() + pause > deadline || signals.isStopped() || earlierSignals.isStopped();
        if (isFailure(error) && isRetryable(error, hasCodeCommand) && !isOver) {
          await Promise.race([context.progress.wait(pause), signals.stopRequested]);
          continue;
        }
        await journal.close();
        if (!isFailure(error)) throw error;
        throw new Failure(
          "undelivered",
          `the token of ${program} was not deleted (authorization ${id}): ${error.message}`,
          { hint: endHint(journal.id, "the token"), cause: error },
        );
      }
    }
  });
}

function variableNames({ env = ["GRANTCTL_TOKEN"] }: RunOptions): readonly string[] {
  for (const name of env)
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw usageFailure(`--env: ${name} cannot be the name of an environment variable`);
  return env;
}

function endHint(id: string, what: string): string {
  return `Run \`grantctl recover end ${id}\` to delete ${what}.`;
}

/**
 * True if the server did not process the deletion, and may process the next one: after a 429, without a connection, and
 * after a one-time password failure if a command prints the codes.
 */
function isRetryable(error: unknown, hasCodeCommand: boolean): boolean {
  if (isFailure(error, "otp")) return hasCodeCommand;
  return isFailure(error, "network") || (isFailure(error, "rate-limited") && error.details.status === 429);
}
