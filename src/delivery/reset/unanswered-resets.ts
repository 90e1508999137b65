// Finds out the outcomes of unanswered resets at the end of a job, when its successes have proven the credentials. Only
// reads: no token is reset again here.
import type { JournalledJob } from "../../jobs/job.ts";
import { createProof } from "../../jobs/proof.ts";
import { isNotFound, jobWaits, readLimits, runItems, type Outcome } from "../../jobs/run-items.ts";
import type { Context } from "../../run/context.ts";
import { Failure } from "../../errors/errors.ts";
import { valueIn } from "../../journal/kept-values.ts";
import { lostReset, notReset } from "./reset-outcome.ts";

export type Unanswered = Extract<Outcome<string, unknown>, { readonly state: "failed" }>;

export interface Settled {
  /** The item's outcome; once it is checked, with a sentence on what the check showed. */
  readonly outcome: Unanswered;
  /** Whether the reset took effect: the new token is lost, and another one has to be created. */
  readonly isLost: boolean;
}

/**
 * Checks the old token of each with `check`, except of those that an earlier run found lost, and notes in the journal
 * which new tokens are lost. Does nothing after a signal, nor with unproven credentials, for which "not found" means
 * nothing.
 */
export async function settleUnanswered(
  unanswered: readonly Settled[],
  job: JournalledJob<unknown>,
  check: (token: string) => Promise<unknown>,
  context: Context,
): Promise<readonly Settled[]> {
  // An answer that was cut off may still hold the token: then --resume delivers it.
  const hasValue = ({ outcome }: Settled): boolean => valueIn(job.latest(outcome.item)?.body ?? "") !== null;
  if (!job.isProven() || job.isStopped()) return unanswered;
  const proof = createProof();
  proof.give();
  const { outcomes } = runItems(
    unanswered.filter((each) => !hasValue(each)).map(({ outcome }) => outcome),
    {
      concurrency: context.options.concurrency,
      waits: jobWaits(context, readLimits(unanswered)),
      proof,
      vet: null,
      isStopped: () => job.isStopped(),
    },
    // Resets of an earlier run were checked when this run resumed them, and their tokens were not found.
    async ({ item, failure }) => (failure.details.isOld === true ? false : check(item).then(() => true)),
  );
  const settled = unanswered.filter(hasValue);
  const isSent = (item: string): boolean => job.latest(item)?.state !== "planned";
  for await (const look of outcomes) settled.push(settle(look, isSent));
  for (const { outcome, isLost } of settled) if (isLost) job.noteFound(outcome.item, { isLost: true });
  return settled;
}

function settle(look: Outcome<Unanswered, boolean>, isSent: (item: string) => boolean): Settled {
  const { item, failure } = look.item;
  const isGone = look.state === "done" ? !look.result : isNotFound(look);
  if (isGone) {
    const lost = lostReset(item, isSent(item), failure.details);
    return { outcome: { item, state: "failed", failure: lost }, isLost: true };
  }
  if (look.state !== "done") return { outcome: look.item, isLost: false };
  const known = `${failure.marked}; ${notReset}`;
  return {
    outcome: { item, state: "failed", failure: new Failure("unknown", known, failure.details) },
    isLost: false,
  };
}
