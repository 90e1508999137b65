// Shared by the commands that change tokens: the words of the confirmation prompt, and the reads that find what is changed last.
// Tokens are named by their last eight characters, and by the note and application that a check returns.
import type { CheckedToken } from "../../api/tokens.ts";
import { quoteName } from "../../deletion/change-items.ts";
import { isFailure, type Failure } from "../../errors/errors.ts";
import { firstOf, withCommas } from "../../errors/words.ts";
import type { Reserve } from "../../jobs/job.ts";
import { Loop } from "../../jobs/loop.ts";
import type { ProvenApplication } from "../../jobs/proof-token.ts";
import { cellText, fieldOf } from "../../output/presentation.ts";
import type { Context } from "../../command-line/command.ts";
import { lastEight } from "../../token.ts";

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
  const named = firstOf(tokens.map(nameOf));
  const of = app === undefined ? "" : ` of ${quoteName(app)}`;
  const all =
    tokens.length === 1
      ? `the token ending in ${named}${of}`
      : `${withCommas(tokens.length)} tokens${of} (ending in ${named})`;
  return `${all} at ${server.origin().href}`;
}

/** Reads tokens until one is active, which is then changed last. Throws as `checkTokens`, and a refusal of all tokens. */
export async function findReserve(
  tokens: readonly string[],
  application: ProvenApplication,
  context: Context,
  isStopped: () => boolean,
): Promise<Reserve> {
  const unsent = new Map<string, Failure>();
  /** An answer that may be about one token, or about all of them: the loop stops after five in a row. */
  let doubt: Failure | null = null;
  const loop = loopOfReads(application, context);
  // The first is usually active, so that one read is enough.
  let count = 1;
  for (let start = 0; start < tokens.length; start += count, count = context.options.concurrency) {
    if (isStopped()) break;
    const read = await checkTokens(tokens.slice(start, start + count), application, context, loop);
    for (const [token, failure] of read.unsent)
      if (mayBeOfAll(failure)) doubt ??= failure;
      else unsent.set(token, failure);
    const [active] = read.active.keys();
    if (active !== undefined) return { last: new Set([active]), unsent };
  }
  if (doubt !== null) throw doubt;
  return { last: new Set(), unsent };
}

/** True for a refusal that is not about its token, and for a failure of the server. */
function mayBeOfAll({ kind, details }: Failure): boolean {
  return kind === "protocol" || (kind === "refused" && details.isAboutItem !== true);
}

/** Reads all of these tokens. `unsent`: those that the server does not find, refuses or fails to read. Throws any other failure. */
export async function checkTokens(
  tokens: readonly string[],
  application: ProvenApplication,
  context: Context,
  loop = loopOfReads(application, context),
): Promise<Pick<Reserve, "unsent"> & { readonly active: ReadonlyMap<string, CheckedToken> }> {
  const { absence, check } = application;
  const active = new Map<string, CheckedToken>();
  const unsent = new Map<string, Failure>();
  await loop.run(
    new Set(tokens),
    (token) => absence.read(token, check),
    (outcomes) => {
      for (const { item, result, failure } of outcomes) {
        if (result !== null) active.set(item, result);
        else if (failure === null) throwDoubt(unsent);
        else if (absence.isAbsence(failure) || isFailure(failure, "refused", "protocol"))
          unsent.set(item, failure);
        else throw failure;
      }
      return Promise.resolve();
    },
  );
  return { active, unsent };
}

function loopOfReads({ absence }: ProvenApplication, { options: { concurrency } }: Context): Loop {
  return new Loop({ concurrency, isAbsence: (failure) => absence.isAbsence(failure) });
}

/** Throws an answer that may be about all tokens. */
function throwDoubt(answers: Reserve["unsent"]): void {
  for (const failure of answers.values()) if (mayBeOfAll(failure)) throw failure;
}
