// Decides when the next item of a run may be sent: not while the service asks to wait, not while many "not found" raise
// doubt about the credentials, and never once every further item would fail.
import type { Failure, FailureKind } from "../errors/errors.ts";
import { saysNotFound } from "../errors/not-found.ts";
import { createWaitBudget, isNamed, type WaitLimits } from "../http/waiting.ts";
import type { Proof } from "./proof.ts";

/** Failures that every further item would have as well. */
const hopeless: readonly FailureKind[] = [
  "authentication",
  "otp",
  "sso",
  "network",
  "usage",
  "undelivered",
  "internal",
];

/** After this many "not found" without one success, the credentials may be wrong, rather than the items gone. */
const mostNotFound = 5;

/** After this many other failures in a row, the fault is the service's and not the items'. */
const mostInARow = 5;

export function createGuard(proof: Proof, limits: WaitLimits) {
  const budget = createWaitBudget(limits);
  let unnamedWaits = 0;
  /** The waits that the service asked for and that are not over, and what resolves when they are. */
  let waits = 0;
  let pause = Promise.resolve();
  const waitedOut = async (earlier: Promise<void>, until: Promise<void>): Promise<void> => {
    await Promise.all([earlier, until]);
    waits -= 1;
  };
  let isStopped = false;
  let hasGivenUp = false;
  let notFound = 0;
  let inARow = 0;
  let underWay = 0;
  /** What goes on when the next action settles. */
  const waitingForOne: (() => void)[] = [];
  const isInDoubt = (): boolean => notFound >= mostNotFound && !proof.isGiven();
  /** Whether an item has to wait. Requests under way may still prove the credentials of those that need proof. */
  const hasToWait = (needsProof: boolean): boolean =>
    waits > 0 || (needsProof && isInDoubt() && underWay > 0);
  const whenReady = async (needsProof: boolean): Promise<void> => {
    while (hasToWait(needsProof))
      await (waits > 0 ? pause : new Promise<void>((resume) => waitingForOne.push(resume)));
  };
  return {
    /**
     * Resolves when an item may be tried: every wait that the service asked for is over, and, where items need proven
     * credentials, no request is under way that could still prove them. Null where it may be tried at once.
     */
    untilReady(needsProof: boolean): Promise<void> | null {
      return hasToWait(needsProof) ? whenReady(needsProof) : null;
    },
    /** Counts an action as under way until it settles. */
    async watch<T>(action: Promise<T>): Promise<T> {
      underWay += 1;
      try {
        return await action;
      } finally {
        underWay -= 1;
        for (const resume of waitingForOne.splice(0)) resume();
      }
    },
    /** Whether so many items were not found that they may be gone, or the credentials wrong. */
    isInDoubt,
    isStopped: () => isStopped,
    /** Whether the run stopped because that doubt could not be settled. */
    hasGivenUp: () => hasGivenUp,
    succeed(): void {
      budget.restart();
      inARow = 0;
    },
    fail(failure: Failure): void {
      const { kind, details } = failure;
      if (kind !== "rate-limited") budget.restart();
      if (details.isOld === true || details.isAboutItem === true) return;
      if (saysNotFound(failure)) notFound += 1;
      else inARow += 1;
      const isHopeless = hopeless.includes(kind) && details.isOneDelivery !== true;
      if (isHopeless || kind === "rate-limited" || inARow >= mostInARow) isStopped = true;
    },
    giveUp(): void {
      isStopped = true;
      hasGivenUp = true;
    },
    wait(until: Promise<void>): void {
      waits += 1;
      pause = waitedOut(pause, until);
    },
    /** How many unnamed waits have begun. */
    unnamedWaits: () => unnamedWaits,
    /**
     * The wait for a throttled item, in milliseconds; null if the budget is exhausted. All items share an unnamed wait,
     * so it is 0 if one has begun since `waitsBefore`, when the item was sent.
     */
    nextWait(failure: Failure, waitsBefore: number): number | null {
      if (isNamed(failure.details.retryAfterMs)) return budget.next(failure);
      if (unnamedWaits > waitsBefore) return 0;
      const next = budget.next(failure);
      if (next !== null) unnamedWaits += 1;
      return next;
    },
    exhausted: (failure: Failure) => budget.exhausted(failure),
  };
}
