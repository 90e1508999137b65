// The journal of a job: a new one, or the one that --resume names, which must have the same operation, service, account
// and input. It is read before the confirmation prompt (`previewJob`), and opened after it (`openJournal`).
//
// Items are keyed by their hash. Their entries determine which items are pending, and which an earlier run may have
// sent.
import { usageFailure } from "../errors/errors.ts";
import type { Entry, Head } from "../journal/entries.ts";
import { hashOf, hashOfList } from "../journal/hashes.ts";
import type { Journal, JournalItem } from "../journal/journal.ts";
import type { Leftover } from "../journal/leftover.ts";
import { traitsOf } from "../journal/operations.ts";
import { journalPath } from "../journal/state-folder.ts";
import type { Context } from "../run/context.ts";
import type { JobPlan } from "./job.ts";
import { resumeCommand, sameInputHint } from "./resume-hint.ts";
import type { JobOptions } from "./job-options.ts";

type Subject = Pick<JobPlan<unknown>, "operation" | "items" | "keepsOld">;

export interface JobPreview {
  /** The pending items, for the confirmation prompt. */
  readonly pending: readonly string[];
  /** For a rotation: the items with a new token, whose old token is not deleted yet. */
  readonly pendingDeletions: readonly string[];
  /** The identities of the files that earlier runs wrote tokens to; null for a new job. */
  readonly outputFiles: readonly string[] | null;
  /**
   * Throws a usage failure if the journal belongs to another account or application. To be called as soon as the
   * credentials are known: before the first request with them and before the prompt.
   */
  readonly checkRequester: (requester: string) => void;
}

/**
 * Reads the journal that --resume names, without changing it. Without --resume, warns of an unfinished job over the
 * same items. Throws a usage failure if the journal belongs to another job, or if none could be created.
 */
export async function previewJob(
  context: Context,
  options: JobOptions,
  subject: Subject,
): Promise<JobPreview> {
  const journals = await context.journals();
  if (options.resume === undefined) {
    await journals.checkCanCreate();
    const leftovers = await journals.leftovers().catch(() => []);
    if (leftovers.length > 0) warnUnfinished(context, subject, leftovers);
    return {
      pending: subject.items,
      pendingDeletions: [],
      outputFiles: null,
      checkRequester: () => undefined,
    };
  }
  const { contents } = await journals.readLeftover(resumedJournalPath(context, options.resume));
  const hashes = subject.items.map(hashOf);
  const checkRequester = (requester: string): void => {
    checkSameJob(contents.head, createHead(context, { ...subject, requester }, hashes));
  };
  checkRequester(unknownRequester);
  const entries = hashes.map((hash) => contents.items.get(hash));
  const deletesOld = subject.operation === "rotate" && subject.keepsOld !== true;
  const needsDelete = (entry: Entry | undefined): boolean =>
    deletesOld && entry?.state === "answered" && entry.step !== "gone";
  return {
    pending: subject.items.filter((_, index) => isToBeSent(entries[index])),
    pendingDeletions: subject.items.filter((_, index) => needsDelete(entries[index])),
    outputFiles: contents.outputFiles,
    checkRequester,
  };
}

/**
 * Reads the items of a resumed job from its journal. Throws a usage failure if the journal belongs to another operation
 * or does not contain the items.
 */
export async function readJournalItems(
  context: Context,
  resume: string,
  operation: JobPlan<unknown>["operation"],
): Promise<readonly string[]> {
  const journals = await context.journals();
  const { contents } = await journals.readLeftover(resumedJournalPath(context, resume));
  const { head, ids } = contents;
  if (head.operation !== operation) checkSameJob(head, { ...head, operation });
  if (ids === null) {
    throw usageFailure(
      "the journal does not contain the IDs",
      "Give the same IDs as arguments, or with - on standard input.",
    );
  }
  return ids;
}

function isToBeSent(entry: Entry | undefined): boolean {
  return entry?.state !== "done" && entry?.state !== "answered";
}

/** An open journal, with the entries of its job's items. */
export type JobEntries = ReturnType<typeof createJobEntries>;

