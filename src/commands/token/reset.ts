// `grantctl token reset`: operation 12, for one or many.
import type { Command } from "commander";
import { lastEight } from "../../api/last-eight.ts";
import type { Authorization } from "../../api/resources.ts";
import type { Context } from "../../run/context.ts";
import { withIntent } from "../../http/service.ts";
import type { Dispatch } from "../../command-line/dispatch.ts";
import { addExamples } from "../../command-line/examples.ts";
import { addJobOptions, isJobOf, type JobOptions } from "../../bulk/job-plan.ts";
import { finishEmptyShard, lookAhead } from "../../bulk/open-journal.ts";
import { createProof, proving } from "../../bulk/proof.ts";
import { startReading } from "../../bulk/reading-job.ts";
import { makeValue } from "../../delivery/one-value.ts";
import { reportNothing, reportOutcomes } from "../../bulk/report-outcomes.ts";
import { itemsOfShard, withInput } from "../../bulk/shard.ts";
import { newValueOf } from "../../delivery/new-value.ts";
import {
  addReceiverOptions,
  checkReceiverCommand,
  openReceiver,
  printWithoutValue,
  writeValue,
  type ReceiverOptions,
} from "../../delivery/value-receiver.ts";
import { describeOutcome } from "../../delivery/reset/reset-outcome.ts";
import { itemPresentation, resetPresentation, tokensInWords } from "../../shapes/token-fields.ts";
import { withPlaces } from "../../reports/places.ts";
import {
  addProofTokenOption,
  checkProofToken,
  readProofToken,
  type ProofTokenOptions,
} from "./proof-token.ts";
import { addTokenInput, readTokens, type GivenTokens, type TokenInputOptions } from "./read-tokens.ts";
import { resetMany } from "../../delivery/reset/reset-many.ts";
import { resetRow } from "../../delivery/reset/reset-rows.ts";
import { checkCanShowMany } from "../../delivery/value-lines.ts";

type ResetOptions = TokenInputOptions & JobOptions & ReceiverOptions & ProofTokenOptions;

export function addResetCommand(token: Command, dispatch: Dispatch): void {
  const command = addProofTokenOption(
    addReceiverOptions(addJobOptions(addTokenInput(token.command("reset")))),
  )
    .summary("give tokens of the application a new value")
    .description(
      "Reset tokens of the application: each gets a new value, and the old one stops working at once. Prints the new value, which the service shows this once; for several tokens a JSON object a line. Asks first.",
    )
    .action((options: ResetOptions, self: Command) =>
      dispatch(self, (context) => run(options, self, context)),
    );
  addExamples(command, [
    "grantctl token reset --output-file new.txt < leaked.txt",
    "grantctl token reset --yes < token.txt > new.txt",
    "grantctl token reset --token-file leaked.txt --dry-run",
  ]);
}

async function run(options: ResetOptions, command: Command, context: Context): Promise<void> {
  const isDryRun = context.options.dryRun === true;
  if (!isDryRun) context.printer.checkFields(withPlaces(resetPresentation, false));
  const given = await readTokens(options, command, context);
  const tokens = itemsOfShard(given.tokens, options);
  const jobOptions = withInput(options, given.tokens);
  const isJob = isJobOf(tokens, options) || options.resume !== undefined;
  if (isJob && !isDryRun && options.toCommand === undefined) checkCanShowMany(context);
  if (tokens.length === 0) {
    const presentation = given.placed<never>(isDryRun ? itemPresentation([]) : resetPresentation);
    await reportNothing<never>(context, "token to reset", options, presentation);
    await finishEmptyShard(context, jobOptions, "reset");
    return;
  }
  const proofToken = await readProofToken(options, tokens, context);
  const { left, outputFiles } = await lookAhead(context, options, { operation: "reset", items: tokens });
  if (isDryRun) {
    await checkReceiverCommand(options, context);
    await planReset(left, given, isJob, proofToken, context);
    return;
  }
  const receiver = await openReceiver(options, context, outputFiles);
  try {
    const address = context.address.origin().href;
    if (left.length > 0)
      await context.confirm(
        `Reset ${tokensInWords(left)} at ${address}, so that the old value stops working?`,
      );
    if (proofToken !== null) {
      const { service, clientId } = await context.address.applicationService();
      await checkProofToken(proofToken, service, clientId);
    }
    const [only] = tokens;
    if (isJob || only === undefined) {
      await resetMany(tokens, given, jobOptions, receiver, context, proofToken !== null);
      return;
    }
    const { service, clientId } = await context.address.applicationService();
    const { resetToken } = await import("../../api/tokens.ts");
    const made = await makeValue(context, {
      operation: "reset",
      requester: clientId,
      item: only,
      lastEight: lastEight(only),
      send: (intent) => resetToken(withIntent(service, intent), clientId, only),
      deliver: (authorization) =>
        writeValue(
          receiver,
          context,
          newValueOf(authorization),
          { ...resetRow(only, authorization), ...given.sourcesOf(only) },
          withPlaces(resetPresentation, false),
        ),
      look: () => describeOutcome(service, clientId, only),
      receiverWords: receiver.words,
    });
    const row = { ...resetRow(only, made), ...given.sourcesOf(only) };
    await printWithoutValue(receiver, context, row, withPlaces(resetPresentation, false));
  } finally {
    await receiver.close();
  }
}

async function planReset(
  tokens: readonly string[],
  given: GivenTokens,
  isJob: boolean,
  proofToken: string | null,
  context: Context,
): Promise<void> {
  const { service, clientId } = await context.address.applicationService();
  const { checkToken } = await import("../../api/tokens.ts");
  const proof = createProof();
  const proven = proving(service, proof);
  if (proofToken !== null) await checkProofToken(proofToken, proven, clientId);
  const check = (token: string): Promise<Authorization> => checkToken(proven, clientId, token);
  await reportOutcomes(context, startReading(context, tokens, { proof, vet: null }, check), {
    total: tokens.length,
    isJob,
    presentation: given.placed(itemPresentation([])),
    rowOf: (token, status) => ({ status, token_last_eight: lastEight(token), ...given.sourcesOf(token) }),
    done: "would-reset",
    gone: null,
  });
}
