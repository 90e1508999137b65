// One request that makes a token: a job of one, whose value is handed on as soon as it is there. What is its own is what
// is said of an answer that never came, and the way to a value that was not taken.
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
  /** What the item is told by later: a token, or the note or fingerprint of a new one. */
  readonly item: string;
  /** The last eight characters, where the item is a token. */
  readonly lastEight?: string;
  /** Sends it. The intent is to go with the request. */
  readonly send: (intent: Intent) => Promise<Made>;
  /** Resolves when the receiver took what is to be seen of it; whether the token's value is in that. */
  readonly deliver: (made: Made) => Promise<boolean>;
  /**
   * Looks, after an answer that never came, whether it took effect; a sentence of what is known then. Absent where
   * `grantctl recover` can look as well later.
   */
  readonly look?: () => Promise<string>;
  /** Flags that `recover show` is to be given as well, to deliver the value as it was to be. */
  readonly receiverWords: readonly string[];
}

/** What comes back, with the value that is for the receiver alone. */
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

/** The failure, with what is known of an answer that never came, and with the way to what is kept. */
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
