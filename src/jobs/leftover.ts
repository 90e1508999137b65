// What a run left: the fate of each item, and the summary of its journal, which decides whether the record is still needed,
// for jobs and `recover`; what its responses contain; and the command that continues a job.
//
//   fate         of an item                                             leaves
//   untouched    nothing was changed; absent from the record as well    unfinished, if the job changed other items
//   ineffective  the response to its revocation shows no effect         unfinished
//   sent         no response, or one that has no value or does not fit  unknown
//   token        the token of `authorization run`                       token
//   kept         a response whose value its receiver has not taken      value
//   delivered    a rotation whose value its receiver has                unfinished
//   accepted, gone, done                                                nothing
//
// A record of which a part cannot be read leaves `damaged`, one that another version of grantctl made `other-version`.
import { resolve } from "node:path";
import { commandLine } from "../config/command-words.ts";
import { exactText, isObject, parseOrNull, readJson } from "../json.ts";
import type { Context } from "../run/context.ts";
import { readPlainFile } from "../system/reads.ts";
import { isTokenValue, lastEight } from "../token.ts";
import type { JobEntries } from "./job-journal.ts";
import type { Contents, Entry, Found, Head, Receiver } from "./journal.ts";
import { traitsOf, type JournalOperation } from "./operations.ts";

/** "gone": proven; "accepted": a revocation that could not be verified. */
export function fateOf(entry: Entry | undefined) {
  if (entry === undefined) return "untouched";
  const { state, gone, was_accepted, id, was_delivered, body } = entry;
  if (gone === true) return "gone";
  if (state === "failed") return was_accepted === true ? "ineffective" : "untouched";
  if (state === "done") return was_accepted === true ? "accepted" : "done";
  if (state === "sent") return "sent";
  if (id !== undefined) return "token";
  if (was_delivered === true) return "delivered";
  return extractTokenFromBody(body) === null ? "sent" : "kept";
}

type Fate = ReturnType<typeof fateOf>;

/** True if nothing is left to do about the item, but perhaps its value is given again. */
export function isOver(entry: Entry | undefined): boolean {
  return ["accepted", "gone", "done"].includes(fateOf(entry));
}

export type Left = "value" | "token" | "unknown" | "unfinished" | NonNullable<Contents["fault"]>;

/** What is left; null if nothing is, so that the record can go. */
export function leftOf(contents: Contents): Left | null {
  const { head, fault } = contents;
  if (head === null || fault !== null) return fault;
  if (entriesOf(contents, "kept").length > 0) return "value";
  if (entriesOf(contents, "token").length > 0) return "token";
  if (entriesOf(contents, "sent").length > 0) return "unknown";
  return isUnfinished(contents) && hasChanged(contents) ? "unfinished" : null;
}

/** True if the job may have changed anything. An item that was gone before its request is `failed` in the record. */
export function hasChanged({ entries, fault }: Contents): boolean {
  return (
    fault !== null || [...entries.values()].some((entry) => entry.state !== "failed" || entry.was_accepted)
  );
}

/** True if --resume finds items that are not over. */
export function isUnfinished({ head, entries }: Contents): boolean {
  if (head === null || !traitsOf(head.operation).isResumable) return false;
  return head.items.some((item) => !isOver(entries.get(item)));
}

/** The entries of a fate, in the order of their first requests. */
export function entriesOf({ entries }: Pick<Contents, "entries">, fate: Fate): readonly Entry[] {
  return [...entries.values()].filter((entry) => fateOf(entry) === fate);
}

/** The last eight characters of the tokens that are not done with, as far as the record has them. */
export function pendingLastEights({ entries }: Contents): readonly string[] {
  return [...entries.values()].flatMap((entry) => {
    const token = extractTokenFromBody(entry.body);
    const end = entry.last_eight ?? (token === null ? undefined : lastEight(token));
    return isOver(entry) || end === undefined ? [] : [end];
  });
}

export interface KeptValue {
  readonly entry: Entry;
  readonly token: string;
}

/**
 * All values of the record, also those that its receiver has taken, because a file may have been lost since, and those in
 * damaged lines, whose item is unknown.
 */
export function allValues({ entries, broken = [] }: Contents): readonly KeptValue[] {
  const damaged = broken.map((line): Entry => {
    return { item: "", state: "answered", body: /"body":"([^"]*)/.exec(line)?.[1] };
  });
  return [...entries.values(), ...damaged].flatMap((entry) => {
    const token = extractTokenFromBody(entry.body);
    // A response that did not fit may have the value of another item.
    const isFit = entry.state !== "sent" && entry.state !== "failed";
    return token !== null && isFit ? [{ entry, token }] : [];
  });
}

/** The entry of a creation whose token may be there and is in nobody's hands; undefined if there is none. */
export function tokenEntry({ head, entries }: Contents): Entry | undefined {
  const [entry] = entries.values();
  if (head === null || entry?.creation === undefined) return undefined;
  return ["token", "sent"].includes(fateOf(entry)) ? entry : undefined;
}

/** True if this file has values of the job and no others, so that it may be replaced by one with all values. */
export async function isFileOfJob(path: string | undefined, contents: Contents): Promise<boolean> {
  if (path === undefined) return false;
  const text = await readPlainFile(path).then(String, () => "");
  const own = new Set(allValues(contents).map(({ token }) => token));
  // The disk may have failed when the record was to get a value that the file has, and the user may have added lines.
  const isOwn = (line: string): boolean => own.has(/"token":"([^"]+)"/.exec(line)?.[1] ?? line);
  // A kill may have torn the last line.
  const whole = text.replace(/\{[^\n]*$/, "");
  const lines = whole.split("\n").filter((line) => line.trim() !== "");
  return lines.length > 0 && lines.every(isOwn);
}

