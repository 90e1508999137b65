// Sends one request that creates a token: a job of one item, whose token is delivered at once. If no answer arrives or the
// delivery fails, the item stays in the journal, and the failure has the `recover` command for it.
import type { Authorization } from "../api/resources.ts";
import { startJob } from "../jobs/job.ts";
import { stoppedFailure } from "../jobs/report.ts";
import { commandLine } from "../jobs/resume-hint.ts";
import { Failure } from "../errors/errors.ts";
import type { Intent } from "../http/request.ts";
import type { Creation } from "../jobs/journal.ts";
import type { JournalOperation } from "../jobs/operations.ts";
import type { Presentation } from "../printing/presentation.ts";
import type { Context } from "../run/context.ts";
import { printWithoutValue, containsToken } from "./value-lines.ts";
import type { ValueReceiver } from "./receiver.ts";

export interface ValueRequest<Row extends object> {
  readonly operation: JournalOperation;
  /** The user name or client ID that the request is made with. */
  readonly requester: string;
  /** What finds the new authorization if no answer arrives. */
  readonly creation: Creation;
  /** Sends the request, which must carry the intent. */
  readonly send: (intent: Intent) => Promise<Authorization>;
  readonly receiver: ValueReceiver;
  /** The row for the response; in JSON it includes the token. */
  readonly createRow: (made: Authorization) => Row;
  readonly presentation: Presentation<Row>;
  /** True if jq gets an array of the one row. */
  readonly isListed?: boolean;
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
  const { operation, requester, creation, receiver, createRow, presentation } = request;
  const job = await startJob<Authorization>(
    context,
    {},
    {
      operation,
      requester,
      items: [JSON.stringify(creation)],
      receiver: receiver.description,
      absence: null,
      describe: () => ({ creation }),
      act: (_, { intent }) => request.send(intent),
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
  await job.end((ending) => failure ?? (made === null ? stoppedFailure(ending) : null));
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
  await receiver.take([{ text, value: made }]);
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
