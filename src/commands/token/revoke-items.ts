// What revoking tokens and revoking the grants behind them have in common.
import type { Command } from "commander";
import { lastEight } from "../../api/last-eight.ts";
import type { Context } from "../../run/context.ts";
import { withIntent, type Service } from "../../http/service.ts";
import type { JournalOperation } from "../../journal/entries.ts";
import { finishEmptyShard, lookAhead } from "../../bulk/open-journal.ts";
import { createProof, proving } from "../../bulk/proof.ts";
import { startReading } from "../../bulk/reading-job.ts";
import { startJob } from "../../bulk/job.ts";
import { isJobOf, type JobOptions } from "../../bulk/job-plan.ts";
import { reportNothing, reportOutcomes } from "../../bulk/report-outcomes.ts";
import { itemsOfShard, withInput } from "../../bulk/shard.ts";
import { itemPresentation, tokensInWords, type ItemRow } from "../../shapes/token-fields.ts";
import { withPlaces } from "../../reports/places.ts";
import { checkProofToken, readProofToken, type ProofTokenOptions } from "./proof-token.ts";
import { readTokens, type TokenInputOptions } from "./read-tokens.ts";

export type RevocationOptions = TokenInputOptions & JobOptions & ProofTokenOptions;

export interface Revocation {
  readonly operation: JournalOperation;
  readonly question: (what: string, address: string) => string;
  readonly revoke: (service: Service, clientId: string, token: string) => Promise<void>;
}

/** Revokes what tokens stand for, after asking; with --dry-run only checks them. */
export async function revokeItems(
  options: RevocationOptions,
  command: Command,
  context: Context,
  { operation, question, revoke }: Revocation,
): Promise<void> {
  context.printer.checkFields(withPlaces(itemPresentation([]), false));
  const given = await readTokens(options, command, context);
  const presentation = given.placed(itemPresentation([]));
  const tokens = itemsOfShard(given.tokens, options);
  const jobOptions = withInput(options, given.tokens);
  if (tokens.length === 0) {
    await reportNothing(context, "token to revoke", options, presentation);
    await finishEmptyShard(context, jobOptions, operation);
    return;
  }
  const isDryRun = context.options.dryRun === true;
  const proofToken = await readProofToken(options, tokens, context);
  const { left } = await lookAhead(context, options, { operation, items: tokens });
  if (!isDryRun && left.length > 0)
    await context.confirm(question(tokensInWords(left), context.address.origin().href));

  const login = await context.address.applicationService();
  const { clientId } = login;
  const proof = createProof();
  const service = proving(login.service, proof);
  const { checkToken } = await import("../../api/tokens.ts");
  if (proofToken !== null) await checkProofToken(proofToken, service, clientId);
  const job = isDryRun
    ? startReading<unknown>(context, left, { proof, vet: null }, (token) =>
        checkToken(service, clientId, token),
      )
    : await startJob<unknown>(context, jobOptions, {
        operation,
        requester: clientId,
        items: tokens,
        proof,
        vet: (token) => checkToken(service, clientId, token).then(() => true),
        lastEightOf: lastEight,
        act: (token, intent) => revoke(withIntent(service, intent), clientId, token),
        // It may have been revoked before the interruption; the check throws "not found" then.
        async takeUp(token, _, intent) {
          await checkToken(service, clientId, token);
          await revoke(withIntent(service, intent), clientId, token);
        },
      });
  await reportOutcomes<unknown, ItemRow>(context, job, {
    total: isDryRun ? left.length : tokens.length,
    isJob: isJobOf(tokens, options),
    presentation,
    rowOf: (token, status) => ({ status, token_last_eight: lastEight(token), ...given.sourcesOf(token) }),
    done: isDryRun ? "would-revoke" : "revoked",
    gone: "already-gone",
  });
}
