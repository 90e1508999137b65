// Revokes tokens, or the grants behind them: `token revoke` and `token revoke-grant` differ in the request alone.
import { lastEight } from "../../token-value.ts";
import type { Context } from "../../run/context.ts";
import type { Service } from "../../http/service.ts";
import type { JournalOperation } from "../../journal/entries.ts";
import { lookAhead } from "../../bulk/open-journal.ts";
import { startJob } from "../../bulk/job.ts";
import type { JobOptions } from "../../bulk/job-plan.ts";
import { reportNothing } from "../../bulk/report-outcomes.ts";
import { itemPresentation } from "../../printing/tokens.ts";
import { withPlaces } from "../../reports/places.ts";
import { proveApplication, readProofToken, type ProofTokenOptions } from "./proof-token.ts";
import type { TokenInputOptions } from "./token-input.ts";
import { planTokens, readTokenItems, reportTokens } from "./token-items.ts";
import { sureOfTokens } from "./sure-of-tokens.ts";
import { confirmTokens, type TokenDeed } from "./tokens-in-words.ts";

export type RevocationOptions = TokenInputOptions & JobOptions & ProofTokenOptions;

export interface Revocation {
  readonly operation: JournalOperation;
  readonly deed: TokenDeed;
  readonly revoke: (service: Service, clientId: string, token: string) => Promise<void>;
}

/** Reads the tokens, asks, revokes each and prints the outcomes. Throws the single token's failure, or the job's. */
export async function revokeItems(
  options: RevocationOptions,
  context: Context,
  { operation, deed, revoke }: Revocation,
): Promise<void> {
  context.printer.checkFields(withPlaces(itemPresentation([]), false));
  const items = await readTokenItems(options, context);
  const { tokens, allTokens, jobOptions } = items;
  if (tokens.length === 0) {
    const presentation = items.placed(itemPresentation([]));
    await reportNothing(context, "token to revoke", jobOptions, presentation, operation);
    return;
  }
  const isDryRun = context.options.dryRun === true;
  const proofToken = await readProofToken(options, allTokens, context);
  const { left } = await lookAhead(context, options, { operation, items: tokens });
  if (!isDryRun && left.length > 0) await context.checkCanConfirm();
  const application = await proveApplication(proofToken, context);
  if (isDryRun) {
    const plan = { done: "would-revoke", gone: "already-gone", deed };
    await planTokens({ ...items, tokens: left }, application, plan, context);
    return;
  }
  await confirmTokens(left, application, context, deed);
  const { service, clientId, proof } = application;
  const { checkToken } = await import("../../api/tokens.ts");
  const check = (token: string): Promise<unknown> => checkToken(service, clientId, token);
  const sure = await sureOfTokens(application, revoke);
  const job = await startJob(context, jobOptions, {
    operation,
    requester: clientId,
    items: tokens,
    proof,
    vet: (token) => check(token).then(() => true),
    lastEightOf: lastEight,
    confirm: sure.confirm,
    async act(token, { intent, before }) {
      // The token may have been revoked before the interruption: then the check throws "not found".
      if (before !== undefined) await check(token);
      await sure.act(token, intent);
    },
  });
  await reportTokens(job, items, { done: "revoked", gone: "already-gone" }, context);
}
