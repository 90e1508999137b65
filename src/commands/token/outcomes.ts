// Shared by the commands for many tokens: the rows of a job, the confirmation prompt, and the reads before a job's first
// change. Tokens are named by their last eight characters, and by the note and application that a check returns.
import type { Authorization } from "../../api/resources.ts";
import type { CheckedToken } from "../../api/tokens.ts";
import { quoteName } from "../../deletion/change-items.ts";
import type { Failure } from "../../errors/errors.ts";
import { firstOf, mostNamed, noneIsActive, withCommas } from "../../errors/words.ts";
import type { Reserve } from "../../jobs/job.ts";
import { Loop } from "../../jobs/loop.ts";
import type { ProvenApplication } from "../../jobs/proof-token.ts";
import type { Report } from "../../jobs/report.ts";
import { cellText } from "../../output/presentation.ts";
import { appName } from "../../lists/resources.ts";
import { outcomePresentation, tokenRow, type TokenRow } from "./rows.ts";
import type { Context } from "../../command-line/command.ts";
import { lastEight } from "../../token.ts";
import { placesInWords } from "../../reports/tools.ts";
import type { TokenItems } from "./input.ts";

/** The rows of a job over tokens that returns none. */
export function outcomeRows<Result>(
  items: TokenItems,
  context: Context,
): Pick<Report<Result, TokenRow>, "presentation" | "createRow" | "noteGone" | "verified"> {
  return {
    verified: noneIsActive,
    presentation: outcomePresentation,
    createRow: (token, status, _, reason) =>
      tokenRow(token, status, null, { sources: items.sourcesOf(token), reason }),
    noteGone: noteOthers(items, context),
  };
}

/** After many invalid tokens, servers also reject valid ones. */
const mostInspected = 100;

const otherApplicationNote =
  "note: active tokens of other applications are reported in the same way. To find them, run `grantctl token inspect`.";

/**
 * "Not found" does not prove that a token is revoked: it may be another application's. So those of a scanner's report are
 * inspected, where the server has that, and the active ones named with their places; otherwise a note says so.
 */
export function noteOthers({ report, sourcesOf }: TokenItems, context: Context) {
  return async (tokens: readonly string[]): Promise<void> => {
    const { notices, serverType } = context;
    const { inspect, notTried } = await import("./inspect.ts");
    const active: string[] = [];
    let isInspected = report !== null && !serverType.isOauth;
    for (const [index, token] of (isInspected ? tokens : []).entries()) {
      const { status, said } = index < mostInspected ? await inspect(token, context) : notTried;
      isInspected = status !== "unknown";
      if (!isInspected) break;
      const owner = said === null ? "" : ` of ${said.login}`;
      if (status !== "inactive") active.push(`${lastEight(token)}${owner}${placesInWords(sourcesOf(token))}`);
    }
    if (active.length > 0)
      notices.warn(
        `still active, but not of this application: ${firstOf(active)}. Ask their owners, or hand tokens of GitHub over with \`grantctl token report\`.`,
      );
    if (!isInspected) notices.note(otherApplicationNote);
    else if (active.length === 0)
      notices.note("inspected: none of those that were not found is an active token of anybody else");
  };
}

/** The action on tokens, as in `revoke 2 tokens at https://ghe.example.com`. */
export type ActionText = (what: string) => string;

/** Up to ten of the tokens with their notes, their application, as far as they are known, and the server. */
export function tokensInWords(
  tokens: readonly string[],
  known: ReadonlyMap<string, CheckedToken | null>,
  { server }: Context,
): string {
  const namesOf = (token: string): Partial<Pick<Authorization, "note" | "app">> => {
    const found = known.get(token) ?? null;
    return found !== null && "id" in found ? found : {};
  };
  const app = tokens.map((token) => appName(namesOf(token).app)).find((name) => name !== "");
  const nameOf = (token: string): string => {
    const note = cellText(namesOf(token).note);
    return `${lastEight(token)}${note === "" ? "" : ` ${quoteName(note)}`}`;
  };
  const named = firstOf(tokens.slice(0, mostNamed).map(nameOf), tokens.length);
  const of = app === undefined ? "" : ` of ${quoteName(app)}`;
  const all =
    tokens.length === 1
      ? `the token ending in ${named}${of}`
      : `${withCommas(tokens.length)} tokens${of} (ending in ${named})`;
  return `${all} at ${server.origin().href}`;
}

/** Reads tokens until one is active, which is then changed last. Throws as `readTokens`. */
export async function findReserve(
  tokens: readonly string[],
  application: ProvenApplication,
  context: Context,
  isStopped = (): boolean => false,
): Promise<Reserve> {
  const unsent = new Map<string, Failure>();
  // The first is usually active, so that one read is enough.
  let count = 1;
  for (let start = 0; start < tokens.length; start += count, count = context.options.concurrency) {
    if (isStopped()) break;
    const read = await readTokens(tokens.slice(start, start + count), application, context);
    for (const [token, failure] of read.absent) unsent.set(token, failure);
    const refusal = [...read.refused.values()].find(({ details }) => details.isAboutItem !== true);
    if (refusal !== undefined) throw refusal;
    const [active] = read.active.keys();
    if (active !== undefined) return { last: new Set([active]), unsent };
  }
  return { last: new Set(), unsent };
}

/** Reads all of these tokens. Throws the failure of a read, unless it is an answer about its token. */
export async function readTokens(
  tokens: readonly string[],
  { absence, check }: ProvenApplication,
  context: Context,
): Promise<{
  readonly active: ReadonlyMap<string, CheckedToken>;
  readonly absent: ReadonlyMap<string, Failure>;
  readonly refused: ReadonlyMap<string, Failure>;
}> {
  const active = new Map<string, CheckedToken>();
  const absent = new Map<string, Failure>();
  const refused = new Map<string, Failure>();
  const loop = new Loop({
    concurrency: context.options.concurrency,
    isOne: tokens.length === 1,
    wait: context.progress.wait,
    isAbsence: (failure) => absence.isAbsence(failure),
  });
  await loop.run(
    new Set(tokens),
    (token) => absence.read(token, check),
    (outcomes) => {
      for (const { item, result, failure } of outcomes) {
        if (result !== null) active.set(item, result);
        else if (failure === null) for (const refusal of refused.values()) throw refusal;
        else if (absence.isAbsence(failure)) absent.set(item, failure);
        else if (failure.kind === "refused") refused.set(item, failure);
        else throw failure;
      }
      return Promise.resolve();
    },
  );
  return { active, absent, refused };
}
