// How a job that changes something waits for the service: a person hears of long waits, and whoever ends the job ends
// them as well.
import type { Context } from "../run/context.ts";
import { maxWaitMs } from "../http/wait-out.ts";
import type { StopSignals } from "./finish-on-signal.ts";
import type { ShardOptions } from "./shard-option.ts";

/** Whoever ends the job need not wait for the service to have room again. */
export function sleepOf(
  { notices, progress }: Context,
  signals: StopSignals,
): (milliseconds: number) => Promise<void> {
  return (milliseconds) => {
    if (milliseconds > maxWaitMs)
      notices.note(`the service asks to wait for ${Math.ceil(milliseconds / 60_000)} minutes`);
    return Promise.race([progress.wait(milliseconds), signals.asked]);
  };
}

/** How long one item may be put off in all: as long as it takes in a job of several, and one item as any request. */
export function longestWaitOf(items: readonly string[], { shard }: ShardOptions): number {
  return items.length > 1 || shard !== undefined ? Infinity : maxWaitMs;
}