// ---- Responses

/** The token in a response, even with blanks around it, or if the response was cut off after it; null if there is none. */
export function extractToken(text: string): string | null {
  const field = readTokenField(text);
  const value = typeof field === "string" ? field.trim() : field;
  return isTokenValue(value) ? value : null;
}

/** Like `extractToken`, for a base64 response as in journals, if there is one. */
export function extractTokenFromBody(body: string | undefined): string | null {
  return body === undefined ? null : extractToken(Buffer.from(body, "base64").toString("utf8"));
}

function readTokenField(text: string): unknown {
  const response = parseOrNull(text);
  // Otherwise the response is cut off, or breaks the specification and has the token further inside: search the text.
  if (typeof response === "object" && response !== null && "token" in response) return response.token;
  const literal = /"token"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  return literal === undefined ? undefined : parseOrNull(literal);
}

/** The ID in a base64 response, even if the response was cut off after it; null if there is none. */
export function readId(body = ""): string | null {
  const bytes = Buffer.from(body, "base64");
  try {
    const response = readJson(bytes);
    const id = isObject(response) ? exactText(response["id"]) : null;
    return id !== null && /^\d+$/.test(id) ? id : null;
  } catch {
    return /^\s*\{\s*"id"\s*:\s*(\d+)\s*,/.exec(bytes.toString("utf8"))?.[1] ?? null;
  }
}

// ---- The command that continues a job

/**
 * A command line without the flags of one run and their values: a one-time password is a secret for a minute, and the
 * record has the receiver.
 */
export function forLaterRuns(argv: readonly string[]): string[] {
  const flags = ["--resume", "--otp", "--output-file", "--to-command"];
  return argv.filter(
    (word, index) =>
      !flags.includes(word) &&
      !flags.includes(argv[index - 1] ?? "") &&
      !flags.some((flag) => word.startsWith(`${flag}=`)),
  );
}

/** The hint of a job that is not over: the command that continues it, and the one that shows the value of a single item. */
export async function continueHint(
  job: { items: readonly string[]; operation: JournalOperation; receiver?: Receiver | undefined },
  { head, journal, before }: Pick<JobEntries, "head" | "journal" | "before">,
  { areFinal, isUndelivered }: { readonly areFinal: boolean; readonly isUndelivered: boolean },
  context: Context,
): Promise<string> {
  const { items, operation, receiver } = job;
  const { contents } = journal;
  const hasValue = items.length === 1 && isUndelivered && entriesOf(contents, "kept").length > 0;
  // Only another command, or none, gets further than the one that failed.
  if (hasValue && (operation !== "rotate" || receiver?.toCommand !== undefined))
    return showHint(journal.id, receiver?.toCommand);
  const show = commandLine("recover", "show", journal.id);
  if (areFinal && leftOf(contents) === "value")
    return `Run \`${show}\` to see the responses that did not fit, and then \`${commandLine("recover", "forget", journal.id)}\`.`;
  if (!traitsOf(operation).isResumable)
    return `${isUndelivered ? "" : "It may still take effect. "}Run \`${show}\` to see what is known about it.`;
  const own = { argv: forLaterRuns(context.host.argv), reads_input: context.standardInput.wasRead() };
  // A part of the input does not continue the rest. This run may have another receiver than the first one.
  const isPart = before.get("not-tried") !== 0;
  return resumeHint(isPart ? head : { ...head, ...own }, journal, context, receiver);
}

export async function resumeHint(
  head: Head,
  { id, contents }: Found,
  context: Pick<Context, "server">,
  receiver: Head["receiver"] = head.receiver,
): Promise<string> {
  const { argv, operation, server, reads_input } = head;
  const { keepsIds } = traitsOf(operation);
  // The `-` for standard input goes if the record has the items.
  const words = argv.filter((word) => !(keepsIds && word === "-"));
  const end = words.indexOf("--");
  const operands = end === -1 ? [] : words.splice(end);
  const { outputFile, toCommand } = receiver ?? {};
  const path = outputFile && resolve(outputFile);
  // --resume uses the receiver of the first run.
  if (path !== undefined && path !== head.receiver?.outputFile) words.push("--output-file", path);
  if (toCommand !== undefined && toCommand !== head.receiver?.toCommand)
    words.push("--to-command", toCommand);
  const isWritten = await isFileOfJob(outputFile, contents);
  if (isWritten && !words.includes("--force")) words.push("--force");
  if (!context.server.isAt(server) && !words.includes("--base-url")) words.push("--base-url", server);
  const how = reads_input === true && !keepsIds ? " with the same input" : "";
  return `Run \`${commandLine(...words, "--resume", id, ...operands)}\`${how} to continue.`;
}

/** The command that delivers what a job kept for a receiver that failed. */
export function showHint(id: string, toCommand: string | undefined): string {
  const show = commandLine("recover", "show", id);
  if (toCommand === undefined) return `Run \`${show}\` to get the token.`;
  const again = commandLine("recover", "show", id, "--to-command", toCommand);
  return `Run \`${again}\` to try again, or \`${show}\` to print what is kept.`;
}

/** The hint if the input is not the one that the job was started with. */
export function sameInputHint(operation: JournalOperation): string {
  return traitsOf(operation).keepsIds
    ? "Leave out the IDs: --resume continues with those in the record."
    : "Give it the list that the job was started with, or a part of it. If the list is lost, start a new job; `grantctl recover show ID` prints the values that this one has made, and `grantctl recover forget ID` deletes them.";
}
