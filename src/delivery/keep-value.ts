// One request that makes a token, kept on disk from before it leaves until its value was delivered, so that nothing
// that happens in between can lose the value without a word.
import type { Context } from "../run/context.ts";
import { Failure, isFailure } from "../errors/errors.ts";
import type { Intent } from "../http/request.ts";
import { waitOut } from "../http/wait-out.ts";
import type { JournalOperation } from "../journal/entries.ts";
import { hashOf, hashOfList } from "../journal/hashes.ts";
import type { Journal } from "../journal/journals.ts";
import { createIntent } from "../journal/intent.ts";
import { lineHere } from "../bulk/resume-line.ts";
import { finishOnSignal } from "../bulk/finish-on-signal.ts";

interface RequestSubject {
  readonly operation: JournalOperation;
  /** Who asks: the user name, or the client ID. */
  readonly requester: string;
  /** What the item is told by later: a token, or the note or fingerprint of a new one. */
  readonly item: string;
  /** The last eight characters, where the item is a token. */
  readonly lastEight?: string;
  /**
   * Looks, after an answer that never came, whether it took effect; a sentence of what is known then. Absent where
   * `grantctl recover` can look as well later.
   */
  readonly look?: () => Promise<string>;
  /** Flags that `recover show` is to be given as well, to deliver the value as it was to be. */
  readonly outputWords?: readonly string[];
}

export interface ValueRequest<Result> extends RequestSubject {
  readonly send: (intent: Intent) => Promise<Result>;
  /** Resolves when the receiver took what is to be seen of it; whether the token's value is in that. */
  readonly deliver: (result: Result) => Promise<boolean>;
}

/** What comes back, with the value that is for the receiver alone. */
interface WithValue {
  readonly token?: string | null | undefined;
}

/** Sends and delivers. Throws what failed; an unknown outcome and an undelivered value stay for `grantctl recover`. */
export async function keepValue<Result extends WithValue>(
  context: Context,
  request: ValueRequest<Result>,
): Promise<Result> {
  const item = hashOf(request.item);
  let opened: Promise<Journal> | null = null;
  const journal = (): Promise<Journal> => {
    opened ??= openJournal(context, request, item);
    return opened;
  };
  const kept = { item, ...(request.lastEight === undefined ? {} : { last_eight: request.lastEight }) };
  const signals = finishOnSignal(context);
  try {
    const intent = createIntent(journal, kept);
    const result = await waitOut(
      () => request.send(intent),
      (milliseconds) => Promise.race([context.progress.wait(milliseconds), signals.asked]),
      () => {
        signals.check();
      },
    );
    context.redactor.add(result.token ?? "");
    const isOut = await request.deliver(result);
    const made = await journal();
    if (isOut) await made.remove();
    else {
      await made.close();
      context.notices.warn(
        `what was printed does not have the token's value in it; it is kept: ${lineHere(context, "recover", "show", made.id)}`,
      );
    }
    return result;
  } catch (error) {
    // Assigned in the closure above, which the checker does not follow.
    const begun = opened as Promise<Journal> | null;
    if (begun === null) throw error;
    throw await leave(context, await begun, error, request, item);
  } finally {
    signals.release();
  }
}

/** Keeps the journal if there is something left to tell, and says how to get at it. */
async function leave(
  context: Context,
  journal: Journal,
  error: unknown,
  request: RequestSubject,
  item: string,
): Promise<unknown> {
  if (!isFailure(error)) {
    await journal.close();
    return error;
  }
  const hint = lineHere(context, "recover", "show", journal.id);
  if (error.kind === "undelivered") {
    await journal.close();
    const again = lineHere(context, "recover", "show", journal.id, ...(request.outputWords ?? []));
    return new Failure("undelivered", error.marked, { ...error.details, hint: again });
  }
  if (error.kind !== "unknown") {
    await journal.remove();
    return error;
  }
  if (request.look === undefined) {
    await journal.close();
    return new Failure("unknown", error.marked, { ...error.details, hint });
  }
  const known = await request.look().catch(() => "whether it took effect could not be looked up");
  await journal.mark({ item, state: journal.latest(item)?.state ?? "sent", known }).catch(() => undefined);
  await journal.close();
  return new Failure("unknown", `${error.marked}; ${known}`, { ...error.details, hint });
}

function openJournal(context: Context, request: RequestSubject, item: string): Promise<Journal> {
  return context.journals().then((journals) =>
    journals.create({
      version: 1,
      operation: request.operation,
      address: context.address.origin().href,
      operator: context.operator.name,
      requester: hashOf(request.requester),
      created_at: new Date(context.host.now()).toISOString(),
      total: 1,
      list: hashOfList([item]),
    }),
  );
}
