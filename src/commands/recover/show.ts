// `grantctl recover show`: prints the token that an earlier run kept, or passes it to --to-command and deletes it from
// the journal once the command has accepted it. Without a kept token, reports what the journal says, and the command that
// goes on. Asks no server.
import {
  type Context,
  type Define,
  addExamples,
  explainInherited,
  printsFields,
} from "../../command-line/command.ts";
import { readNewToken } from "../../delivery/new-value.ts";
import { openValueCommand } from "../../delivery/value-command.ts";
import { sanitiseJson } from "../../drawing/sanitise.ts";
import { Failure, isFailure, usageFailure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { counted, shorten } from "../../errors/words.ts";
import { commandLine, resumeCommandFromHead } from "../../jobs/resume-hint.ts";
import { type Entry, type RunToken, mustBeKept } from "../../journal/entries.ts";
import {
  type Leftover,
  isCommandRunning,
  keptEntries,
  summarize,
  findRunToken,
  undeliveredValues,
  unknownEntries,
} from "../../journal/leftover.ts";
import { isJob } from "../../journal/operations.ts";
import { toJson } from "../../json/exact-json.ts";
import { writeOrUndelivered } from "../../printing/output-stream.ts";
import type { FieldOf, Presentation } from "../../printing/presentation.ts";
import { findLeftover } from "./find-leftover.ts";
/** A new token that an earlier run kept and did not deliver. */
interface KeptValue {
  readonly token_last_eight_before: string | null;
  readonly token: string;
}

const keptValuePresentation: Presentation<KeptValue> = {
  fields: ["token_last_eight_before", "token"] satisfies readonly FieldOf<KeptValue>[],
  columns: [],
};

export const defineShow: Define = (command, act) => {
  command
    .summary("Show a saved token value, or what is known about an interrupted run")
    .description(
      "Print the token value that an earlier run saved; if there is more than one, print one JSON object per line. Without a saved value, print what is known about the run, and the command that continues it; no server is asked. The value is kept until you run `grantctl recover forget`, or until --to-command succeeds for that value.",
    )
    .argument("<id>", "ID from `grantctl recover list`")
    .action(act(run, { announces: false }));
  command.option(
    "--to-command <command>",
    "Run this command for each saved value, without a shell, with the value on its standard input, and delete the value if it succeeds",
  );
  explainInherited(command, "--json", "--jq", "--no-input");
  printsFields(command, keptValuePresentation.fields);
  addExamples(command, [
    "grantctl recover show 20260131-120000-a1b2c3",
    "grantctl recover show 20260131-120000-a1b2c3 --to-command 'pass insert -m ci/token'",
  ]);
};

async function run(
  context: Context,
  id: string,
  { toCommand }: { readonly toCommand?: string },
): Promise<void> {
  context.printer.checkFields(keptValuePresentation);
  const leftover = await findLeftover(id, context);
  const values = undeliveredValues(leftover);
  const [only] = values;
  if (only === undefined && toCommand !== undefined)
    throw usageFailure(
      `no value is kept in ${leftover.id}`,
      `Run \`${commandLine("recover", "show", leftover.id)}\` to see what it is.`,
    );
  if (only === undefined) throw await failureOfLeftover(leftover, context);
  if (toCommand !== undefined) {
    await deliverValues(leftover, toCommand, context);
    return;
  }
  context.printer.checkCanDeliver();
  await writeOrUndelivered(
    () => printValues(values, only, leftover.contents.head.total === 1, context),
    "the saved value could not be written to standard output, and stays saved",
  );
  const unknown = unknownEntries(leftover);
  if (unknown.length > 0) context.notices.warn(unknownResults(unknown));
  context.notices.note(
    `kept in ${leftover.path}, which only you can read. Once you have stored it safely, run \`${commandLine("recover", "forget", leftover.id)}\`.`,
  );
}

/** The warning about items without a response; names tokens by their last eight characters. */
function unknownResults(unknown: readonly Entry[]): string {
  return `${unknown.length} more items were sent but received no response${lastEightsOf(unknown)}: their outcome is unknown`;
}

/** Prints a single token alone, several as one object per line; or all in the requested JSON. */
async function printValues(
  values: readonly KeptValue[],
  first: KeptValue,
  isOnlyOne: boolean,
  { printer, stdout }: Context,
): Promise<void> {
  if (printer.isJson && isOnlyOne) await printer.printItem(first, keptValuePresentation);
  else if (printer.isJson) await printer.printList(values, keptValuePresentation);
  else {
    const text = isOnlyOne ? `${first.token}\n` : values.map((value) => `${toJson(value, 0)}\n`).join("");
    await stdout.write(stdout.isTerminal ? sanitiseJson(text) : text);
  }
}

/** The failure that reports the known and unknown results; its hint is the command to run next. */
async function failureOfLeftover(leftover: Leftover, context: Context): Promise<Failure> {
  const { head } = leftover.contents;
  const orphan = findRunToken(leftover);
  if (orphan !== null) return orphanFailure(orphan, leftover, context);
  return isJob(head) ? unfinishedFailure(leftover, context) : unknownRequestFailure(leftover, context);
}

function unfinishedFailure(leftover: Leftover, context: Context): Failure {
  const unknown = unknownEntries(leftover);
  const clauses = [
    describeProgress(leftover),
    ...(unknown.length === 0
      ? []
      : [`${unknown.length} of them were sent and got no response${lastEightsOf(unknown)}`]),
    ...rotationSteps(leftover),
  ];
  return new Failure(unknown.length === 0 ? "incomplete" : "unknown", clauses.join("; "), {
    hint: resumeHint(leftover, context),
  });
}

/** The progress of an interrupted job, as a sentence. */
function describeProgress(leftover: Leftover): string {
  const { head } = leftover.contents;
  const { done, failed, toGo } = summarize(leftover);
  const unchanged = failed === 0 ? "" : `, ${failed} failed`;
  return `the ${head.operation} job at ${head.address} is unfinished: ${done} of ${head.total} done${unchanged}, ${toGo} pending`;
}

/** The hint with the command that continues the job. */
function resumeHint({ id, contents }: Leftover, context: Context): string {
  const input = contents.ids === null ? " with the same input" : "";
  return `Run \`${resumeCommandFromHead(context, contents, id)}\`${input} to continue.`;
}

/** The failure for a single request without a response, or for a damaged journal. */
function unknownRequestFailure(leftover: Leftover, context: Context): Failure {
  const forget = `Once you have resolved this, run \`${commandLine("recover", "forget", leftover.id)}\`.`;
  const { operation } = leftover.contents.head;
  return new Failure("unknown", `${requestInWords(leftover)}; it may have taken effect`, {
    hint:
      operation === "reset"
        ? resumeHint(leftover, context)
        : `Run \`grantctl authorization list\` to see whether it did. ${forget}`,
  });
}

/** The tokens of entries by their last eight characters; empty if they are not known. */
function lastEightsOf(entries: readonly Entry[]): string {
  const lastEights = entries.flatMap(({ last_eight: lastEight }) => lastEight ?? []);
  return lastEights.length === 0 ? "" : ` (tokens ending in ${lastEights.join(", ")})`;
}

function requestInWords(leftover: Leftover): string {
  const { head } = leftover.contents;
  const unknown = unknownEntries(leftover);
  const { last_eight: lastEight, replaces }: Partial<Entry> = unknown[0] ?? {};
  if (head.operation === "unknown") {
    const sent =
      unknown.length === 0 ? "" : `; ${unknown.length} of its items were sent but received no response`;
    return `this journal is damaged, and its operation can no longer be read${sent}`;
  }
  const where = `at ${head.address} on ${head.created_at}`;
  if (replaces !== undefined)
    return `the replacement of authorization ${replaces.id} ${where} was started, and its result is unknown`;
  const which = lastEight === undefined ? "" : ` the token ending in ${lastEight}`;
  const isAnswered = unknown[0]?.state === "answered";
  return isAnswered
    ? `the response to the request to ${head.operation}${which} ${where} contains no token that grantctl can read; it is saved in ${leftover.path}`
    : `the request to ${head.operation}${which} ${where} was sent and got no response`;
}

/** The failure for the token of an interrupted `authorization run`. */
async function orphanFailure(
  { note, id }: RunToken,
  leftover: Leftover,
  { host }: Context,
): Promise<Failure> {
  const token = `the token "${foreign(shorten(note, longestName))}"`;
  if (await isCommandRunning(leftover, host.processes))
    return new Failure("incomplete", `${token} is in use: its command is still running`);
  const what =
    id === undefined
      ? `${token} may exist: its creation got no response`
      : `${token} (authorization ${id}) was not deleted after its command`;
  return new Failure("incomplete", what, {
    hint: `Run \`${commandLine("recover", "end", leftover.id)}\` to delete it.`,
  });
}

/** The maximum number of items to name. */
const mostNamed = 5;
const longestName = 60;

/** One line per step that items have reached, with the notes of their tokens; empty if no token was created. */
function rotationSteps({ contents }: Leftover): readonly string[] {
  const entries = [...contents.items.values()].filter(({ state }) => state !== "done");
  const at = (step: Entry["step"]): readonly string[] =>
    entries
      .filter((entry) => entry.state === "answered" && entry.step === step)
      .map(({ old }) => old?.note ?? "without a note");
  const unanswered = entries.flatMap(({ state, interim, lost = [] }) => [
    ...lost,
    ...(state === "sent" && interim?.note !== undefined && interim.note !== null ? [interim.note] : []),
  ]);
  const clauses = [
    [at("delivered"), "delivered, but not verified yet"],
    [at("proven"), "delivered and verified, but the old one is not deleted yet"],
    [at("gone"), "delivered and verified, and the old one is deleted, but its note is not transferred yet"],
    [[...new Set(unanswered)], "may have been created, and its value is not saved"],
  ] as const;
  return clauses
    .filter(([notes]) => notes.length > 0)
    .map(([notes, what]) => `${quoteNotes(notes)}: ${what}`);
}

function quoteNotes(notes: readonly string[]): string {
  const names = notes.slice(0, mostNamed).map((note) => `"${foreign(shorten(note, longestName))}"`);
  const more = notes.length - names.length;
  return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
}

/** Delivers each token. Throws an undelivered failure for those that the command rejected, which stay in the journal. */
async function deliverValues(leftover: Leftover, toCommand: string, context: Context): Promise<void> {
  const receiver = openValueCommand(toCommand, context);
  // A rotation has further steps, which --resume runs.
  const isRotation = leftover.contents.head.operation === "rotate";
  const taken = isRotation
    ? ({ state: "answered", step: "delivered" } as const)
    : ({ state: "done" } as const);
  const journals = await context.journals();
  const { journal } = await journals.reopen(leftover.path);
  let first: Failure | null = null;
  let delivered = 0;
  let open = 0;
  try {
    for (const { item, body } of keptEntries(leftover)) {
      const kept = await readNewToken(body);
      if (kept === null) continue;
      context.redactor.add(kept.token);
      try {
        await receiver.write([{ text: "", value: kept }]);
        // If this write fails, the only effect is that the token is delivered again.
        await journal.mark({ item, ...taken }).catch(() => undefined);
        delivered += 1;
      } catch (error) {
        if (!isFailure(error, "undelivered")) throw error;
        first ??= error;
        open += 1;
      }
    }
  } finally {
    const items = new Map(
      [...leftover.contents.items.keys()]
        .flatMap((item) => journal.latestEntry(item) ?? [])
        .map((entry) => [entry.item, entry]),
    );
    if (mustBeKept({ ...leftover.contents, items })) await journal.close();
    else await journal.remove();
  }
  if (first !== null) {
    const totals = open + delivered === 1 ? "" : `; ${delivered} delivered, ${open} kept`;
    throw new Failure("undelivered", `${first.marked}${totals}`, {
      hint: `Run \`${commandLine("recover", "show", leftover.id, ...receiver.flags)}\` to try again.`,
    });
  }
  context.notices.note(`delivered ${counted(delivered, "value")} and deleted the saved copies`);
}
