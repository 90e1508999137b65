// The tokens of a command over many, and the report of each one's outcome.
import { lastEight } from "../../token-value.ts";
import { isJobOf, type JobOptions } from "../../bulk/job-plan.ts";
import type { Job } from "../../bulk/job.ts";
import type { Proven } from "../../bulk/proof.ts";
import { startReading } from "../../bulk/reading-job.ts";
import { reportOutcomes } from "../../bulk/report-outcomes.ts";
import { itemsOfShard, withInput } from "../../bulk/shard.ts";
import type { ApplicationService } from "../../run/address.ts";
import type { Context } from "../../run/context.ts";
import { itemPresentation, type ItemRow } from "../../printing/tokens.ts";
import type { Authorization } from "../../api/resources.ts";
import { tokensInWords, type TokenDeed } from "./tokens-in-words.ts";
import { readTokens, type GivenTokens, type TokenUse } from "./read-tokens.ts";
import type { TokenInputOptions } from "./token-input.ts";

export interface TokenItems extends GivenTokens {
  /** The tokens of all shards. */
  readonly allTokens: readonly string[];
  /** The options, with the hash of the whole input. */
  readonly jobOptions: JobOptions;
  /** Whether they are reported as a list. */
  readonly isJob: boolean;
}

/** The tokens of this run's shard. Throws as `readTokens` does. */
export async function readTokenItems(
  options: TokenInputOptions & JobOptions,
  context: Context,
  use?: TokenUse,
): Promise<TokenItems> {
  const given = await readTokens(options, context, use);
  const tokens = itemsOfShard(given.tokens, options);
  const jobOptions = withInput(options, given.tokens);
  return { ...given, tokens, allTokens: given.tokens, jobOptions, isJob: isJobOf(tokens, options) };
}

/** What the report of a job of tokens says of each. */
interface TokenReport {
  /** The status of a token that is done. */
  readonly done: string;
  /** The status of a token that proven credentials do not find; null where that is a failure. */
  readonly gone: string | null;
  /** That of an item with no further fields where it is absent. */
  readonly presentation?: ReturnType<typeof itemPresentation>;
}

/** Prints a line for each token with its outcome; throws as `reportOutcomes` does. */
export async function reportTokens(
  job: Job<unknown>,
  { tokens, isJob, placed, sourcesOf }: TokenItems,
  { done, gone, presentation = itemPresentation([]) }: TokenReport,
  context: Context,
): Promise<void> {
  await reportOutcomes<unknown, ItemRow>(context, job, {
    done,
    gone,
    total: tokens.length,
    isJob,
    presentation: placed(presentation),
    rowOf: (token, status) => ({ status, token_last_eight: lastEight(token), ...sourcesOf(token) }),
  });
}

/** What a dry run says of each token, and in the end of all of them. */
export interface TokenPlan extends TokenReport {
  readonly deed: TokenDeed;
}

/** Checks each token in a dry run, and reports what would be done with it. */
export async function planTokens(
  items: TokenItems,
  { service, clientId, proof }: Proven<ApplicationService>,
  plan: TokenPlan,
  context: Context,
): Promise<void> {
  const { tokens } = items;
  const { checkToken } = await import("../../api/tokens.ts");
  const known = new Map<string, Pick<Authorization, "note" | "app">>();
  const job = startReading(context, tokens, { proof, vet: null }, async (token) => {
    const { note, app } = await checkToken(service, clientId, token);
    known.set(token, { note, app });
  });
  try {
    await reportTokens(job, items, plan, context);
  } finally {
    const found = tokens.filter((token) => known.has(token));
    const toDo = plan.deed(tokensInWords(found, known), context.address.origin().href);
    if (found.length > 0) context.notices.note(`would ${toDo}`);
  }
}
