// `grantctl authorization run`: runs a command with a token that exists only as long as the command runs.
//
//   state     written                   an interruption leaves                   `recover end`
//   sent      before the creation       perhaps a token, known by fingerprint    looks for it, and deletes it
//   answered  before the command        a token, known by its ID                 deletes it when the command has ended
//   ended     when the command ended    a token, known by its ID                 deletes it
//
// The record is that of a creation, without the token's value, because nobody needs it again. The command inherits the
// record's lock, so that the token of a command that outlives grantctl is not deleted. The fingerprint is random, so no
// other authorization has it. After a signal before the command starts, the token is deleted at once; while the command
// runs, it gets the signals.
import type { NewAuthorization } from "../../api/authorizations.ts";
import { idText, type Authorization } from "../../api/resources.ts";
import { addExamples, type Context, type Define } from "../../command-line/command.ts";
import { collect } from "../../config/global-options.ts";
import { takenName } from "../../delivery/request-token.ts";
import { Failure, QuietExit, isFailure, usageFailure } from "../../errors/errors.ts";
import { spacedTime, typedWord } from "../../errors/words.ts";
import { withIntent, type Service } from "../../http/service.ts";
import { createIntent } from "../../jobs/intent.ts";
import { Job } from "../../jobs/job.ts";
import type { Creation, Journal, EntryStart } from "../../jobs/journal.ts";
import { leftOf } from "../../jobs/leftover.ts";
import { Stopped } from "../../jobs/outcome.ts";
import { endLeftToken } from "../../jobs/left-token.ts";
import { finishOnSignal, type StopSignals } from "../../jobs/signals.ts";
import { findProgram } from "../../system/programs.ts";
import { notFoundCode, notRunnableCode, runInForeground } from "../foreground.ts";
import { addScopeOptions, newAuthorization, type NewAuthorizationOptions } from "./new-authorization.ts";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";

interface RunOptions extends Pick<NewAuthorizationOptions, "note" | "scope" | "noteUrl"> {
  readonly env?: readonly string[];
}

export const define: Define = (command, act) => {
  command
    .description(
      "Create a token, run a command with it in an environment variable, and delete the token when the command ends, whether or not it succeeds. Exits with the command's exit code, or with 12 if the token could not be deleted.",
    )
    .argument("<command...>", "Command and its arguments, after --")
    .usage("[options] -- <command...>")
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

async function run(context: Context, words: readonly [string, ...string[]], options: RunOptions) {
  const variables = variableNames(options);
  if (options.note?.trim() === "") throw usageFailure("the note is empty");
  const { host } = context;
  const { clientId = null } = context.options;
  const { service, username } = await context.server.accountService();
  const [program] = words;
  checkCanRun(program, context);
  const when = spacedTime(host.now());
  const note = options.note ?? `grantctl run on ${host.machine.hostname}, ${when}`;
  const fingerprint = randomBytes(16).toString("hex");
  const body = await newAuthorization({ note, fingerprint }, options, context);
  const creation = { unique: "fingerprint", client_id: clientId, note, fingerprint } as const;
  const job = new Job(context, "run", [fingerprint]);
  const { journal, startOf } = await job.begin({ requester: username, tasks: job.tasks() });
  const token = createRunToken(context, service, journal, { ...startOf(fingerprint), creation });
  let signals = finishOnSignal(context);
  try {
    const created = await token.create(body, signals);
    context.redactor.add(created.token);
    let code = 0;
    if (!signals.isStopped()) {
      signals.release();
      const environment = { ...host.childEnvironment };
      for (const name of variables) environment[name] = created.token;
      code = await runInForeground(words, environment, context, journal.descriptor);
      token.markEnded();
      signals = finishOnSignal(context);
    }
    await token.delete(idText(created.id), program);
    if (code !== 0) throw new QuietExit(code);
    signals.check();
  } finally {
    signals.release();
  }
}

type CreationStart = EntryStart & { readonly creation: Creation };

function createRunToken(context: Context, service: Service, journal: Journal, firstStart: CreationStart) {
  // A server that keeps no fingerprints shows the token by its note, so each request records its own.
  let start = firstStart;
  const hint = `Run \`grantctl recover end ${journal.id}\` to delete the token.`;
  const send = async (body: NewAuthorization, signals: StopSignals): Promise<Authorization> => {
    const { createAuthorization } = await import("../../api/authorizations.ts");
    start = { ...start, creation: { ...start.creation, note: body.note ?? null } };
    const intent = createIntent(journal, start, context, signals);
    return createAuthorization(withIntent(service, intent), body);
  };
  return {
    /** Throws an unknown failure if the token may be there. */
    async create(body: NewAuthorization, signals: StopSignals): Promise<Authorization> {
      try {
        return await send(body, signals).catch((error: unknown) => {
          if (takenName(error) === null) throw error;
          // Another token has the note, perhaps one of a run that began in the same second.
          const note = `${body.note ?? ""} ${body.fingerprint?.slice(0, 8) ?? ""}`;
          return send({ ...body, note }, signals);
        });
      } catch (error) {
        // Without a connection, nothing was sent.
        if (isFailure(error, "network")) journal.markUnsynced({ ...start, state: "unchanged" });
        if (leftOf(journal.contents) === null) await journal.remove();
        else if (isFailure(error)) throw new Failure("unknown", error.message, { ...error.details, hint });
        // A signal came while the request waited for a limit.
        if (error instanceof Stopped) signals.check();
        throw error;
      }
    },
    markEnded: (): void => journal.markUnsynced({ ...start, state: "ended" }),
    /** Deletes the token and its record. Throws an undelivered failure if the token may still be there. */
    async delete(id: string, program: string): Promise<void> {
      const { creation } = start;
      await endLeftToken(service, { id, creation }, context).catch((error: unknown) => {
        if (!isFailure(error)) throw error;
        const what = `the token of ${program} was not deleted (authorization ${id}): ${error.message}`;
        throw new Failure("undelivered", what, { hint });
      });
      await journal.remove();
    },
  };
}

/** Exits as a shell does if there is no such program, before anything is sent. */
function checkCanRun(program: string, { host, notices }: Context): void {
  if (findProgram(program, host.childEnvironment) !== null) return;
  const isThere = program.includes("/") && existsSync(program);
  notices.show(
    `grantctl: cannot run ${typedWord(program)}: ${isThere ? "not executable" : "command not found"}; nothing was sent`,
  );
  throw new QuietExit(isThere ? notRunnableCode : notFoundCode);
}

function variableNames({ env = ["GRANTCTL_TOKEN"] }: RunOptions): readonly string[] {
  for (const name of env)
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw usageFailure(`--env: ${name} cannot be the name of an environment variable`);
  return env;
}
