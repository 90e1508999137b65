// `grantctl recover show`: prints the values that an earlier run kept, or gives them to a file or a command and deletes
// them from the record. Without a value, it reports what the record says, and the command that goes on. Asks no server.
import { type Context, type Define, addExamples, printsFields } from "../../command-line/command.ts";
import { readNewToken } from "../../delivery/new-value.ts";
import { addReceiverOptions, openReceiver, type ReceiverOptions } from "../../delivery/receiver.ts";
import { sanitiseJson } from "../../output/sanitise.ts";
import { Failure, isFailure, usageFailure } from "../../errors/errors.ts";
import { counted, shorten } from "../../errors/words.ts";
import type { Entry, Head } from "../../jobs/journal.ts";
import {
  allValues,
  isFileOfJob,
  keptValues,
  lastEights,
  leftOf,
  openCount,
  tokenEntry,
  unknownEntries,
  type KeptValue,
} from "../../jobs/leftover.ts";
import { traitsOf } from "../../jobs/operations.ts";
import { commandLine, resumeHint } from "../../jobs/resume-hint.ts";
import { toJson } from "../../json.ts";
import { writeOrUndelivered } from "../../output/output-stream.ts";
import type { FieldOf, Presentation } from "../../output/presentation.ts";
import { findLeftover, type Leftover } from "./find-leftover.ts";

interface ValueRow {
  readonly token_last_eight_before: string | null;
  readonly token: string;
}

const valuePresentation: Presentation<ValueRow> = {
  fields: ["token_last_eight_before", "token"] satisfies readonly FieldOf<ValueRow>[],
  columns: [],
};

