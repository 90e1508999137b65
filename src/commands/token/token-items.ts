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
import { itemPresentation, type ItemRow } from "../../shapes/token-fields.ts";
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

/** The statuses in the report of a job of tokens. */
interface Statuses {
  /** The status of a token that is done. */
  readonly done: string;
  /** The status of a token that proven credentials do not find; null where that is a failure. */
  readonly gone: string | null;
}

/** Prints a line for each token with its outcome; throws as `reportOutcomes` does. */
export async function reportTokens(
  job: Job<unknown>,
  total: number,
  { isJob, placed, sourcesOf }: TokenItems,
  statuses: Statuses,
  context: Context,
  presentation = itemPresentation([]),
): Promise<void> {
  await reportOutcomes<unknown, ItemRow>(context, job, {
    ...statuses,
    total,
    isJob,
    presentation: placed(presentation),
    rowOf: (token, status) => ({ status, token_last_eight: lastEight(token), ...sourcesOf(token) }),
  });
}

/** What a dry run says of each token, and in the end of all of them. */
export interface TokenPlan {
  readonly statuses: Statuses;
  readonly deed: TokenDeed;
  readonly presentation?: ReturnType<typeof itemPresentation>;
}

/** Checks each of the remaining tokens in a dry run, and reports what would be done with it. */
export async function planTokens(
  left: readonly string[],
  items: TokenItems,
  { service, clientId, proof }: Proven<ApplicationService>,
  { statuses, deed, presentation }: TokenPlan,
  context: Context,
): Promise<void> {
  const { checkToken } = await import("../../api/tokens.ts");
  const known = new Map<string, Pick<Authorization, "note" | "app">>();
  const job = startReading(context, left, { proof, vet: null }, async (token) => {
    const { note, app } = await checkToken(service, clientId, token);
    known.set(token, { note, app });
  });
  try {
    await reportTokens(job, left.length, items, statuses, context, presentation);
  } finally {
    const found = left.filter((token) => known.has(token));
    const toDo = deed(tokensInWords(found, known), context.address.origin().href);
    if (found.length > 0) context.notices.note(`would ${toDo}`);
  }
}
