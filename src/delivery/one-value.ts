// One request that makes a token: a job of one, whose value is delivered at once. Only its failures are its own: what
// is said when no answer came, and the command to paste when the value was not delivered.
import { startJob, type JournalledJob } from "../bulk/job.ts";
import { createProof } from "../bulk/proof.ts";
import { stoppedBefore } from "../bulk/report-outcomes.ts";
import { commandLine } from "../bulk/resume-line.ts";
import { Failure } from "../errors/errors.ts";
import type { Intent } from "../http/request.ts";
import type { JournalOperation } from "../journal/entries.ts";
import type { Context } from "../run/context.ts";

export interface ValueRequest<Made> {
  readonly operation: JournalOperation;
  /** Who asks: the user name, or the client ID. */
  readonly requester: string;
  /** What identifies the item in the journal: the token, or the note or fingerprint of a new one. */
  readonly item: string;
  /** The last eight characters, where the item is a token. */
  readonly lastEight?: string;
  /** Sends it. The intent is to go with the request. */
  readonly send: (intent: Intent) => Promise<Made>;
  /**
   * Writes the output to the receiver; resolves with whether the token's value was in it (`--json id` leaves it out).
   */
  readonly deliver: (made: Made) => Promise<boolean>;
  /**
   * Called when no answer came: finds out whether the request took effect, and says so in a sentence. Absent where
   * `grantctl recover` can find it out later.
   */
  readonly look?: () => Promise<string>;
  /** Flags to add to the `recover show` of the hint, so that it delivers the value as this command would have. */
  readonly receiverWords: readonly string[];
}

/** An answer with a token's value in it. */
interface WithValue {
  readonly token?: string | null | undefined;
}

/** Sends and delivers. Throws what failed; an unknown outcome and an undelivered value stay for `grantctl recover`. */
export async function makeValue<Made extends WithValue>(
  context: Context,
  request: ValueRequest<Made>,
): Promise<Made> {
  const { operation, requester, item, lastEight } = request;
  const job = await startJob<Made>(
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
      deliver(_, made) {
        context.redactor.add(made.token ?? "");
        return request.deliver(made);
      },
    },
  );
  let made: Made | null = null;
  let failure: Failure | null = null;
  for await (const outcome of job.outcomes) {
    if (outcome.state === "done") made = outcome.result;
    if (outcome.state === "failed") failure = await withWayOn(outcome.failure, request, job);
  }
  await job.end((ending) => failure ?? (made === null ? stoppedBefore(ending) : null));
  if (made === null) throw new Error("a request was neither done nor failed");
  if (job.isKept(item)) {
    context.notices.warn(
      `what was printed does not have the token's value in it; it is kept: ${commandLine("recover", "show", job.id)}`,
    );
  }
  return made;
}

/** The failure, with what was found out about a request without an answer, and the command that shows a kept value. */
async function withWayOn(
  failure: Failure,
  { item, look, receiverWords }: Pick<ValueRequest<unknown>, "item" | "look" | "receiverWords">,
  job: JournalledJob<unknown>,
): Promise<Failure> {
  const { kind, marked, details } = failure;
  const show = ["recover", "show", job.id];
  if (kind === "undelivered")
    return new Failure(kind, marked, { ...details, hint: commandLine(...show, ...receiverWords) });
  if (kind !== "unknown") return failure;
  const hint = commandLine(...show);
  if (look === undefined) return new Failure(kind, marked, { ...details, hint });
  const known = await look().catch(() => "whether it took effect could not be looked up");
  job.noteFound(item, { known });
  return new Failure(kind, `${marked}; ${known}`, { ...details, hint });
}
