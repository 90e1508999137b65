// `grantctl token reset`: operation 12, for one or many.
import {
  addExamples,
  explainInherited,
  printsFields,
  type Define,
  type Context,
} from "../../command-line/command.ts";
import { lastEight } from "../../token-value.ts";
import { previewJob } from "../../jobs/job-journal.ts";
import { addProofOptions, openProof, type ProofOptions } from "../../jobs/proof.ts";
import { reportNothing } from "../../jobs/report.ts";
import { requestNewToken } from "../../delivery/deliver.ts";
import { describeOutcome, resetMany, resetRow } from "../../delivery/reset.ts";
import {
  addReceiverOptions,
  checkReceiver,
  checkValueOutput,
  openReceiver,
  type ReceiverOptions,
} from "../../delivery/receiver.ts";
import { withPlaces } from "../../reports/sources.ts";
import { checkAbility } from "../../run/operator-hints.ts";
import { itemPresentation, resetPresentation } from "../../printing/tokens.ts";
import { addTokenInput, readTokenItems, type TokenInputOptions } from "./input.ts";
import { confirmTokens, planTokens, type TokenPlan } from "./outcomes.ts";
import { addJobOptions, type JobOptions } from "../../jobs/job-options.ts";

const plan = {
  done: "would-reset",
  gone: null,
  actionText: (what, address, isOne) =>
    `reset ${what} at ${address} and invalidate the old ${isOne ? "value" : "values"}`,
  /** The plan has no new tokens, but accepts the same fields. */
  presentation: itemPresentation(resetPresentation.fields),
} satisfies TokenPlan;

type ResetOptions = TokenInputOptions & JobOptions & ReceiverOptions & ProofOptions;

export const defineReset: Define = (command, act) => {
  addProofOptions(addReceiverOptions(addJobOptions(addTokenInput(command)), "many"))
    .summary("Replace the values of an application's tokens")
    .description(
      "Reset an application's tokens: each gets a new value, and the old value stops working at once. Prints the new value, which the server shows only once; if there is more than one token, prints one JSON object per line. Prompts for confirmation.",
    )
    .action(act(run));
  explainInherited(command, "--client-id", "--yes", "--json");
  printsFields(command, withPlaces(resetPresentation, false).fields);
  addExamples(command, [
    "grantctl token reset --output-file new.txt < leaked.txt",
    "grantctl token reset --yes < token.txt > new.txt",
    "grantctl token reset --token-file leaked.txt --dry-run",
  ]);
};

async function run(context: Context, options: ResetOptions): Promise<void> {
  checkAbility(context.operator, "resets");
  const isDryRun = options.dryRun === true;
  const presentation = withPlaces(resetPresentation, false);
  context.printer.checkFields(presentation);
  const read = await readTokenItems(options, context);
  const items = { ...read, options, isJob: read.isJob || options.resume !== undefined };
  const { tokens, isJob, placed, sourcesOf } = items;
  await checkValueOutput(isJob, options, context);
  const [first] = tokens;
  if (first === undefined) {
    const none = placed<never>(isDryRun ? plan.presentation : resetPresentation);
    await reportNothing<never>(context, "token to reset", options, none, "reset");
    return;
  }
  const tokenProof = await openProof(options, tokens, context);
  const subject = { operation: "reset", items: tokens } as const;
  const { pending, outputFiles, checkRequester } = await previewJob(context, options, subject);
  if (isDryRun) {
    await checkReceiver(options, context, outputFiles);
    const application = await tokenProof.application();
    checkRequester(application.clientId);
    await planTokens({ ...items, tokens: pending }, application, plan, context);
    return;
  }
  const receiver = await openReceiver(options, context, outputFiles);
  try {
    if (pending.length > 0) await context.checkCanConfirm();
    const application = await tokenProof.application();
    checkRequester(application.clientId);
    await confirmTokens(pending, application, context, plan.actionText);
    const { resetToken } = await import("../../api/tokens.ts");
    const sure = application.verifyAction(resetToken);
    if (isJob) return await resetMany(items, receiver, { ...application, sure }, context);
    await requestNewToken(context, {
      operation: "reset",
      requester: application.clientId,
      item: first,
      lastEight: lastEight(first),
      send: (intent) => sure.act(first, intent),
      receiver,
      createRow: (made) => ({ ...resetRow(first, made), ...sourcesOf(first) }),
      presentation,
      checkEffect: () => describeOutcome(application.service, application.clientId, first),
    });
    const { place } = receiver;
    if (place !== null && context.stdout.isTerminal)
      context.notices.note(`reset the token ending in ${lastEight(first)}; its new value ${place}`);
  } finally {
    await receiver.close();
  }
}
