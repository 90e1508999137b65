// The waits that the service asks of a job that changes something: long ones are announced, and a signal that ends the
// job ends them, too.
import type { Context } from "../run/context.ts";
import { maxWaitMs } from "../http/wait-out.ts";
import type { StopSignals } from "./finish-on-signal.ts";
import type { ShardOptions } from "./shard-option.ts";

/** A sleep that a signal ends early. */
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

/** How long one item may wait in all: without limit in a job of several, otherwise as long as a single request. */
export function longestWaitOf(items: readonly string[], { shard }: ShardOptions): number {
  return items.length > 1 || shard !== undefined ? Infinity : maxWaitMs;
}
