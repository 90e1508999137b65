// The end of a job that changes something: after its last item, on a signal, or early because its report failed.
//
// After the first signal, requests in flight are finished and no more are started; a second signal ends the process at
// once, with a warning. The journal is removed if everything is done and no token is kept in it, or if nothing was
// changed; otherwise it is closed, and the job's failure has the command that resumes it.
import { constants } from "node:os";
import { exitCodeOfSignal, QuietExit, type Failure } from "../errors/errors.ts";
import type { Context } from "../run/context.ts";
import type { Journal } from "./journal.ts";

export interface Ending {
  /** The resume hint; null if the hint of the first failure is enough. */
  readonly hint: string | null;
  /** Precedes the hint of the first failure if the job has no hint of its own. */
  readonly remark?: string | undefined;
}

export type StopSignals = ReturnType<typeof finishOnSignal>;

const abandonedJob = "abandoned the requests in flight. Run `grantctl recover list` to see what is left.";

/**
 * Catches signals until `release`, and announces the first one. A second one ends the process with the warning
 * `abandoned`.
 */
export function finishOnSignal({ host, notices, progress }: Context, abandoned = abandonedJob) {
  let received: NodeJS.Signals | null = null;
  let release: (() => void) | null = null;
  let unregisterSecond: (() => void) | null = null;
  const abandon = (): void => {
    progress.end();
    notices.warn(abandoned);
  };
  const stopRequested = new Promise<void>((resolve) => {
    release = host.onStopSignal((signal) => {
      received = signal;
      release?.();
      unregisterSecond = host.beforeSignalEnds(abandon);
      resolve();
      notices.warn(
        "waiting for the requests in flight; interrupt again to abandon them, which loses any new token that they return",
      );
    });
  });
  return {
    /** Resolves at the first signal. */
    stopRequested,
    isStopped: (): boolean => received !== null,
    /** The exit code for the signal; null without one. */
    exitCode: (): number | null => (received === null ? null : exitCodeOfSignal(constants.signals[received])),
    /** Throws a QuietExit with the signal's exit code if a signal arrived. */
    check(): void {
      unregisterSecond?.();
      const code = this.exitCode();
      if (code !== null) throw new QuietExit(code);
    },
    /** Restores the default signal handling. */
    release(): void {
      release?.();
      unregisterSecond?.();
    },
  };
}

/** Starts a job that a signal stops gracefully. Restores the default signal handling if the start fails. */
export async function startStoppable<Started>(
  context: Context,
  start: (signals: StopSignals) => Promise<Started>,
): Promise<Started> {
  const signals = finishOnSignal(context);
  try {
    return await start(signals);
  } catch (error) {
    signals.release();
    throw error;
  }
}

/**
 * Passes the outcomes through. Closes the journal if the loop over them ends early, so that `endJournal` is not called.
 */
export async function* withEarlyClose<Each>(
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

/** The parts of a job's failure that depend on its journal: the resume hint, or that nothing was changed. */
export function createEnding(journal: Journal, resumeHint: () => string): Pick<Ending, "hint" | "remark"> {
  return journal.hasEffect()
    ? { hint: resumeHint() }
    : { hint: null, remark: "Nothing was changed, so you can run the same command again." };
}

interface JobResult {
  readonly failure: Failure | null;
  /** True if the journal holds an undelivered token. */
  readonly hasKept?: boolean;
  /** True if no later run could do more, even after a failure. */
  readonly isOver?: boolean;
}

/** Removes or closes the journal. Throws the job's failure, with the exit code of the signal that stopped it. */
export async function endJournal(
  journal: Journal,
  signals: StopSignals,
  { failure, hasKept = false, isOver = false }: JobResult,
): Promise<void> {
  const isDone = (failure === null || isOver) && !hasKept;
  if (isDone || !journal.hasEffect()) await journal.remove();
  else await journal.close();
  if (failure === null) return;
  const code = signals.exitCode();
  // A signal's exit code replaces only that of "incomplete": a riskier failure matters more than the signal.
  throw code !== null && failure.kind === "incomplete" ? failure.with({ signalCode: code }) : failure;
}
