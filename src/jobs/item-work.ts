// The work on one item of a job: sends its request, or takes up what an earlier run had begun, and notes in the journal
// what became of it.
import { isFailure, type FailureKind } from "../errors/errors.ts";
import type { Entry } from "../journal/entries.ts";
import { createIntent, type JournalItem, planIntents, type Journal } from "../journal/journal.ts";
import type { JobEntries } from "./job-entries.ts";
import type { ItemRecord, JobPlan } from "./job-plan.ts";

/** Failures after which something was changed, or may have been. */
const leavesSomething: readonly FailureKind[] = ["unknown", "undelivered", "incomplete"];

/** The work on the items that are left; `isPlanned` tells whether the journal names items ahead of their turn. */
export function createItemWork<Result>(
  plan: JobPlan<Result>,
  { journal, left, keyOf, begun }: JobEntries,
  isPlanned: boolean,
) {
  const unsent = isPlanned ? left.filter((item) => begun(item) === undefined) : [];
  const intents = planIntents(journal, unsent.map(keyOf));
  let done = 0;
  /** How many items were not found in this run, although an earlier run had sent them. */
  let notFound = 0;
  return {
    /** Does the work for an item, and resolves with its result. Throws its failure. */
    async carryOut(item: string): Promise<Result> {
      const key = keyOf(item);
      const before = begun(item);
      const planned = intents.ready(key.item);
      const intent = createIntent(journal, key, planned);
      try {
        const result = await plan.act(item, { intent, record: recordOf(journal, key), before });
        const { deliver } = plan;
        if (deliver !== undefined && deliver !== "in order") await deliver(item, result);
        done += 1;
        // Not awaited: where the record is lost, a later run checks the item again and does not send it.
        if (deliver !== "in order") journal.note({ item: key.item, state: "done" });
        return result;
      } catch (error) {
        if (!isFailure(error)) throw error;
        if (before !== undefined && !intent.hasBeenSent()) {
          if (!isFailure(error, "not-found", "unknown")) throw error;
          notFound += 1;
          // What an earlier run did could not be found out: the item's entry is not changed.
          throw error.with({ isOld: true });
        }
        // The plan may still be on its way to the disk, and would come after the note that takes it back.
        await planned?.catch(() => undefined);
        const state = journal.latest(key.item)?.state;
        // The failure says that nothing was changed: a later run may send the item again.
        if (!leavesSomething.includes(error.kind) && (state === "sent" || state === "planned"))
          journal.note({ ...key, state: "failed" });
        throw error;
      }
    },
    /** Writes to the journal that what was planned and not begun was not sent. */
    abandon: () => intents.abandon().catch(() => undefined),
    /**
     * How many items remain, where all of them were not found and nothing proves the credentials, so that another run
     * would end the same way; otherwise 0.
     */
    inVain: () => (!plan.proof.isGiven() && notFound === left.length - done ? notFound : 0),
  };
}

function recordOf(journal: Journal, key: JournalItem): ItemRecord {
  const latest = (): Entry | undefined => journal.latest(key.item);
  return {
    latest,
    keep: (more) => journal.mark({ ...key, state: latest()?.state ?? "planned", ...more }),
  };
}
