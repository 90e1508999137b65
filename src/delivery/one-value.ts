// One request that makes a token: a job of one, whose value is delivered at once. Only its failures are its own: what
// is said when no answer came, and the command to paste when the value was not delivered.
import type { Authorization } from "../api/resources.ts";
import { startJob, type JournalledJob } from "../bulk/job.ts";
import { createProof } from "../bulk/proof.ts";
import type { Ending } from "../bulk/tally.ts";
import { stoppedBefore } from "../bulk/report-outcomes.ts";
import { commandLine } from "../bulk/resume-line.ts";
import { Failure } from "../errors/errors.ts";
import type { Intent } from "../http/request.ts";
import type { JournalOperation } from "../journal/entries.ts";
import type { Presentation } from "../output/presentation.ts";
import type { Context } from "../run/context.ts";
import { newValueOf } from "./new-value.ts";
import { printWithoutValue, type ValueReceiver } from "./value-receiver.ts";

export interface ValueRequest<Row extends object> {
  readonly operation: JournalOperation;
  /** Who asks: the user name, or the client ID. */
  readonly requester: string;
  /** What identifies the item in the journal: the token, or the note or fingerprint of a new one. */
  readonly item: string;
  /** The last eight characters, where the item is a token. */
  readonly lastEight?: string;
  /** Sends it. The intent is to go with the request. */
  readonly send: (intent: Intent) => Promise<Authorization>;
  readonly receiver: ValueReceiver;
  /** What is shown of the answer, in JSON with the value in it. */
  readonly rowOf: (made: Authorization) => Row;
  readonly presentation: Presentation<Row>;
  /**
   * Called when no answer came: finds out whether the request took effect, and says so in a sentence. Absent where
   * `grantctl recover` can find it out later.
   */
  readonly look?: () => Promise<string>;
  /** What this run has changed before, and the way on from there: said where a signal stops it before it is sent. */
  readonly changedBefore?: string;
}

/** Whether the service showed the token's value: it does so only for a new token. */
export function hasValue({ token }: Authorization): boolean {
  return typeof token === "string" && token !== "";
}

/**
 * Sends, and delivers the value if there is one. Throws what failed; an unknown outcome and an undelivered value stay for
 * `grantctl recover`.
 */
export async function makeValue<Row extends object>(
  context: Context,
  request: ValueRequest<Row>,
): Promise<Authorization> {
  const { operation, requester, item, lastEight, receiver, rowOf, presentation } = request;
  const job = await startJob<Authorization>(
    context,
    {},
    {
      operation,
      requester,
      items: [item],
      proof: createProof(),
      vet: () => Promise.resolve(true),
      ...(lastEight === undefined ? {} : { lastEightOf: () => lastEight }),
      act: (_, intent) => request.send(intent),
      async deliver(_, made) {
        if (!hasValue(made)) return true;
        context.redactor.add(made.token);
        return deliverValue(made, request, context);
      },
    },
  );
  let made: Authorization | null = null;
  let failure: Failure | null = null;
  for await (const outcome of job.outcomes) {
    if (outcome.state === "done") made = outcome.result;
    if (outcome.state === "failed") failure = await withWayOn(outcome.failure, request, job);
  }
  const { changedBefore: remark } = request;
  const stopped = (ending: Ending): Failure =>
    stoppedBefore(remark === undefined ? ending : { ...ending, remark });
  await job.end((ending) => failure ?? (made === null ? stopped(ending) : null));
  if (made === null) throw new Error("a request was neither done nor failed");
  if (job.isKept(item)) {
    context.notices.warn(
      `what was printed does not have the token's value in it; it is kept: ${commandLine("recover", "show", job.id)}`,
    );
  }
  if (hasValue(made)) await printWithoutValue(receiver, context, rowOf(made), presentation);
  return made;
}

/** Gives the receiver a new token in the format of this run; whether its value was in it (`--json id` leaves it out). */
async function deliverValue<Row extends object>(
  made: Authorization,
  { receiver, rowOf, presentation }: ValueRequest<Row>,
  { printer }: Context,
): Promise<boolean> {
  const { token } = made;
  const text = receiver.kind === "command" ? token : printer.valueText(token, rowOf(made), presentation);
  await receiver.write([{ text, value: newValueOf(made) }]);
  // JSON may write some characters of the value as escapes.
  return text.includes(token) || text.includes(JSON.stringify(token).slice(1, -1));
}

/** The failure, with what was found out about a request without an answer, and the command that shows a kept value. */
async function withWayOn(
  failure: Failure,
  { item, look, receiver }: Pick<ValueRequest<never>, "item" | "look" | "receiver">,
  job: JournalledJob<unknown>,
): Promise<Failure> {
  const { kind, marked, details } = failure;
  const show = ["recover", "show", job.id];
  if (kind === "undelivered")
    return new Failure(kind, marked, {
      ...details,
      hint: commandLine(...show, ...receiver.words),
    });
  if (kind !== "unknown") return failure;
  const hint = commandLine(...show);
  if (look === undefined) return new Failure(kind, marked, { ...details, hint });
  const known = await look().catch(() => "whether it took effect could not be looked up");
  job.noteFound(item, { known });
  return new Failure(kind, `${marked}; ${known}`, { ...details, hint });
}
