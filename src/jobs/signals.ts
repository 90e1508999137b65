// Catches signals while something is changed: after the first one, requests in flight are finished and no more are started;
// a second one ends the process at once, with a warning.
import { exitCodeOfSignal, QuietExit, type Failure } from "../errors/errors.ts";
import type { Context } from "../run/context.ts";

export type StopSignals = ReturnType<typeof finishOnSignal>;

const abandonedJob = "abandoned the requests in flight. Run `grantctl recover list` to see what is left.";

/** Finishes one request although a signal arrives; a second one ends the process. */
export async function finishRequest<Result>(context: Context, send: () => Promise<Result>): Promise<Result> {
  const signals = finishOnSignal(context, "abandoned the request. Check whether it took effect.");
  try {
    return await send();
  } finally {
    signals.release();
  }
}

/** Catches signals until `release`. A second one ends the process with the warning `abandoned`. */
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
        "waiting for the requests in flight; interrupt again to abandon them and what they return",
      );
    });
  });
  return {
    /** Resolves at the first signal. */
    stopRequested,
    isStopped: (): boolean => received !== null,
    /** Adds the signal's exit code only to "incomplete": a riskier failure matters more than the signal. */
    explain(failure: Failure): Failure {
      if (received === null || failure.kind !== "incomplete") return failure;
      return failure.with({ signalCode: exitCodeOfSignal(received) });
    },
    /** Throws a QuietExit with the signal's exit code if a signal arrived. */
    check(): void {
      unregisterSecond?.();
      if (received !== null) throw new QuietExit(exitCodeOfSignal(received));
    },
    release(): void {
      release?.();
      unregisterSecond?.();
    },
  };
}
