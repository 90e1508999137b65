// The end of a job with a journal: which is kept while there is something to tell, and what the run ends with.
import type { Context } from "../run/context.ts";
import type { Failure } from "../errors/errors.ts";
import type { Journal } from "../journal/journal.ts";
import type { StopSignals } from "./finish-on-signal.ts";

/**
 * Ends a job; `hasKept` says whether an answer is kept whose value is not out. Throws its failure, or the quiet exit of
 * the signal that stopped it.
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
  // What is riskier than having been stopped is said instead.
  if (signals.isStopped() && failure.kind === "incomplete") {
    notices.warn(failure.marked);
    notices.warn(failure.details.hint ?? "");
    signals.check();
  }
  throw failure;
}
