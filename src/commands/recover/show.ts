// `grantctl recover show`: prints the values that an earlier run kept, or gives them to a file or a command, and deletes the
// record if nothing else is left. Without a value, prints what it has, and the command that goes on. Sends no requests.
import { type Context, type Define, addExamples, printsFields } from "../../command-line/command.ts";
import { type NewToken, readNewToken } from "../../delivery/new-value.ts";
import { addReceiverOptions, openReceiver, type ReceiverOptions } from "../../delivery/receiver.ts";
import { openDelivery } from "../../delivery/values.ts";
import { Failure, usageFailure } from "../../errors/errors.ts";
import { counted, shorten } from "../../errors/words.ts";
import { requireHead, type Entry, type Head, type Journal } from "../../jobs/journal.ts";
import { allValues, entriesOf, fateOf, isOver, canResume, leftOf, tokenEntry } from "../../jobs/leftover.ts";
import type { RecordedValue } from "../../jobs/leftover.ts";
import { traitsOf } from "../../jobs/operations.ts";
import { resumeHint, showHint } from "../../jobs/resume-hint.ts";
import { commandLine } from "../../config/command-words.ts";
import type { Presentation } from "../../output/presentation.ts";

interface ValueRow extends Partial<NewToken> {
  readonly token: string;
  readonly token_last_eight_before: string | null;
}

const valuePresentation: Presentation<ValueRow> = {
  fields: "token_last_eight_before token".split(" "),
  columns: [],
};

export const define: Define = (command, act) => {
  addReceiverOptions(command)
    .description(
      "Print the token value that an earlier run saved; if there is more than one, print one JSON object per line. Without a saved value, print what is known about the run, and the command that continues it; no server is asked. The value is kept until you run `grantctl recover forget`; or until --output-file or --to-command has taken it, unless the job has not ended.",
    )
    .argument("<id>", "ID from `grantctl recover list`")
    .action(act(run, { announces: false }));
  printsFields(command, valuePresentation.fields);
  addExamples(command, [
    "grantctl recover show 20260131-120000-a1b2c3",
    "grantctl recover show 20260131-120000-a1b2c3 --to-command 'pass insert -m ci/token'",
  ]);
};

async function run(context: Context, id: string, options: ReceiverOptions): Promise<void> {
  const { notices, redactor } = context;
  const journal = await (await context.records()).open(id);
  const { contents } = journal;
  if (contents.fault === "other-version") requireHead(id, contents);
  // A response may hold a token, which is a value of its own.
  for (const line of contents.broken ?? [])
    notices.warn(`the record is damaged; unreadable is: ${line.replaceAll(/[\w+/=]{40,}/g, "…")}`);
  const hasReceiver = options.toCommand !== undefined || options.outputFile !== undefined;
  const values = allValues(contents).filter(
    ({ entry }) => options.toCommand === undefined || fateOf(entry) === "kept" || entry.to_redeliver === true,
  );
  const showRecord = `Run \`${commandLine("recover", "show", id)}\` to see what it is.`;
  if (values.length === 0)
    throw hasReceiver
      ? usageFailure(`no value is kept in ${id}`, showRecord)
      : await whatIsKnown(journal, context);
  for (const { token } of allValues(contents)) redactor.add(token);
  const taken = await deliverValues(values, journal, options, context);
  const unknown = entriesOf(contents, "unknown").length;
  if (unknown > 0) notices.warn(`the outcome of ${counted(unknown, "item")} is unknown`);
  await endRecord(journal, hasReceiver ? taken : null, options, context);
}

/** Gives the values to their receiver; resolves with their number. Throws the failure of a delivery. */
async function deliverValues(
  values: readonly RecordedValue[],
  journal: Journal,
  options: ReceiverOptions,
  context: Context,
): Promise<number> {
  const shape = values.length === 1 ? "one" : "many";
  const receiver = await openReceiver(options, context, shape === "many");
  const output = openDelivery<ValueRow>(receiver, valuePresentation, shape, context);
  const rows = await Promise.all(values.map((each) => valueRow(each, options.toCommand)));
  const { head } = journal.contents;
  const target = receiver.toCommand ?? receiver.outputFile;
  const failures = await output.deliver(rows, (position) => {
    const { entry } = values[position] ?? {};
    // An item whose response was another's is not done, and that of a damaged line is unknown.
    const isDone = entry !== undefined && entry.key !== "" && entry.is_unfit !== true;
    if (target === undefined || head === null || !isDone) return Promise.resolve();
    journal.markTaken(entry.key);
    return journal.written();
  });
  await receiver.close?.();
  const taken = values.filter((_, index) => (failures[index] ?? null) === null);
  const failure = failures.find((each) => each !== null) ?? null;
  if (output.deliversRows && failure === null) await output.list.end();
  if (failure !== null)
    throw failure.with(
      { hint: showHint(journal.id, options.toCommand, context) },
      values.length === 1
        ? failure.message
        : `${failure.message}; ${taken.length} delivered, ${values.length - taken.length} kept`,
    );
  return taken.length;
}

