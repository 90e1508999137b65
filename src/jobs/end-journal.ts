// The end of a job with a journal: decides whether the journal is kept or deleted, which failure the run ends with, and
// what its hint says about resuming.
import type { Context } from "../run/context.ts";
import type { Failure } from "../errors/errors.ts";
import type { Journal } from "../journal/journal.ts";
import type { StopSignals } from "./finish-on-signal.ts";
import type { Ending } from "./tally.ts";

/** The hint of a job's failure: how to resume, where something may have been changed; otherwise that nothing was. */
export function endingOf(journal: Journal, wayOn: () => string): Pick<Ending, "hint" | "remark"> {
  return journal.hasEffect()
    ? { hint: wayOn() }
    : { hint: null, remark: "Nothing was changed, so you can run the same command again." };
}

/** The same outcomes. Closes the journal where an error ends the loop over them early, so that `end` is not called. */
export async function* closingEarly<Each>(
  outcomes: AsyncIterable<Each>,
  journal: Journal,
  signals: StopSignals,
): AsyncGenerator<Each, void, undefined> {
  let isOver = false;
  try {
    yield* outcomes;
    isOver = true;
  } finally {
    if (!isOver) {
      signals.release();
      await journal.close();
    }
  }
}

/**
 * Ends a job; `hasKept` says whether the journal holds a value that is not delivered. Throws the job's failure, or the
 * quiet exit of the signal that stopped it.
 */
export async function endJournal(
  { notices }: Context,
  journal: Journal,
  signals: StopSignals,
  failure: Failure | null,
  hasKept = false,
): Promise<void> {
  const isOver = failure === null && !hasKept;
  if (isOver || !journal.hasEffect()) await journal.remove();
  else await journal.close();
  if (failure === null) return;
  // A signal's exit code replaces only that of "incomplete": a riskier failure matters more than the signal.
  if (signals.isStopped() && failure.kind === "incomplete") {
    notices.warn(failure.marked);
    notices.warn(failure.details.hint ?? "");
    signals.check();
  }
  throw failure;
}