/** Creates a journal, or reopens the one that --resume names. Throws a usage failure if that belongs to another job. */
export async function openJournal(
  context: Context,
  options: JobOptions,
  plan: Subject & Pick<JobPlan<unknown>, "requester" | "outputFile" | "lastEightOf" | "isMissing">,
): Promise<JobEntries> {
  const hashes = new Map(plan.items.map((item) => [item, hashOf(item)]));
  const hashFor = (item: string): string => hashes.get(item) ?? hashOf(item);
  const head = createHead(context, plan, [...hashes.values()]);
  const journals = await context.journals();
  if (options.resume === undefined) {
    const created = await journals.create(head, traitsOf(plan.operation).keepsIds ? plan.items : undefined);
    return createJobEntries(created, plan, hashFor);
  }
  const path = resumedJournalPath(context, options.resume);
  const { journal, head: found, outputFiles, ids } = await journals.reopen(path);
  try {
    checkSameJob(found, head);
    if (plan.outputFile !== undefined && !outputFiles.includes(plan.outputFile))
      await journal.addToHead({ output: plan.outputFile });
    // Journals of versions up to 0.2.0 do not contain the IDs.
    if (traitsOf(plan.operation).keepsIds && ids === null) await journal.addToHead({ ids: plan.items });
    return createJobEntries(journal, plan, hashFor, await markMissing(journal, plan, hashFor));
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/** `missing` has the hashes of items whose token must be delivered again. */
function createJobEntries(
  journal: Journal,
  { items, lastEightOf }: Pick<JobPlan<unknown>, "items" | "lastEightOf">,
  hashFor: (item: string) => string,
  missing: ReadonlySet<string> = new Set(),
) {
  const before = (text: string): Entry | undefined => {
    const item = hashFor(text);
    // In a damaged journal, an item without an entry may have been sent: the damaged record may be its own.
    const entry = journal.initialEntries.get(item);
    if (entry !== undefined && missing.has(item)) return { ...entry, state: "answered" };
    return entry ?? (journal.isDamaged ? { item, state: "planned" } : undefined);
  };
  return {
    journal,
    /** The items that earlier runs have not finished. */
    pending: items.filter((item) => before(item)?.state !== "done"),
    /** An item's key in the journal: its hash, and the last eight characters of a token. */
    keyOf: (item: string): JournalItem => ({
      item: hashFor(item),
      ...(lastEightOf === undefined ? {} : { last_eight: lastEightOf(item) }),
    }),
    /**
     * The entry of an item that an earlier run sent or may have sent, so that its outcome must be determined first;
     * otherwise undefined.
     */
    findEarlierEntry: (item: string): Entry | undefined => {
      const entry = before(item);
      return entry?.state === "done" || entry?.state === "failed" ? undefined : entry;
    },
    /** The entry of an item as it is now. */
    latestEntry: (item: string) => journal.latestEntry(hashFor(item)),
  };
}

/** Marks tokens that the receiver no longer has as undelivered. Resolves with the hashes of their items. */
async function markMissing(
  journal: Journal,
  { items, isMissing }: Pick<JobPlan<unknown>, "items" | "isMissing">,
  hashFor: (item: string) => string,
): Promise<ReadonlySet<string>> {
  const missing = new Set<string>();
  if (isMissing === undefined) return missing;
  for (const item of items) {
    const hash = hashFor(item);
    const entry = journal.initialEntries.get(hash);
    if (entry?.state !== "done" || entry.body === undefined || !(await isMissing(entry.body))) continue;
    journal.note({ item: hash, state: "answered" });
    missing.add(hash);
  }
  return missing;
}

function resumedJournalPath(context: Context, resume: string): string {
  return journalPath(() => context.stateFolder(), resume);
}

/** The requester before the credentials are known; it is then not compared. */
const unknownRequester = "";

function createHead(
  context: Context,
  plan: Subject & Pick<JobPlan<unknown>, "requester" | "outputFile" | "isMissing">,
  hashes: readonly string[],
): Head {
  return {
    version: 1,
    operation: plan.operation,
    address: context.server.origin().href,
    server_type: context.serverType.name,
    requester: plan.requester === unknownRequester ? unknownRequester : hashOf(plan.requester),
    created_at: new Date(context.host.now()).toISOString(),
    total: plan.items.length,
    list: hashOfList(hashes),
    output: plan.outputFile,
    keepsOld: plan.keepsOld || undefined,
    keepsDelivered: plan.isMissing === undefined ? undefined : true,
  };
}

function checkSameJob(journal: Head, job: Head): void {
  const problem = findMismatch(journal, job);
  if (problem === null) return;
  throw usageFailure(
    problem,
    journal.list === job.list || journal.operation !== job.operation
      ? "Run `grantctl recover list` to see unfinished jobs."
      : sameInputHint(job.operation),
  );
}

/** Why a journal does not belong to this job, or null. */
function findMismatch(journal: Head, job: Head): string | null {
  if (journal.operation === "unknown")
    return "the journal is damaged, and its operation cannot be read; run `grantctl recover show` to get its values";
  if (journal.operation !== job.operation)
    return `this journal belongs to another operation: ${journal.operation}`;
  if (journal.address !== job.address) return `the journal belongs to another server: ${journal.address}`;
  if (job.requester !== unknownRequester && journal.requester !== job.requester)
    return "the journal belongs to another account or application";
  if ((journal.keepsOld === true) !== (job.keepsOld === true))
    return `the journal belongs to a rotation with${journal.keepsOld === true ? "" : "out"} --keep-old`;
  if (journal.list !== job.list) return "this is not the input that the job was started with";
  return null;
}

function warnUnfinished(context: Context, subject: Subject, leftovers: readonly Leftover[]): void {
  const job = createHead(context, { ...subject, requester: unknownRequester }, subject.items.map(hashOf));
  const same = leftovers.findLast(({ contents }) => findMismatch(contents.head, job) === null);
  if (same === undefined) return;
  const done = [...same.contents.items.values()].filter(({ state }) => state === "done").length;
  context.notices.warn(
    `an earlier run over the same input was not finished (${done} of ${same.contents.head.total} done). Run \`${resumeCommand(context, subject.operation, same.id)}\` to continue it.`,
  );
}
