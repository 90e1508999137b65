// Runs one action over many items, several at once, and reports the outcomes in the order of the items.
//
//   5 failures in a row        the loop stops: the server is at fault
//   one of `fatalKinds`        the loop stops at once, because every further item would have it as well
//
// A loop that stops lets the items in flight finish; all others, and those that wait for a limit, are "not-tried".
//
// For a job (`runItems`), an absent item and the outcomes after it are held back, at most a hundred. Then it is settled which of
// the absent ones are gone (proof.ts), while no item is started. Then their ends are recorded, and their rows printed.
import { setImmediate as nextTurn } from "node:timers/promises";
import { isFailure, type Failure, type FailureKind } from "../errors/errors.ts";
import { isThrottled } from "../http/waiting.ts";
import type { Context } from "../run/context.ts";
import { openRows, type ReportedItems } from "./job-output.ts";
import { notTried, outcomeOf, Stopped, Tally, type Counts, type Finish, type Outcome } from "./outcome.ts";
import type { Absent, Proof } from "./proof.ts";

interface LoopOptions {
  readonly concurrency: number;
  readonly makesAbsent?: (item: string, failure: Failure) => boolean;
  readonly isStopped?: () => boolean;
  readonly onStop?: () => void;
}

const ofServer = ["authentication", "otp", "sso", "network", "rate-limited"] as const;
/** Failures that every further item would have as well. */
export const fatalKinds: readonly FailureKind[] = [...ofServer, "usage", "undelivered"];

/** After this many failures in a row that are about no single item, the server is at fault. */
const mostConsecutive = 5;

