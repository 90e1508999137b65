// Shared by the commands that change tokens: their flags, the words of the confirmation prompt, and the reads that find a
// witness among them. Tokens are named by their last eight characters, and by the note and application that a read returns.
import type { Command } from "commander";
import type { CheckedToken } from "../../api/tokens.ts";
import { isFailure, type Failure } from "../../errors/errors.ts";
import { nameTen, withCommas } from "../../errors/words.ts";
import type { WitnessSearch } from "../../jobs/queue.ts";
import { Loop } from "../../jobs/loop.ts";
import type { Outcome } from "../../jobs/outcome.ts";
import { addJobOptions, type JobOptions } from "../../jobs/job.ts";
import { addProofOptions, type JobApplication, type ProofOptions } from "../../jobs/application.ts";
import { cellText, fieldOf } from "../../output/presentation.ts";
import type { Context } from "../../command-line/command.ts";
import { quoteName } from "../../output/sanitise.ts";
import { lastEight } from "../../token.ts";
import { addTokenInput, type TokenInputOptions } from "./input.ts";

export type TokenJobOptions = TokenInputOptions & JobOptions & ProofOptions;

export function addTokenJobOptions(command: Command): Command {
  return addProofOptions(addJobOptions(addTokenInput(command)));
}

/** Up to ten of the tokens with their notes, their application, as far as they are known, and the server. */
export function tokensInWords(
  tokens: readonly string[],
  known: ReadonlyMap<string, CheckedToken | null>,
  { server }: Context,
): string {
  const textIn = (token: string, field: string): string => cellText(fieldOf(known.get(token) ?? {}, field));
  const app = tokens.map((token) => textIn(token, "app.name")).find((name) => name !== "");
  const nameOf = (token: string): string => {
    const note = textIn(token, "note");
    return note === "" ? lastEight(token) : `${lastEight(token)} ${quoteName(note)}`;
  };
  const named = nameTen(tokens.map(nameOf));
  const of = app === undefined ? "" : ` of ${quoteName(app)}`;
  const all =
    tokens.length === 1
      ? `the token ending in ${named}${of}`
      : `${withCommas(tokens.length)} tokens${of} (ending in ${named})`;
  return `${all} at ${server.origin().href}`;
}

/** Reads tokens until one is active: the witness. Throws as `checkTokens`, and a refusal of all tokens. */
export async function searchWitness(
  tokens: readonly string[],
  application: JobApplication,
  context: Context,
  isStopped: () => boolean,
): Promise<WitnessSearch> {
  const isEnough = (found: ReadonlyMap<string, unknown>): boolean => found.size > 0 || isStopped();
  const { active, decided, doubt } = await checkTokens(tokens, application, context, isEnough);
  const [first] = active.keys();
  if (first === undefined && doubt !== undefined) throw doubt;
  const refused = [...decided].filter(([, failure]) => !mayConcernAll(failure));
  return { last: new Set(first === undefined ? [] : [first]), decided: new Map(refused) };
}

/**
 * Reads these tokens: all, or until `isEnough`. `active`: those that the server finds. `decided`: its responses about the
 * others, which need not be sent. `doubt`: the first response that may be about all tokens; five of them in a row are thrown.
 * Throws a failure that says nothing about a token, such as a timeout.
 */
export async function checkTokens(
  tokens: readonly string[],
  { proof, read }: JobApplication,
  { options: { concurrency } }: Context,
  isEnough?: (active: ReadonlyMap<string, CheckedToken>) => boolean,
) {
  const active = new Map<string, CheckedToken>();
  const decided = new Map<string, Failure>();
  let doubt: Failure | undefined;
  const loop = new Loop({ concurrency, makesAbsent: (_, failure) => failure.kind === "not-found" });
  const report = (outcomes: readonly Outcome<CheckedToken>[]): Promise<void> => {
    for (const { item, result, failure } of outcomes) {
      if (result !== null) active.set(item, result);
      else if (failure === null && doubt !== undefined) throw doubt;
      if (failure === null) continue;
      if (!isFailure(failure, "not-found", "refused", "protocol")) throw failure;
      if (mayConcernAll(failure)) doubt ??= failure;
      decided.set(item, failure);
    }
    return Promise.resolve();
  };
  // The first is usually active, so that one read is enough.
  let count = isEnough === undefined ? tokens.length : 1;
  for (let start = 0; start < tokens.length; start += count, count = concurrency) {
    if (isEnough?.(active) === true) break;
    await loop.run(new Set(tokens.slice(start, start + count)), (token) => proof.ask(token, read), report);
  }
  return { active, decided, doubt };
}

/** True for a refusal that is not about its token, and for a failure of the server. */
function mayConcernAll({ kind, details }: Failure): boolean {
  return kind === "protocol" || (kind === "refused" && details.isAboutItem !== true);
}
