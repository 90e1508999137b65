// `grantctl token reset`: operation 12, for one or many.
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import { noneIsActive } from "../../errors/words.ts";
import { planJob } from "../../jobs/job.ts";
import { previewJob } from "../../jobs/job-journal.ts";
import { openProof } from "../../jobs/proof-token.ts";
import { reportNothing } from "../../jobs/report.ts";
import type { Outcome } from "../../jobs/outcome.ts";
import { isResetAgain, lostIfSent, resetRow, resetTokens } from "../../delivery/reset.ts";
import {
  addReceiverOptions,
  openReceiver,
  resumedOptions,
  type ReceiverOptions,
} from "../../delivery/receiver.ts";
import type { CheckedToken } from "../../api/tokens.ts";
import { checkNotOauth } from "../../server-types.ts";
import { resetPresentation } from "../../output/tokens.ts";
import { lastEight } from "../../token.ts";
import { onTokens, type TokenItems } from "./input.ts";
import { confirmTokens, findReserve, tokensInWords, type ActionText } from "./outcomes.ts";
import { addTokenJobOptions, type TokenJobOptions } from "./revoke.ts";

const actionText: ActionText = (what) => `reset ${what} and invalidate each old value`;

type ResetOptions = TokenJobOptions & ReceiverOptions;

export const define: Define = (command, act) => {
  addReceiverOptions(addTokenJobOptions(command))
    .description(
      "Reset an application's tokens: each gets a new value, and the old value stops working at once. Prints the new value, which the server shows only once; if there is more than one token, prints one JSON object per line. Prompts for confirmation.",
    )
    .action(act(onTokens(run, ({ serverType }) => checkNotOauth(serverType))));
  printsFields(command, resetPresentation.fields);
  addExamples(command, [
    "grantctl token reset --output-file new.txt < leaked.txt",
    "grantctl token reset --yes < token.txt > new.txt",
    "grantctl token reset --token-file leaked.txt --dry-run",
  ]);
};

async function run(context: Context, given: ResetOptions, read: TokenItems): Promise<void> {
  if (read.tokens.length === 0 && given.resume === undefined)
    return reportNothing(context, "token to reset", resetPresentation);
  const isDryRun = given.dryRun === true;
  const tokenProof = await openProof(given, read.tokens, context);
  const preview = await previewJob(context, given, "reset", read.tokens);
  const { journal, items: tokens, isOfOne, pending } = preview;
  // One new value is bare only if no format is asked for.
  const isBare = isOfOne && !context.printer.printsRows;
  const receiver = await openReceiver(resumedOptions(given, preview), context, !isBare);
  try {
    const { clientId } = await context.server.applicationService();
    preview.checkRequester(clientId);
    const changed: string[] = [];
    for (const token of tokens)
      if (pending.includes(token) || (await isResetAgain(preview.entryOf(token), clientId, token)))
        changed.push(token);
    if (!isDryRun && changed.length > 0) await context.checkCanConfirm();
    const application = await tokenProof.application(isDryRun ? "reads" : "writes");
    if (isDryRun) {
      const plan = {
        items: changed,
        absence: application.absence,
        act: application.check,
        presentation: resetPresentation,
        createRow: (token: string, status: string, _: unknown, reason: string | null) =>
          resetRow(lastEight(token), [status, reason], null),
        isGoneDone: false,
        refine: (outcome: Outcome<CheckedToken>) => lostIfSent(outcome, preview.wasSent(outcome.item)),
        verified: noneIsActive,
      };
      await planJob(context, plan, (found, known) => actionText(tokensInWords(found, known, context)));
      return;
    }
    await confirmTokens(changed, application, context, actionText);
    const reserve = await findReserve(changed, application, context);
    await resetTokens({ tokens, isBare, journal, ...reserve }, receiver, application, context);
  } finally {
    await receiver.close?.();
  }
}