export class Loop {
  readonly #options: LoopOptions;
  /** Ends when no item waits for a proof any more. */
  #pause: Promise<unknown> = Promise.resolve();
  #hasStopped = false;
  #consecutive = 0;
  #counted: Failure | null = null;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  /**
   * Runs `act` over the items, which leave the queue as they start, so that it may change meanwhile. `report` gets the
   * outcomes, in order and never twice at once. Rejects if it throws, or if `act` throws anything but a Failure.
   */
  async run<Result>(
    queue: Set<string>,
    act: (item: string) => Promise<Result>,
    report: (outcomes: readonly Outcome<Result>[]) => Promise<void>,
  ): Promise<void> {
    const items = queue.values();
    const arrived = new Map<number, Outcome<Result>>();
    let [started, reported] = [0, 0];
    let reporting: Promise<void> | null = null;
    /** One at a time, and until all that arrived meanwhile are reported: a slow receiver gets several at once. */
    const reportArrived = async (): Promise<void> => {
      for (;;) {
        const ready: Outcome<Result>[] = [];
        for (let next; (next = arrived.get(reported)) !== undefined; reported += 1) {
          arrived.delete(reported);
          ready.push(next);
        }
        if (ready.length === 0) break;
        await report(ready);
      }
      reporting = null;
    };
    const work = async (): Promise<void> => {
      for (;;) {
        await this.#unpaused();
        const { value: item, done } = items.next();
        if (done === true) break;
        queue.delete(item);
        const position = started;
        started += 1;
        arrived.set(position, await this.#runOne(item, act));
        reporting ??= nextTurn().then(reportArrived);
        // Awaited, so that a slow receiver slows the requests, and a broken one stops them.
        await reporting;
      }
    };
    const workers = Array.from({ length: Math.min(this.#options.concurrency, queue.size) }, work);
    try {
      await Promise.all(workers);
    } catch (error) {
      this.stop();
      // The responses of requests in flight must be kept.
      await Promise.allSettled(workers);
      throw error;
    }
  }

  stop(): void {
    this.#hasStopped = true;
    this.#options.onStop?.();
  }

  /** Starts no item until the promise is settled. */
  pauseUntil(until: Promise<unknown>): void {
    this.#pause = Promise.allSettled([this.#pause, until]);
  }

  async #unpaused(): Promise<void> {
    for (let seen: unknown; seen !== this.#pause;) {
      seen = this.#pause;
      await seen;
    }
  }

  async #runOne<Result>(item: string, act: (item: string) => Promise<Result>): Promise<Outcome<Result>> {
    if (this.#isStopped()) return notTried(item);
    try {
      const result = await act(item);
      this.#consecutive = 0;
      return { item, status: "done", result, failure: null };
    } catch (error) {
      if (error instanceof Stopped) return notTried(item);
      if (!isFailure(error)) throw error;
      // A throttled request changed nothing.
      if (isThrottled(error) && this.#isStopped()) return notTried(item);
      this.#countFailure(item, error);
      return outcomeOf(item, error);
    }
  }

  #countFailure(item: string, failure: Failure): void {
    const { kind, details } = failure;
    if (this.#options.makesAbsent?.(item, failure) === true || details.isAboutItem === true) return;
    // Items that share a request have one failure.
    if (failure === this.#counted) return;
    this.#counted = failure;
    this.#consecutive += 1;
    if (fatalKinds.includes(kind) || this.#consecutive >= mostConsecutive) this.stop();
  }

  #isStopped(): boolean {
    return this.#hasStopped || this.#options.isStopped?.() === true;
  }
}

// ---- The items of a job

interface Running<Result> {
  /** Each part is over and settled before the next begins. */
  readonly parts: readonly Set<string>[];
  readonly earlierCounts: Counts;
  readonly isStopped: () => boolean;
  readonly act: (item: string) => Promise<Result>;
  /** Ends the items of a job that changes something. */
  readonly finish?: Finish<Result>;
  /** Called once the last witness is absent; resolves with false if there is no other. */
  readonly replaceWitness?: () => Promise<boolean>;
}

/** Outcomes that are held back at most before absent items are settled. */
const mostHeld = 100;

/** Runs the items of a job as the header says; resolves with the totals. */
export async function runItems<Result, Row extends object>(
  context: Context,
  reported: ReportedItems<Result, Row>,
  running: Running<Result>,
): Promise<Tally> {
  const { items, proof, report } = reported;
  const { refine = (outcome) => outcome } = report;
  const { parts, earlierCounts, act, finish } = running;
  const { loop, absentOf, settle } = openLoop(context, proof, running);
  const tally = new Tally(report, context.serverType.goneStatus, earlierCounts);
  const rows = openRows(context, reported, finish !== undefined);
  let unprinted = parts.reduce((sum, { size }) => sum + size, 0);
  // A resumed input may lack items that earlier runs reached.
  const total = tally.total() + unprinted;
  let reached = tally.total() - tally.countOf("not-tried");
  // A single item needs no progress display.
  const progress = items.length > 1 ? context.progress.start("item", total, reached) : null;
  let held: readonly Outcome<Result>[] = [];
  const flush = async (): Promise<void> => {
    const settled = (await settle(held)).map(refine);
    const outcomes = (await finish?.(settled, () => loop.stop())) ?? settled;
    held = [];
    unprinted -= outcomes.length;
    for (const outcome of outcomes) tally.count(outcome);
    await rows.add(outcomes, unprinted);
  };

  for (const part of parts) {
    await loop.run(part, act, async (outcomes) => {
      reached += outcomes.length;
      progress?.reach(reached, total);
      held = [...held, ...outcomes];
      if (held.length >= mostHeld || absentOf(held).length === 0) await flush();
    });
    if (held.length > 0) await flush();
  }
  progress?.end();
  if (tally.total() !== total) throw new Error("an item has no outcome");
  await rows.end();
  return tally;
}

function openLoop<Result>({ options, waits }: Context, proof: Proof | null, running: Running<Result>) {
  const { isStopped, replaceWitness } = running;
  const makesAbsent = (item: string, failure: Failure): boolean => proof?.makesAbsent(item, failure) === true;
  const loop = new Loop({ concurrency: options.concurrency, onStop: waits.stop, makesAbsent, isStopped });
  const absentOf = (outcomes: readonly Outcome<Result>[]): readonly Absent[] =>
    outcomes.flatMap(({ item, status, failure }) =>
      status === "failed" && failure !== null && makesAbsent(item, failure) ? [{ item, failure }] : [],
    );
  return {
    loop,
    absentOf,
    /** The outcomes with a verdict on each absent item. No item is started meanwhile. */
    settle: async (held: readonly Outcome<Result>[]): Promise<readonly Outcome<Result>[]> => {
      const absent = absentOf(held);
      if (proof === null || absent.length === 0) return held;
      const settling = proof.settle(absent, { replaceWitness });
      loop.pauseUntil(settling);
      const { verdicts, isRejected } = await settling;
      if (isRejected) loop.stop();
      return held.map((outcome) => ({ ...outcome, ...verdicts.get(outcome.item) }));
    },
  };
}
