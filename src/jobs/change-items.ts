// The steps of every command that changes items: `delete`, `rotate`, `token reset`, `revoke` and `revoke-grant`.
//
//   items        of the input; none is reported, and is no error
//   record       the one that --resume names, or a check that one can be made; then the receiver
//   credentials  those that the record belongs to, before any request
//   dry run      reads the items, and says what would be done
//   question     whether it can be asked, before any request; then with the names of at most ten items, which are read
import { quoteName } from "../output/sanitise.ts";
import { isFailure } from "../errors/errors.ts";
import { capitalised, counted, nameTen, mostNamed } from "../errors/words.ts";
import { openJob, type Job, type JobOptions, type JobStart } from "./job.ts";
import { fatalKinds } from "./loop.ts";
import { previewJob, runJob, type ChangePlan } from "./run-job.ts";
import type { ReceiverChoice } from "./journal.ts";
import type { Operation } from "./operations.ts";
import { reportNothing } from "./job-output.ts";
import type { Noun } from "../nouns.ts";
import type { Presentation } from "../output/presentation.ts";
import type { Context } from "../run/context.ts";

interface ChangeCommand<Row extends object> {
  readonly operation: Operation;
  /** Named if the input is empty, as in "no grant to delete". */
  readonly what: string;
  /** The items of the input; null for those of the record. */
  readonly given: readonly string[] | null;
  /** The words of the command line, which may name the items one by one. */
  readonly typed?: readonly string[];
  readonly presentation: Presentation<Row>;
}

/** A change with its receiver and its credentials, before its first request. */
interface OpenedCommand<Found, Result, Row extends object> extends Omit<JobStart, "tasks"> {
  /** May send the check of a proof token. */
  readonly connect: () => Promise<ChangePlan<Found, Result, Row>>;
  /** The action on items, some of which were read; continues "would …". */
  readonly inWords: (items: readonly string[], known: ReadonlyMap<string, Found>) => string;
}

/** Changes the items, or says what would be changed. Throws the failure of the job. */
export async function changeItems<Found, Result, Row extends object>(
  context: Context,
  options: JobOptions & ReceiverChoice,
  { operation, what, given, typed = [], presentation }: ChangeCommand<Row>,
  open: (job: Job) => Promise<OpenedCommand<Found, Result, Row>>,
): Promise<void> {
  if (given?.length === 0 && options.resume === undefined) return reportNothing(context, what, presentation);
  const job = await openJob(context, options, operation, given);
  const { requester, receiver, connect, inWords } = await open(job);
  await job.checkMayBegin(requester, options);
  const tasks = job.tasks(receiver);
  const toChange = job.items.filter((item) => tasks.get(item) === "change");
  if (options.dryRun === true) return previewJob(context, toChange, await connect(), inWords);
  if (toChange.length > 0) await context.checkCanConfirm();
  const plan = await connect();
  await confirmItems(toChange, plan.change.read, { inWords, named: [...typed, ...job.argv] }, context);
  await runJob(context, job, { requester, tasks, receiver }, plan);
}

// ---- Words

export interface ActionWords<Item extends object> extends Noun<Item> {
  /** The further effects; continues "Delete grant 42 …" and "Delete 2 grants …". */
  readonly effect: { readonly ofOne: string; readonly ofMany: string };
}

/** An action on items, with the names of at most ten, as far as they are known, and its effect; continues "would …". */
export function actionInWords<Item extends object>(
  verb: string,
  ids: readonly string[],
  known: ReadonlyMap<string, Item>,
  { name, effect, namesOf }: ActionWords<Item>,
  { server }: Pick<Context, "server">,
): string {
  const isOne = ids.length === 1;
  const phrases = ids.map((id) => {
    const item = known.get(id);
    const names = item === undefined ? "" : namesOf(item).map(quoteName).join(" of ");
    return isOne ? names : `${id} ${names}`.trim();
  });
  const named = nameTen(phrases);
  const what = isOne ? `${name} ${ids[0] ?? ""}` : counted(ids.length, name);
  return `${verb} ${what}${named === "" ? "" : ` (${named})`} at ${server.origin().href} ${isOne ? effect.ofOne : effect.ofMany}`;
}

/**
 * Prompts for confirmation of a job, with the names of up to ten items. Leaves out the names of those that cannot be read,
 * which need not stop the change. Throws a usage failure unless the user confirms.
 */
async function confirmItems<Found>(
  ids: readonly string[],
  read: (id: string) => Promise<Found>,
  { inWords, named }: Pick<OpenedCommand<Found, never, object>, "inWords"> & { named: readonly string[] },
  context: Context,
): Promise<void> {
  if (ids.length === 0 || context.options.yes === true) return;
  const known = new Map<string, Found>();
  // OAuth 2.0 servers return no names.
  const toName = context.serverType.isOauth ? [] : ids.slice(0, mostNamed);
  await Promise.all(
    toName.map(async (id) => {
      try {
        known.set(id, await read(id));
      } catch (error) {
        // The change would have the same failure.
        if (!isFailure(error) || fatalKinds.includes(error.kind)) throw error;
      }
    }),
  );
  const words = new Set(named);
  // More than ten are confirmed by their number, unless the command line names each one.
  const isNamed = ids.length <= mostNamed || ids.every((id) => words.has(id));
  await context.confirm(`${capitalised(inWords(ids, known))}?`, isNamed ? undefined : ids.length);
}
