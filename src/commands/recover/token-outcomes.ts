// `grantctl recover show` for an interrupted job of tokens: a row for each token whose request got no response, and a
// failure with the totals. If the input of the job is on standard input again, each of these tokens is checked at the
// server (operation 11); a new token that turns out to be lost is recorded in the journal. Nothing is changed there.
//
// In JSON a row has the fields of a kept token, so that a script reads one shape from `recover show`. Its state:
//
//   live      the request had no effect
//   gone      the token is revoked
//   lost      it was reset, and the new token is lost
//   dead      lost, or already revoked before the job; only after a power cut
//   unproven  not found, but the credentials may be wrong
//   unknown   not checked
import { Failure, isFailure, usageFailure } from "../../errors/errors.ts";
import { isFound } from "../../errors/not-found.ts";
import { withProof } from "../../jobs/proof.ts";
import { commandLine, resumeCommandFromHead } from "../../jobs/resume-hint.ts";
import { readWaits, runItems } from "../../jobs/run-items.ts";
import type { Entry, Head } from "../../journal/entries.ts";
import { hashOf } from "../../journal/hashes.ts";
import { type Leftover, summarize, unknownEntries } from "../../journal/leftover.ts";
import { printUnlessPipeClosed } from "../../printing/output-stream.ts";
import { column, type FieldOf, type Presentation } from "../../printing/presentation.ts";
import type { Context } from "../../run/context.ts";

/**
 * live: the request had no effect; gone: revoked; lost: reset, and its new value is lost; dead: lost, or already revoked
 * before a power cut; unproven: not found, but the credentials may be wrong; unknown: not checked.
 */
type TokenState = "live" | "gone" | "lost" | "dead" | "unproven" | "unknown";

/** A new token that an earlier run kept and did not deliver; or a token of a job, with its outcome. */
export interface KeptValue {
  readonly token_last_eight_before: string | null;
  /** Empty for a token of a job that is listed for its outcome. */
  readonly token: string;
  readonly state?: TokenState;
}

export const keptValuePresentation: Presentation<KeptValue> = {
  fields: ["token_last_eight_before", "token", "state"] satisfies readonly FieldOf<KeptValue>[],
  columns: [],
};

/** The row of a token of a job, without a value. */
type OutcomeRow = KeptValue & { readonly state: TokenState };

const outcomePresentation: Presentation<KeptValue> = {
  ...keptValuePresentation,
  columns: [
    column("LAST EIGHT", "token_last_eight_before", { isWhole: true }),
    column("STATE", "state", { isWhole: true }),
  ],
};

/** Prints the outcome of each token of a job. Resolves with the failure of the command. */
export async function showJob(leftover: Leftover, context: Context): Promise<Failure> {
  const { operation } = leftover.contents.head;
  const unknown = unknownEntries(leftover);
  const tokens = unknown.length === 0 ? null : await readInputTokens(leftover, context);
  const rows =
    tokens === null
      ? unknown.map((entry) => outcomeRow(entry, tokenState(entry, undefined, operation, false)))
      : await checkTokens(leftover, tokens, context);
  await printUnlessPipeClosed(() => context.printer.printList(rows, outcomePresentation));
  return jobFailure(rows, leftover, context);
}

/** The tokens on standard input; null if there are none, or if this run's base URL is not the job's. */
async function readInputTokens(
  { contents: { head } }: Leftover,
  context: Context,
): Promise<readonly string[] | null> {
  return context.server.isAt(head.address) ? readGivenTokens("the tokens of the job", context) : null;
}

/** The failure of the job: `incomplete` if every outcome is known and no token is lost, otherwise `unknown`. */
function jobFailure(rows: readonly OutcomeRow[], leftover: Leftover, context: Context): Failure {
  const { id, contents } = leftover;
  const { done } = summarize(leftover);
  const { head } = contents;
  const count = (...states: readonly TokenState[]): number =>
    rows.filter(({ state }) => states.includes(state)).length;
  const outcomes = [
    [count("live"), "had no effect: the token is active"],
    [count("gone"), "took effect: the token is revoked"],
    [count("lost"), "took effect, and the new token is lost"],
    [count("dead"), "took effect, or was already revoked"],
    [count("unproven"), "took effect, or the credentials are wrong: the server does not find the token"],
    [count("unknown"), "not checked: pass the input of the job on standard input"],
  ] as const;
  const parts = outcomes.filter(([number]) => number > 0).map(([number, words]) => `${number} ${words}`);
  const unanswered =
    rows.length === 0 ? [] : [`${rows.length} of ${head.total} items were sent but received no response`];
  const message = [describeProgress(leftover), ...unanswered, ...parts].join("; ");

  const isAllLost = count("lost", "dead") > 0 && count("lost", "dead") === head.total - done;
  const hint = isAllLost
    ? `Create new tokens to replace the lost ones, then run \`${commandLine("recover", "forget", id)}\`.`
    : resumeHint(leftover, context);
  const isKnown = count("lost", "dead", "unproven", "unknown") === 0;
  return new Failure(isKnown ? "incomplete" : "unknown", message, { hint });
}

/** The progress of an interrupted job, as a sentence. */
export function describeProgress(leftover: Leftover): string {
  const { head } = leftover.contents;
  const { done, failed, toGo } = summarize(leftover);
  const unchanged = failed === 0 ? "" : `, ${failed} failed`;
  return `the ${head.operation} job at ${head.address} is unfinished: ${done} of ${head.total} done${unchanged}, ${toGo} pending`;
}

/** The hint with the command that continues the job. */
export function resumeHint({ id, contents }: Leftover, context: Context): string {
  const input = contents.ids === null ? " with the same input" : "";
  return `Run \`${resumeCommandFromHead(context, contents, id)}\`${input} to continue.`;
}

