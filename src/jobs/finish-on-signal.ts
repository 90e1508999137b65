// Signals during a job that changes something: after the first one, requests under way are finished and no more are
// started; a second one ends the process at once.
import { constants } from "node:os";
import type { Context } from "../run/context.ts";
import { exitCodeOfSignal, QuietExit } from "../errors/errors.ts";

export type StopSignals = ReturnType<typeof finishOnSignal>;

/** Catches signals until `release`, and announces the first one. */
export function finishOnSignal({ host, notices }: Context) {
  let received: NodeJS.Signals | null = null;
  let release: (() => void) | null = null;
  const asked = new Promise<void>((resolve) => {
    release = host.onStopSignal((signal) => {
      received = signal;
      release?.();
      resolve();
      notices.warn("finishing what is on its way; press again to abandon it");
    });
  });
  return {
    /** Resolves when a signal asks to stop. */
    asked,
    isStopped: (): boolean => received !== null,
    /** Throws the quiet exit of the signal, if there was one. */
    check(): void {
      if (received !== null) throw new QuietExit(exitCodeOfSignal(constants.signals[received]));
    },
    /** Gives signals their usual meaning back. */
    release(): void {
      release?.();
    },
  };
}

/** Starts a job that finishes on a signal. A start that fails gives signals their usual meaning back. */
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
