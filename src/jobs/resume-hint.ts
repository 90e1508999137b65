// The command that continues a job, as the hint of its failure and in `recover show`.
import { resolve } from "node:path";
import { commandLine, forLaterRuns } from "../config/command-words.ts";
import { sanitise } from "../output/sanitise.ts";
import type { Context } from "../run/context.ts";
import type { BegunJob, Job } from "./job.ts";
import type { StoredRecord, Head, ReceiverChoice } from "./journal.ts";
import { entriesOf, isFileOfJob, leftOf } from "./leftover.ts";
import type { Tally } from "./outcome.ts";
import { traitsOf, type Operation } from "./operations.ts";

export interface JobEnd {
  readonly receiver: ReceiverChoice | undefined;
  /** True if a record would not help a later run with any item. */
  readonly areFinal: boolean;
  readonly tally: Tally;
}

/** The hint of a job that is not over: the command that continues it, and the one that shows the value of a single item. */
export async function continueHint(
  { items, operation }: Pick<Job, "items" | "operation">,
  { head, journal, earlierCounts }: Pick<BegunJob, "head" | "journal" | "earlierCounts">,
  { receiver, areFinal, tally }: JobEnd,
  context: Context,
): Promise<string> {
  const { contents } = journal;
  const isUndelivered = tally.countOf("undelivered") > 0;
  const hasValue = items.length === 1 && isUndelivered && entriesOf(contents, "kept").length > 0;
  // Only another command, or none, gets further than the one that failed.
  if (hasValue && (traitsOf(operation).hasLaterSteps !== true || receiver?.toCommand !== undefined))
    return showHint(journal.id, receiver?.toCommand, context);
  const show = commandLine("recover", "show", journal.id);
  if (areFinal && leftOf(contents) === "value")
    return `Run \`${show}\` to see the responses that did not fit, and then \`${commandLine("recover", "forget", journal.id)}\`.`;
  if (!traitsOf(operation).isResumable)
    return `${isUndelivered ? "" : "It may still take effect. "}Run \`${show}\` to see what is known about it.`;
  // A part of the input does not continue the rest. This run may have another receiver than the first one.
  const { argv, reads_input } = earlierCounts.get("not-tried") === 0 ? commandOf(context) : head;
  const hint = await resumeHint({ ...head, argv, reads_input }, journal, context, receiver);
  if (contents.fault === null) return hint;
  return `${hint} Once the unreadable items are settled, run \`${commandLine("recover", "forget", journal.id)}\`.`;
}

/** The command line of this run, as a record has it. */
export function commandOf({ host, standardInput }: Context): Pick<Head, "argv" | "reads_input"> {
  return { argv: forLaterRuns(host.argv), reads_input: standardInput.wasRead() || undefined };
}

export async function resumeHint(
  head: Head,
  { id, contents }: StoredRecord,
  context: Pick<Context, "server" | "redactor">,
  receiver: Head["receiver"] = head.receiver,
): Promise<string> {
  const { argv, operation, server, reads_input } = head;
  const hasIds = traitsOf(operation).items === "ids";
  // The `-` for standard input goes if the record has the items.
  const words = argv.filter((word) => word !== "--force" && !(hasIds && word === "-"));
  const end = words.indexOf("--");
  const operands = end === -1 ? [] : words.splice(end);
  const { outputFile, toCommand } = receiver ?? {};
  const path = outputFile && resolve(outputFile);
  // --resume uses the receiver of the first run. Its file is named, so that --force is not misread.
  if (path !== undefined && isRepeatable(path, context)) words.push("--output-file", path);
  else if (toCommand === undefined && path !== head.receiver?.outputFile) words.push("--output-file", "FILE");
  if (toCommand !== undefined && toCommand !== head.receiver?.toCommand)
    words.push("--to-command", isRepeatable(toCommand, context) ? toCommand : "COMMAND");
  const mayReplace = argv.includes("--force") || (await isFileOfJob(outputFile, contents));
  if (mayReplace && words.includes("--output-file")) words.push("--force");
  if (!context.server.isAt(server) && !words.includes("--base-url")) words.push("--base-url", server);
  const how = reads_input === true && !hasIds ? " with the same input" : "";
  return `Run \`${commandLine(...words, "--resume", id, ...operands)}\`${how} to continue.`;
}

/** True if a message shows this word as it is: without an escape, a secret, or a command of grantctl to complete. */
function isRepeatable(word: string, { redactor }: Pick<Context, "redactor">): boolean {
  return sanitise(redactor.redact(word)) === word && !/\bgrantctl\s/.test(word);
}

/** The command that delivers what a job kept for a receiver that failed. */
export function showHint(id: string, toCommand: string | undefined, context: Pick<Context, "redactor">) {
  const show = commandLine("recover", "show", id);
  // Another command would get the token.
  if (toCommand === undefined || !isRepeatable(toCommand, context))
    return `Run \`${show}\` to get the token.`;
  const again = commandLine("recover", "show", id, "--to-command", toCommand);
  return `Run \`${again}\` to try again, or \`${show}\` to print what is kept.`;
}

/** The hint if the input is not the one that the job was started with. */
export function sameInputHint(operation: Operation): string {
  return traitsOf(operation).items === "ids"
    ? "Leave out the IDs: --resume continues with those in the record."
    : "Give it the list that the job was started with, or a part of it. If the list is lost, start a new job; `grantctl recover show ID` prints the values that this one has made, and `grantctl recover forget ID` deletes them.";
}