/** Removes a record that nothing needs, and prints the next command. `delivered`: null for values that were only printed. */
async function endRecord(
  journal: Journal,
  delivered: number | null,
  { toCommand }: ReceiverOptions,
  context: Context,
): Promise<void> {
  const { id, path, contents } = journal;
  // A damaged record stays, and so does a rotation that has not ended.
  const isRemoved = leftOf(contents) === null;
  if (isRemoved) await journal.remove();
  const { head } = contents;
  // Not with a first command that failed.
  const usual = toCommand === undefined ? head?.receiver : { toCommand };
  const next = head && canResume(contents) ? await resumeHint(head, journal, context, usual) : null;
  const forget = `Once you have stored it safely, run \`${commandLine("recover", "forget", id)}\`.`;
  if (delivered === null)
    return context.notices.note(`kept in ${path}, which only you can read. ${next ?? forget}`);
  const removed = isRemoved ? " and deleted the saved copies" : "";
  context.notices.note(`delivered ${counted(delivered, "value")}${removed}`);
  if (next !== null) context.notices.note(next);
}

/** A row; a command also gets what else the response has. */
async function valueRow({ entry, token }: RecordedValue, toCommand: string | undefined): Promise<ValueRow> {
  const made = toCommand === undefined ? {} : await readNewToken(entry.body);
  return { ...made, token_last_eight_before: entry.last_eight ?? null, token };
}

/** What is known, as a failure whose hint is the command to run next. */
async function whatIsKnown(journal: Journal, context: Context): Promise<Failure> {
  const { id, path, contents } = journal;
  const { head } = contents;
  const forget = `Once you have resolved this, run \`${commandLine("recover", "forget", id)}\`.`;
  if (head === null)
    return new Failure("unknown", "this record is damaged, and its operation can no longer be read", {
      hint: forget,
    });
  const left = tokenEntry(contents);
  if (left !== undefined) return tokenFailure(left, head, journal);
  const unknown = entriesOf(contents, "unknown");
  const unread = unknown.filter(({ body = "" }) => body !== "").length;
  const lost = unknown.length - unread;
  const done = head.keys.filter((key) => isOver(contents.entries.get(key))).length;
  const known = [
    `the ${head.operation} job at ${head.server} is unfinished: ${done} of ${head.keys.length} done`,
    ...(lost === 0 ? [] : [`the outcome of ${lost} is unknown`]),
    ...(unread === 0 ? [] : [`${counted(unread, "response")} ${withoutToken} ${path}`]),
  ].join("; ");
  if (!traitsOf(head.operation).isResumable)
    return new Failure("unknown", `${known}; it may have taken effect`, {
      hint: `Run \`grantctl authorization list\` to see whether it did. ${forget}`,
    });
  const hint = await resumeHint(head, journal, context);
  return new Failure(unknown.length > 0 ? "unknown" : "incomplete", known, { hint });
}

const withoutToken = "with no token that grantctl can read, or with one of another item, saved in";

/** The failure for a creation whose token may be there. */
function tokenFailure({ creation, id, body = "" }: Entry, head: Head, journal: Journal): Failure {
  const token = `the token "${shorten(creation?.note ?? creation?.fingerprint ?? "", 60)}"`;
  const hint = `Run \`${commandLine("recover", "end", journal.id)}\` to delete it. One that may be another's is only named.`;
  if (id !== undefined)
    return new Failure("incomplete", `${token} (authorization ${id}) was not deleted after its command`, {
      hint,
    });
  const response = body === "" ? "no response" : `a response ${withoutToken} ${journal.path}`;
  const request = `the request to create it at ${head.server} on ${head.created_at} got ${response}`;
  return new Failure("unknown", `${token} may exist: ${request}`, { hint });
}
