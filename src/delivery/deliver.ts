// Sends one request that creates a token: a job of one item, whose token is delivered at once. If no response arrives
// or the delivery fails, the item stays in the journal, and the failure has the `recover` command for it.
import type { Authorization } from "../api/resources.ts";
import { startJob, type ItemRecord } from "../jobs/job.ts";
import type { Ending } from "../jobs/ending.ts";
import { stoppedFailure } from "../jobs/report.ts";
import { commandLine } from "../jobs/resume-hint.ts";
import { Failure } from "../errors/errors.ts";
import type { Intent } from "../http/request.ts";
import type { JournalOperation } from "../journal/operations.ts";
import type { Presentation } from "../printing/presentation.ts";
import type { Context } from "../run/context.ts";
import { printWithoutValue, containsToken } from "./value-lines.ts";
import type { ValueReceiver } from "./receiver.ts";

export interface ValueRequest<Row extends object> {
  readonly operation: JournalOperation;
  /** The user name or client ID that the request is made with. */
  readonly requester: string;
  /** The key of the item in the journal: the token, or the note or fingerprint of a new one. */
  readonly item: string;
  /** The last eight characters, if the item is a token. */
  readonly lastEight?: string;
  /** Sends the request, which must carry the intent. */
  readonly send: (intent: Intent, record: ItemRecord) => Promise<Authorization>;
  readonly receiver: ValueReceiver;
  /** The row for the response; in JSON it includes the token. */
  readonly createRow: (made: Authorization) => Row;
  readonly presentation: Presentation<Row>;
  /** True if jq gets an array of the one row. */
  readonly isListed?: boolean;
  /** Describes the changes of this run so far and how to continue, for the failure if a signal precedes the request. */
  readonly describeChanges?: () => string | undefined;
}

/** True if the response holds the token, which the server shows only when it is new. */
export function hasValue({ token }: Authorization): boolean {
  return typeof token === "string" && token !== "";
}

/** Sends the request and delivers the new token, if there is one. Throws the failure of the request or the delivery. */
export async function requestNewToken<Row extends object>(
  context: Context,
  request: ValueRequest<Row>,
): Promise<Authorization> {
  const { operation, requester, item, lastEight, receiver, createRow, presentation } = request;
  const job = await startJob<Authorization>(
    context,
    {},
    {
      operation,
      requester,
      items: [item],
      absence: null,
      lastEightOf: lastEight === undefined ? undefined : () => lastEight,
      act: (_, { intent, record }) => request.send(intent, record),
      async deliver(_, newToken) {
        if (!hasValue(newToken)) return;
        context.redactor.add(newToken.token);
        await deliverValue(newToken, request, context);
      },
    },
  );
  let made: Authorization | null = null;
  let failure: Failure | null = null;
  for await (const outcome of job.outcomes) {
    if (outcome.state === "done") made = outcome.result;
    if (outcome.state === "failed") failure = withRecoverHint(outcome.failure, receiver, job.id);
  }
  const stopped = (ending: Ending): Failure =>
    stoppedFailure({ ...ending, remark: request.describeChanges?.() ?? ending.remark });
  await job.end((ending) => failure ?? (made === null ? stopped(ending) : null));
  if (made === null) throw new Error("a request was neither done nor failed");
  if (hasValue(made))
    await printWithoutValue(receiver, context, createRow(made), presentation, request.isListed);
  return made;
}

/**
 * Writes a new token to the receiver in this run's format. Also throws an `undelivered` failure if `--jq` dropped the
 * token, which can only be detected afterwards.
 */
async function deliverValue<Row extends object>(
  made: Authorization,
  { receiver, createRow, presentation, isListed = false }: ValueRequest<Row>,
  { printer }: Context,
): Promise<void> {
  const textFor = (token: string): string =>
    receiver.kind === "command"
      ? token
      : printer.valueText(token, createRow({ ...made, token }), presentation, isListed);
  const text = textFor(made.token);
  await receiver.write([{ text, value: made }]);
  if (!containsToken(text, made.token, textFor))
    throw new Failure("undelivered", "the token exists, but the output does not contain its value");
}

/** Adds the `recover show` command to an undelivered token and to an unknown outcome. */
function withRecoverHint(failure: Failure, { flags }: ValueReceiver, id: string): Failure {
  if (failure.kind === "undelivered")
    return failure.with({
      hint: `Run \`${commandLine("recover", "show", id, ...flags)}\` to get the token.`,
    });
  if (failure.kind !== "unknown") return failure;
  return failure.with({
    hint: `It may still take effect. Run \`${commandLine("recover", "show", id)}\` to see what is known about it.`,
  });
}
