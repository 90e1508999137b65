// What the items of one run know of each other: a wait that they share, whether the credentials are in doubt, and
// whether going on makes sense.
import type { Failure, FailureKind } from "../errors/errors.ts";
import type { Proof } from "./proof.ts";

/** Failures that every further item would meet as well. */
const hopeless: readonly FailureKind[] = [
  "authentication",
  "otp",
  "sso",
  "network",
  "usage",
  "undelivered",
  "internal",
];

/** So many "not found" without one success may mean wrong credentials as well as gone items. */
const mostNotFound = 5;

/** So many other failures in a row are not about the items any more. */
const mostInARow = 5;

export interface Guard {
  /** Resolves when nobody has to wait, whoever was told to meanwhile. */
  untilNobodyWaits(): Promise<void>;
  /** Resolves when nothing is on its way that could still settle a doubt. */
  untilDecided(): Promise<void>;
  /** Notes that something is on its way until it settles. */
  watch<T>(action: Promise<T>): Promise<T>;
  /** Whether so many were not found that nobody can tell gone items from wrong credentials. */
  isInDoubt(): boolean;
  isStopped(): boolean;
  /** Whether it stopped because nothing settled that doubt. */
  hasGivenUp(): boolean;
  succeed(): void;
  fail(failure: Failure): void;
  giveUp(): void;
  wait(sleep: (milliseconds: number) => Promise<void>, milliseconds: number): void;
}

/** A guard over the items of one run. */
export function createGuard(proof: Proof): Guard {
  let pause = Promise.resolve();
  let isStopped = false;
  let hasGivenUp = false;
  let notFound = 0;
  let inARow = 0;
  const onTheirWay = new Set<Promise<void>>();
  const isInDoubt = (): boolean => notFound >= mostNotFound && !proof.isGiven();
  return {
    async untilNobodyWaits() {
      for (let waited = null; waited !== pause;) {
        waited = pause;
        await waited;
      }
    },
    async untilDecided() {
      while (isInDoubt() && onTheirWay.size > 0) await Promise.race(onTheirWay);
    },
    async watch(action) {
      const settled = action.then(
        () => undefined,
        () => undefined,
      );
      onTheirWay.add(settled);
      try {
        return await action;
      } finally {
        onTheirWay.delete(settled);
      }
    },
    isInDoubt,
    isStopped: () => isStopped,
    hasGivenUp: () => hasGivenUp,
    succeed() {
      inARow = 0;
    },
    fail({ kind, details }) {
      if (details.isOld === true || details.isAboutItem === true) return;
      if (kind === "not-found") notFound += 1;
      else inARow += 1;
      const isHopeless = hopeless.includes(kind) && details.isOneDelivery !== true;
      if (isHopeless || kind === "rate-limited" || inARow >= mostInARow) isStopped = true;
    },
    giveUp() {
      isStopped = true;
      hasGivenUp = true;
    },
    wait(sleep, milliseconds) {
      const until = sleep(milliseconds);
      pause = Promise.all([pause, until]).then(() => undefined);
    },
  };
}
