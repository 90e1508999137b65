// The waits that the service asks of a job: how long they may be, long ones are announced, and a signal that ends a job
// that changes something ends them, too.
import type { Context } from "../run/context.ts";
import { maxPausesMs, maxWaitMs } from "../http/wait-out.ts";
import type { StopSignals } from "./finish-on-signal.ts";
import { isJobOf } from "./job-plan.ts";
import type { RunOptions, Sleep } from "./run-items.ts";
import type { ShardOptions } from "./shard-option.ts";

type Waits = Pick<RunOptions<never>, "sleep" | "patience">;

/** How long several items are sent in vain where the service does not say how long to wait. */
const longestPausesMs = 300_000;

/** Shorter pauses are not announced. */
const shortestToldMs = 10_000;

/** Without limit in a job of several, otherwise as long as a single request. */
export function writingWaits(
  context: Context,
  items: readonly unknown[],
  options: ShardOptions,
  signals: StopSignals,
): Waits {
  const sleep = announced(context);
  return {
    sleep: (milliseconds, isPause) => Promise.race([sleep(milliseconds, isPause), signals.asked]),
    patience: isJobOf(items, options)
      ? { longestWaitMs: Infinity, longestPausesMs }
      : { longestWaitMs: maxWaitMs, longestPausesMs: maxPausesMs },
  };
}

/** Without limit where the service says how long; otherwise a single read is not sent again. */
export function readingWaits(context: Context, items: readonly unknown[]): Waits {
  return {
    sleep: announced(context),
    patience: { longestWaitMs: Infinity, longestPausesMs: items.length > 1 ? longestPausesMs : 0 },
  };
}

function announced({ notices, progress }: Context): Sleep {
  return (milliseconds, isPause) => {
    if (milliseconds > maxWaitMs)
      notices.note(`the service asks to wait for ${Math.ceil(milliseconds / 60_000)} minutes`);
    if (isPause && milliseconds > shortestToldMs)
      notices.note(
        `the service asks to slow down and does not say for how long: waiting ${milliseconds / 1000} s`,
      );
    return progress.wait(milliseconds);
  };
}
