// The journal of a job: a new one, or the one that --resume names, which must be of the same operation, service, account
// and input.
import type { Context } from "../run/context.ts";
import { usageFailure } from "../errors/errors.ts";
import type { Head } from "../journal/entries.ts";
import { hashOf, hashOfList } from "../journal/hashes.ts";
import type { Journal } from "../journal/journals.ts";
import { journalPath } from "../journal/remembered-operator.ts";
import type { JobOptions, JobPlan } from "./job.ts";
import { shardText } from "./shard-option.ts";

/**
 * A new journal for a job, or the one to resume. Throws a usage failure, before anything is sent, for a journal of
 * another job.
 */
export async function openJournal(
  context: Context,
  options: JobOptions,
  plan: Pick<JobPlan<unknown>, "operation" | "requester" | "items">,
  hashes: readonly string[],
): Promise<{ readonly journal: Journal; readonly head: Head }> {
  const head: Head = {
    version: 1,
    operation: plan.operation,
    address: context.address.origin().href,
    operator: context.operator.name,
    requester: hashOf(plan.requester),
    created_at: new Date(context.host.now()).toISOString(),
    total: plan.items.length,
    list: hashOfList(hashes),
    ...(options.shard === undefined ? {} : { shard: shardText(options.shard) }),
  };
  const journals = await context.journals();
  if (options.resume === undefined) return { journal: await journals.create(head), head };

  // The id of `recover list` does as well as the path.
  const reopened = await journals.reopen(journalPath(() => context.stateFolder(), options.resume));
  const problem = mismatch(reopened.head, head);
  if (problem === null) return reopened;
  await reopened.journal.close();
  throw usageFailure(problem, "grantctl recover list");
}

/** Why a journal is not of this job; null when it is. */
function mismatch(journal: Head, job: Head): string | null {
  if (journal.operation !== job.operation) return `the journal is of another operation: ${journal.operation}`;
  if (journal.address !== job.address) return `the journal is of another service: ${journal.address}`;
  if (journal.requester !== job.requester) return "the journal is of another account or application";
  if (journal.shard !== job.shard) {
    return `the journal is of ${journal.shard === undefined ? "the whole input" : `--shard ${journal.shard}`}`;
  }
  if (journal.list !== job.list) return "the input is not the one that this job was started with";
  return null;
}
