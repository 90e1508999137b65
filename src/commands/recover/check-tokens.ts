// Finds out the outcomes of an interrupted job of tokens with a check (operation 11) of each: one row an item. Only
// reads.
import { jobWaits, readLimits, runItems, type Outcome } from "../../jobs/run-items.ts";
import { withProof } from "../../jobs/proof.ts";
import type { Context } from "../../run/context.ts";
import { isFailure, usageFailure, type Failure } from "../../errors/errors.ts";
import { isFound } from "../../errors/not-found.ts";
import { hashOf } from "../../journal/hashes.ts";
import { unknownItems, type Leftover } from "../../journal/leftover.ts";
import type { OutcomeRow } from "./outcome-rows.ts";
import { lostStateOf, rowOf, stateOf } from "./token-states.ts";

/** How many other tokens of the input are checked, until a live one proves the credentials. */
const mostProofs = 5;

/**
 * Checks each item of unknown outcome whose token is among these, and notes in the journal which new tokens are lost.
 * Throws a usage failure where no token is of such an item, and the failure of a check, except "not found".
 */
export async function checkTokensOf(
  leftover: Leftover,
  tokens: readonly string[],
  context: Context,
): Promise<readonly OutcomeRow[]> {
  const unknown = unknownItems(leftover);
  const tokenOf = new Map(tokens.map((token) => [hashOf(token), token]));
  const toLookAt = unknown.flatMap(({ item }) => tokenOf.get(item) ?? []);
  if (toLookAt.length === 0) {
    throw usageFailure(
      "none of the tokens on standard input is of unknown outcome in this job",
      "give the input of the job",
    );
  }
  const { service, clientId, proof } = withProof(await context.address.applicationService());
  const { checkToken } = await import("../../api/tokens.ts");
  const isLive = (token: string): Promise<boolean> => isFound(checkToken(service, clientId, token));

  const { concurrency } = context.options;
  const waits = jobWaits(context, readLimits(toLookAt));
  const live = new Map<string, boolean>();
  let failure: Failure | null = null;
  for await (const look of runItems(toLookAt, { concurrency, waits, proof, vet: null }, isLive).outcomes) {
    failure ??= failureOf(look);
    if (look.state === "done") live.set(hashOf(look.item), look.result);
  }
  if (failure !== null) throw failure;

  const isDone = (hash: string): boolean => leftover.contents.items.get(hash)?.state === "done";
  const others = [...tokenOf].filter(([hash]) => !live.has(hash) && !isDone(hash)).slice(0, mostProofs);
  for (const [, token] of others) if (!proof.isGiven()) await isLive(token);

  const { operation } = leftover.contents.head;
  const rows = unknown.map((entry) => {
    const state = stateOf(entry, live.get(entry.item), operation, proof.isGiven());
    return { item: entry.item, row: rowOf(entry, entry.isLost === true ? lostStateOf(entry) : state) };
  });
  const lost = rows.filter(({ row }) => row.state === "lost" || row.state === "dead").map(({ item }) => item);
  if (lost.length > 0) await noteLost(leftover, lost, context);
  return rows.map(({ row }) => row);
}

function failureOf(look: Outcome<string, boolean>): Failure | null {
  return look.state === "failed" ? look.failure : null;
}

async function noteLost({ path }: Leftover, items: readonly string[], context: Context): Promise<void> {
  const journals = await context.journals();
  const opened = await journals.reopen(path).catch((error: unknown) => {
    if (!isFailure(error)) throw error;
    // The outcomes are shown all the same; the next `recover show` finds them out again.
    context.notices.warn(`what was found out could not be noted: ${error.message}`);
    return null;
  });
  if (opened === null) return;
  const { journal } = opened;
  for (const item of items)
    journal.note({ item, state: journal.latest(item)?.state ?? "sent", isLost: true });
  await journal.close();
}