/** The maximum number of other input tokens to check until an active one proves the credentials. */
const mostProofs = 5;

/**
 * Checks each item of unknown outcome whose token is given, and records in the journal which new tokens are lost.
 * Throws a usage failure if no token belongs to such an item, and the failure of a check, except "not found".
 */
async function checkTokens(
  leftover: Leftover,
  tokens: readonly string[],
  context: Context,
): Promise<readonly OutcomeRow[]> {
  const unknown = unknownEntries(leftover);
  const tokenOf = new Map(tokens.map((token) => [hashOf(token), token]));
  const uncheckedTokens = unknown.flatMap(({ item }) => tokenOf.get(item) ?? []);
  if (uncheckedTokens.length === 0) {
    throw usageFailure(
      "none of the tokens on standard input has an unknown outcome in this job",
      "Pass the input of the job on standard input.",
    );
  }
  const { service, clientId, proof } = withProof(await context.server.applicationService());
  const { checkToken } = await import("../../api/tokens.ts");
  const isLive = (token: string): Promise<boolean> => isFound(checkToken(service, clientId, token));

  const { concurrency } = context.options;
  const waits = readWaits(context, uncheckedTokens);
  const live = new Map<string, boolean>();
  let failure: Failure | null = null;
  for await (const check of runItems(uncheckedTokens, { concurrency, waits, proof, vet: null }, isLive)
    .outcomes) {
    if (check.state === "failed") failure ??= check.failure;
    if (check.state === "done") live.set(hashOf(check.item), check.result);
  }
  if (failure !== null) throw failure;

  const isDone = (hash: string): boolean => leftover.contents.items.get(hash)?.state === "done";
  const others = [...tokenOf].filter(([hash]) => !live.has(hash) && !isDone(hash)).slice(0, mostProofs);
  for (const [, token] of others) if (!proof.isProven()) await isLive(token);

  const { operation } = leftover.contents.head;
  const rows = unknown.map((entry) => {
    const state = tokenState(entry, live.get(entry.item), operation, proof.isProven());
    return { item: entry.item, row: outcomeRow(entry, state) };
  });
  const lost = rows.filter(({ row }) => row.state === "lost" || row.state === "dead").map(({ item }) => item);
  if (lost.length > 0) await recordLost(leftover, lost, context);
  return rows.map(({ row }) => row);
}

async function recordLost({ path }: Leftover, items: readonly string[], context: Context): Promise<void> {
  const journals = await context.journals();
  const opened = await journals.reopen(path).catch((error: unknown) => {
    if (!isFailure(error)) throw error;
    // The outcomes are printed anyway; the next `recover show` checks the tokens again.
    context.notices.warn(`the outcomes could not be written to the journal: ${error.message}`);
    return null;
  });
  if (opened === null) return;
  const { journal } = opened;
  for (const item of items)
    journal.note({ item, state: journal.latestEntry(item)?.state ?? "sent", isLost: true });
  await journal.close();
}

/** True if the items of an operation are tokens. */
export function isAboutTokens(operation: Head["operation"]): boolean {
  return ["reset", "revoke", "revoke-grant"].includes(operation);
}

/** The state of an old token whose new one is lost: "dead" if a power cut may have prevented the request. */
function lostState({ state }: Entry): TokenState {
  return state === "planned" ? "dead" : "lost";
}

/** The state of a token. `isLive` is undefined without a check; false counts only with proven credentials. */
function tokenState(
  entry: Entry,
  isLive: boolean | undefined,
  operation: Head["operation"],
  isProven: boolean,
): TokenState {
  if (entry.isLost === true) return lostState(entry);
  if (isLive === undefined) return "unknown";
  if (isLive) return "live";
  if (!isProven) return "unproven";
  return operation === "reset" ? lostState(entry) : "gone";
}

/** The row of a token in this state, without its value. */
function outcomeRow({ last_eight: lastEight }: Entry, state: TokenState): OutcomeRow {
  return { token_last_eight_before: lastEight ?? null, token: "", state };
}

/**
 * The tokens on standard input, without duplicates; null if it is empty or a terminal. `what` describes them in
 * messages. Throws a usage failure that names an invalid line or item without repeating it.
 */
export async function readGivenTokens(
  what: string,
  { standardInput, redactor, serverType }: Context,
): Promise<readonly string[] | null> {
  if (standardInput.isTerminal) return null;
  const bytes = await unlessEmpty(standardInput.pieces(what));
  if (bytes === null) return null;
  const { readReport } = await import("../../reports/read-report.ts");
  const { tokens } = await readReport(bytes, {
    // All tokens are read: those that the earlier run left out are not in its journal, so they do not matter.
    skipsOtherKinds: false,
    longestToken: serverType.longestToken,
    refuse: (reason, hint) =>
      usageFailure(`standard input, which should contain ${what}, cannot be read: ${reason}`, hint),
  });
  for (const token of tokens) redactor.add(token);
  return tokens;
}

/** Passes the bytes through; null if all of them are white space. */
async function unlessEmpty(pieces: AsyncIterable<Buffer>): Promise<AsyncIterable<Buffer> | null> {
  const iterator = pieces[Symbol.asyncIterator]();
  const before: Buffer[] = [];
  for (;;) {
    const next = await iterator.next();
    if (next.done === true) return null;
    before.push(next.value);
    if (next.value.some((byte) => !whiteSpace.includes(byte))) break;
  }
  return (async function* () {
    yield* before;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
}

const whiteSpace: readonly number[] = [0x20, 0x09, 0x0a, 0x0d];