export const defineShow: Define = (command, act) => {
  addReceiverOptions(command, "many")
    .description(
      "Print the token value that an earlier run saved; if there is more than one, print one JSON object per line. Without a saved value, print what is known about the run, and the command that continues it; no server is asked. The value is kept until you run `grantctl recover forget`, or until --output-file or --to-command has taken it.",
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
  const leftover = await findLeftover(id, context);
  const values = keptValues(leftover.contents);
  const hasReceiver = options.toCommand !== undefined || options.outputFile !== undefined;
  if (values.length === 0 && hasReceiver)
    throw usageFailure(
      `no value is kept in ${leftover.id}`,
      `Run \`${commandLine("recover", "show", leftover.id)}\` to see what it is.`,
    );
  if (values.length === 0) throw failureOf(leftover, await isFileOfJob(leftover.contents), context);
  const all = allValues(leftover.contents);
  for (const { token } of all) context.redactor.add(token);
  if (hasReceiver) {
    await handOver(leftover, options.toCommand === undefined ? all : values, options, context);
    return;
  }
  context.printer.checkCanDeliver();
  await writeOrUndelivered(
    () => printValues(all, context),
    "the saved value could not be written to standard output, and stays saved",
  );
  const unknown = unknownEntries(leftover.contents).length;
  if (unknown > 0)
    context.notices.warn(`${counted(unknown, "more item")} got no answer: the outcome is unknown`);
  context.notices.note(
    `kept in ${leftover.path}, which only you can read. Once you have stored it safely, run \`${commandLine("recover", "forget", leftover.id)}\`.`,
  );
}

/** Prints a single value alone, several as one object per line; or all in the requested JSON. */
async function printValues(values: readonly KeptValue[], { printer, stdout }: Context): Promise<void> {
  if (printer.isJson) await printer.printList(values.map(valueRow), valuePresentation);
  else {
    const text = values.map((value) => valueText(value, values.length)).join("");
    await stdout.write(stdout.isTerminal ? sanitiseJson(text) : text);
  }
}

const valueRow = ({ entry, token }: KeptValue): ValueRow => ({
  token_last_eight_before: entry.last_eight ?? null,
  token,
});

const valueText = (value: KeptValue, count: number): string =>
  count === 1 ? `${value.token}\n` : `${toJson(valueRow(value), 0)}\n`;

/** Gives each value to the receiver. Throws an undelivered failure for those that it did not take, which stay. */
async function handOver(
  leftover: Leftover,
  values: readonly KeptValue[],
  options: ReceiverOptions,
  context: Context,
): Promise<void> {
  const receiver = await openReceiver(options, context);
  const { journal, head } = await (await context.journals()).reopen(leftover.path);
  const failures: Failure[] = [];
  const taken: Entry[] = [];
  try {
    for (const value of values) {
      const made = (await readNewToken(value.entry.body)) ?? { id: null, token: value.token };
      try {
        await receiver.take([{ text: valueText(value, values.length), value: made }]);
        taken.push(value.entry);
      } catch (error) {
        if (!isFailure(error, "undelivered")) throw error;
        failures.push(error);
      }
    }
    // A rotation has further steps, which --resume runs.
    for (const { item, state, step = "delivered" } of taken)
      journal.note(head.operation === "rotate" ? { item, state, step } : { item, state: "done" });
  } finally {
    await receiver.close();
    if (leftOf(journal.contents()) === null) await journal.remove();
    else await journal.close();
  }
  const [first] = failures;
  const flags = options.toCommand === undefined ? [] : ["--to-command", options.toCommand];
  if (first !== undefined)
    throw new Failure(
      "undelivered",
      `${first.message}${values.length === 1 ? "" : `; ${taken.length} delivered, ${failures.length} kept`}`,
      {
        hint: `Run \`${commandLine("recover", "show", leftover.id, ...flags)}\` to try again.`,
      },
    );
  context.notices.note(`delivered ${counted(taken.length, "value")} and deleted the saved copies`);
}

/** What is known, as a failure whose hint is the command to run next. */
function failureOf(leftover: Leftover, isWritten: boolean, context: Context): Failure {
  const { id, path, contents } = leftover;
  const { head } = contents;
  const forget = `Once you have resolved this, run \`${commandLine("recover", "forget", id)}\`.`;
  if (head === null)
    return new Failure("unknown", "this record is damaged, and its operation can no longer be read", {
      hint: forget,
    });
  const where = `at ${head.server} on ${head.created_at}`;
  const token = tokenEntry(contents);
  if (token !== undefined) return tokenFailure(token, head, id);
  if (traitsOf(head.operation).isResumable)
    return new Failure(
      unknownEntries(contents).length > 0 ? "unknown" : "incomplete",
      [describeProgress(leftover, head), ...rotationSteps(leftover)].join("; "),
      { hint: resumeHint(head, id, context, isWritten) },
    );
  const isAnswered = unknownEntries(contents).some(({ state }) => state === "answered");
  const what = isAnswered
    ? `the answer to the request to ${head.operation} ${where} contains no token that grantctl can read; it is saved in ${path}`
    : `the request to ${head.operation} ${where} was interrupted`;
  return new Failure("unknown", `${what}; it may have taken effect`, {
    hint: `Run \`grantctl authorization list\` to see whether it did. ${forget}`,
  });
}

/** The failure for a creation whose token may be there. */
function tokenFailure({ creation, id: tokenId }: Entry, head: Head, id: string): Failure {
  const name = creation?.note ?? creation?.fingerprint ?? "";
  const token = `the token${name === "" ? "" : ` "${shorten(name, longestName)}"`}`;
  const what =
    tokenId === undefined
      ? `${token} may exist: the request to create it at ${head.server} on ${head.created_at} got no answer`
      : `${token} (authorization ${tokenId}) was not deleted after its command`;
  return new Failure(tokenId === undefined ? "unknown" : "incomplete", what, {
    hint: `Run \`${commandLine("recover", "end", id)}\` to delete it.`,
  });
}

/** The progress of an interrupted job, as a sentence. */
function describeProgress({ contents, path }: Leftover, head: Head): string {
  const open = openCount(contents);
  const unknown = unknownEntries(contents);
  const ends = lastEights(contents);
  const tokens = ends.length === 0 ? "" : ` (ending in ${ends.slice(0, mostNamed).join(", ")})`;
  const unread = unknown.filter(({ state }) => state === "answered").length;
  const lost = unknown.length - unread;
  const noAnswer = lost === 0 ? "" : `; ${lost} got no answer${tokens}`;
  const noToken =
    unread === 0
      ? ""
      : `; ${counted(unread, "answer")} with no token that grantctl can read, saved in ${path}`;
  return `the ${head.operation} job at ${head.server} is unfinished: ${head.items.length - open} of ${head.items.length} done${noAnswer}${noToken}`;
}

/** The maximum number of items to name. */
const mostNamed = 5;
const longestName = 60;

/** One clause per step that items have reached, with the notes of their tokens; empty if no token was created. */
function rotationSteps({ contents }: Leftover): readonly string[] {
  const entries = [...contents.entries.values()].filter(({ state }) => state !== "done");
  const at = (step: Entry["step"]): readonly string[] =>
    entries
      .filter((entry) => entry.state === "answered" && entry.step === step)
      .map(({ old }) => old?.note ?? "without a note");
  const unanswered = entries.flatMap(({ state, interim }) => (state === "sent" ? (interim?.note ?? []) : []));
  const clauses = [
    [at("delivered"), "delivered, but not verified yet"],
    [at("proven"), "delivered and verified, but the old one is not deleted yet"],
    [at("gone"), "delivered and verified, and the old one is deleted, but its note is not transferred yet"],
    [unanswered, "may have been created, and its value is not saved"],
  ] as const;
  return clauses
    .filter(([notes]) => notes.length > 0)
    .map(([notes, what]) => `${quoteNotes(notes)}: ${what}`);
}

function quoteNotes(notes: readonly string[]): string {
  const names = notes.slice(0, mostNamed).map((note) => `"${shorten(note, longestName)}"`);
  const more = notes.length - names.length;
  return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
}
