// What revoking tokens and revoking the grants behind them have in common.
import type { Command } from "commander";
import { lastEight } from "../../api/last-eight.ts";
import { runItems } from "../../bulk/run-items.ts";
import type { Context } from "../../context.ts";
import type { Service } from "../../http/service.ts";
import { reportOutcomes } from "../report-outcomes.ts";
import { itemPresentation, tokensInWords } from "./presentation.ts";
import { readTokens, type TokenInputOptions } from "./read-tokens.ts";

export interface Revocation {
  readonly question: (what: string, address: string) => string;
  readonly revoke: (service: Service, clientId: string, token: string) => Promise<void>;
}

/** Revokes what tokens stand for, after asking; with --dry-run only checks them. */
export async function revokeItems(
  options: TokenInputOptions,
  command: Command,
  context: Context,
  { question, revoke }: Revocation,
): Promise<void> {
  const presentation = itemPresentation([]);
  context.printer.checkFields(presentation);
  const tokens = await readTokens(options, command, context);
  const isDryRun = context.options.dryRun === true;
  if (!isDryRun) await context.confirm(question(tokensInWords(tokens), context.origin().href));

  const { service, clientId } = await context.applicationService();
  const { checkToken } = await import("../../api/tokens.ts");
  const act = async (token: string): Promise<void> => {
    if (isDryRun) await checkToken(service, clientId, token);
    else await revoke(service, clientId, token);
  };
  await reportOutcomes(context, runItems(tokens, context.options.concurrency, act), {
    isJob: tokens.length > 1,
    presentation,
    rowOf: (token, status) => ({ status, token_last_eight: lastEight(token) }),
    done: isDryRun ? "would-revoke" : "revoked",
    gone: isDryRun ? null : "already-gone",
  });
}
