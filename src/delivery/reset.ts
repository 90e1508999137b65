// Resets tokens as a job, even a single one. Each new token is on disk before it is written anywhere else, and its item is
// finished only when the receiver has accepted it. A reset cannot be repeated blindly, because the server shows the new
// token once:
//
//   the response                       what happens
//   arrived                            the token is delivered; if that fails, the record keeps it for --resume
//   never arrived                      nothing now, because the request may still take effect; --resume reads the old
//                                      token: active, the reset is sent again; gone, the new token is lost
//   kept by an earlier run             it is delivered if it fits the request, and no other item has its token; otherwise
//                                      it is as if it had never arrived
import { checkResetToken } from "../api/match-response.ts";
import { resetToken } from "../api/tokens.ts";
import { Failure } from "../errors/errors.ts";
import { noneIsActive } from "../errors/words.ts";
import { withIntent } from "../http/service.ts";
import type { Entry, Journal } from "../jobs/journal.ts";
import { runJob, type Attempt } from "../jobs/job.ts";
import { rowTexts, type Outcome } from "../jobs/outcome.ts";
import type { ProvenApplication } from "../jobs/proof-token.ts";
import { type ResetRow, resetPresentation } from "../output/tokens.ts";
import type { Context } from "../run/context.ts";
import { lastEight } from "../token.ts";
import { createClaims, readNewToken, type NewToken } from "./new-value.ts";
import type { ValueReceiver } from "./receiver.ts";
import { openValues, throwFailureOf } from "./values.ts";

export interface TokensToReset {
  readonly tokens: readonly string[];
  /** True for one token whose new value is printed bare. */
  readonly isBare: boolean;
  /** Of the run that --resume continues. */
  readonly journal: Journal | undefined;
  /** As in the plan of a job. */
  readonly last: ReadonlySet<string>;
  /** Tokens that need not be sent, with the server's answers to their reads. */
  readonly unsent: ReadonlyMap<string, Failure>;
}

/**
 * Resets the tokens, delivers the new ones and reports every outcome. Throws the job's failure at the end, and an
 * undelivered failure if the receiver did not accept a token.
 */
export async function resetTokens(
  { tokens, isBare, journal, last, unsent }: TokensToReset,
  receiver: ValueReceiver,
  { check, service, clientId, absence }: ProvenApplication,
  context: Context,
): Promise<void> {
  const values = openValues<ResetRow>(receiver, resetPresentation, isBare ? "bare" : "rows", context);
  const claims = createClaims(tokens, journal?.earlierEntries);
  /** Tokens whose reset an earlier run sent: it took effect if the old token is gone. */
  const sentBefore = new Set<string>();
  const rowOf = (outcome: Outcome<NewToken>): ResetRow =>
    resetRow(lastEight(outcome.item), rowTexts(outcome, "reset", context), outcome.result);

  const act = async (token: string, { intent, earlierEntry, record }: Attempt): Promise<NewToken> => {
    if (earlierEntry !== undefined) sentBefore.add(token);
    const failure = unsent.get(token);
    if (failure !== undefined) throw failure;
    if (earlierEntry !== undefined) {
      const made = await readKeptToken(earlierEntry, clientId, token);
      if (made !== null) {
        context.redactor.add(made.token);
        return claims.claim(made, record);
      }
      await check(token);
    }
    return claims.claim(await resetToken(withIntent(service, intent), clientId, token), record);
  };

  await runJob<NewToken, ResetRow>(context, {
    operation: "reset",
    journal,
    requester: clientId,
    items: tokens,
    receiver,
    absence,
    last,
    describe: (token) => ({ last_eight: lastEight(token) }),
    act,
    deliver: (outcomes) => values.deliver(outcomes.map(rowOf)),
    async giveAgain(entries) {
      const rows = await Promise.all(
        entries.map(async ({ last_eight: before = "", body }) =>
          resetRow(before, ["reset", null], await readNewToken(body)),
        ),
      );
      throwFailureOf(await values.deliver(rows));
    },
    done: "reset",
    isGoneDone: false,
    refine: (outcome) => lostIfSent(outcome, sentBefore.has(outcome.item)),
    verified: noneIsActive,
    presentation: resetPresentation,
    list: values.list,
    createRow(token, status, made, reason) {
      const row = resetRow(lastEight(token), [status, reason], made);
      return values.printsRows ? null : { ...row, token: made === null ? null : "" };
    },
  });
  const [only = ""] = tokens;
  if (isBare && (receiver.outputFile ?? receiver.toCommand) !== undefined && context.stdout.isTerminal)
    context.notices.note(`reset the token ending in ${lastEight(only)}`);
}

/** The outcome; "lost" for a token that is gone because an earlier run reset it. */
export function lostIfSent<Result>(outcome: Outcome<Result>, wasSent: boolean): Outcome<Result> {
  if (outcome.status !== "not-found" || !wasSent) return outcome;
  const reason = "the reset of an earlier run took effect, and its new value never arrived";
  const failure = new Failure("incomplete", reason, {
    hint: "Create new tokens to replace the lost ones.",
  });
  return { ...outcome, status: "lost", failure };
}

/** The new token that an earlier run kept; null if there is none, or if it does not fit its request. */
async function readKeptToken(
  { state, body }: Entry,
  clientId: string,
  token: string,
): Promise<NewToken | null> {
  return state === "sent" ? null : readNewToken(body, checkResetToken(clientId, token));
}

/** True if an earlier run kept an answer that does not fit, so that the token is reset again if it is still active. */
export async function isResetAgain(
  entry: Entry | undefined,
  clientId: string,
  token: string,
): Promise<boolean> {
  return entry?.state === "answered" && (await readKeptToken(entry, clientId, token)) === null;
}

/** The row of a token, with the last eight characters of its old value; `made` is null if it has no new one. */
export function resetRow(
  before: string,
  [status, reason]: readonly [status: string, reason: string | null],
  made: NewToken | null,
): ResetRow {
  return {
    token_last_eight_before: before,
    token_last_eight: made === null || made.token === "" ? null : lastEight(made.token),
    id: made?.id ?? null,
    login: made !== null && "user" in made ? (made.user?.login ?? null) : null,
    token: made?.token ?? null,
    status,
    reason,
  };
}
