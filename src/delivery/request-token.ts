// Sends one request that creates a token: a job of one, whose value is delivered at once. Explains the rejection of a note or
// a fingerprint.
import { idText, type Authorization } from "../api/resources.ts";
import { commandLine } from "../config/command-words.ts";
import { isFailure } from "../errors/errors.ts";
import type { Intent } from "../http/request.ts";
import { runJob } from "../jobs/run-job.ts";
import { Job } from "../jobs/job.ts";
import type { Creation } from "../jobs/journal.ts";
import { tokenEntry } from "../jobs/leftover.ts";
import type { Operation } from "../jobs/operations.ts";
import { isObject, objectIn } from "../json.ts";
import { authorizations } from "../nouns.ts";
import type { Context } from "../run/context.ts";
import type { ValueReceiver } from "./receiver.ts";
import { hasValue, openDelivery } from "./values.ts";

interface ValueRequest {
  readonly operation: Operation;
  readonly requester: string;
  readonly creation: Creation;
  /** Sends the request, which must carry the intent. */
  readonly send: (intent: Intent) => Promise<Authorization>;
  readonly receiver: ValueReceiver;
}

/** Sends the request and delivers the new token, if there is one. Throws the failure of the request or the delivery. */
export async function requestNewToken(
  context: Context,
  { operation, requester, creation, send, receiver }: ValueRequest,
): Promise<Authorization> {
  const { presentation } = authorizations;
  const values = openDelivery<Authorization>(receiver, presentation, "object", context);
  let made: Authorization | null = null;
  const job = new Job(context, operation, [JSON.stringify(creation)]);
  const start = { requester, receiver, tasks: job.tasks() };
  await runJob<Authorization, Authorization>(context, job, start, {
    proof: null,
    change: {
      creation,
      act: async (_, { intent }) => (made = await send(intent)),
      deliver: (outcomes, onTaken) =>
        values.deliver(
          outcomes.flatMap(({ result }) => result ?? []),
          onTaken,
        ),
    },
    report: {
      doneWord: "created",
      isGoneDone: false,
      presentation,
      createRow: (_item, _status, created) =>
        created !== null && hasValue(created) ? { ...created, token: "" } : null,
      list: values.list,
    },
  });
  if (made === null) throw new Error("a request was neither done nor failed");
  const { id, scopes } = made as Authorization;
  if (context.stdout.isTerminal && hasValue(made))
    context.notices.note(
      `created authorization ${idText(id)}${scopes?.length === 0 ? " without scopes" : ""}`,
    );
  return made;
}

// ---- A note or a fingerprint that another authorization of the account has

/** The name that the server rejected because another token has it (it calls a note `description`); null for other errors. */
export function takenName(error: unknown): "note" | "fingerprint" | null {
  if (!isFailure(error, "refused") || error.details.status !== 422) return null;
  const { errors } = objectIn(error.details.received?.body);
  const problems = Array.isArray(errors) ? errors.filter(isObject) : [];
  const taken = problems.find(({ code }) => code === "already_exists");
  if (taken === undefined) return null;
  return taken["field"] === "fingerprint" ? "fingerprint" : "note";
}

/**
 * Adds a hint to a rejection of the note or the fingerprint: the record of an earlier run whose token may have it, or the
 * list. Returns any other error unchanged.
 */
export async function withOwnerHint(error: unknown, creation: Creation, context: Context): Promise<unknown> {
  const name = takenName(error);
  const value = name === null ? null : creation[name];
  if (!isFailure(error) || name === null || value === null) return error;
  const all = await (await context.records()).all();
  const record = all.find(({ contents }) => {
    const isHere = contents.head !== null && context.server.isAt(contents.head.server);
    return isHere && tokenEntry(contents)?.creation?.[name] === value;
  });
  if (record !== undefined)
    return error.with({
      hint: `An interrupted run may have created it. Run \`${commandLine("recover", "end", record.id)}\` to look for it.`,
    });
  const list = commandLine("authorization", "list", `--${name}`, value);
  return error.with({ hint: `Run \`${list}\` to see which authorization has it.` });
}
