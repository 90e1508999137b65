// `grantctl token reset`: operation 12, for one or many.
import type { Command } from "commander";
import { lastEight } from "../../api/last-eight.ts";
import type { Authorization } from "../../api/resources.ts";
import { createTally, runItems, type Outcome } from "../../bulk/run-items.ts";
import type { Context } from "../../context.ts";
import { toJson } from "../../exact-json.ts";
import { pickFields } from "../../output/fields.ts";
import { delivering } from "../../output/printer.ts";
import type { Dispatch } from "../dispatch.ts";
import { addExamples } from "../examples.ts";
import { failedStatus, reportOutcomes } from "../report-outcomes.ts";
import { itemPresentation, resetPresentation, tokensInWords, type ResetRow } from "./presentation.ts";
import { addTokenInput, readTokens, type TokenInputOptions } from "./read-tokens.ts";

/** One at a time: a reset that is under way when the run is killed is the only one whose value can be lost. */
const resetConcurrency = 1;

/** What a line for one of several tokens holds, unless fields are asked for. */
const plainFields = ["token_last_eight_before", "id", "token", "status"];

export function addResetCommand(token: Command, dispatch: Dispatch): void {
  const command = addTokenInput(token.command("reset"))
    .summary("give tokens of the application a new value")
    .description(
      "Reset tokens of the application: each gets a new value, and the old one stops working at once. Prints the new value, which the service shows this once; for several tokens a JSON object a line. Asks first.",
    )
    .action((options: TokenInputOptions, self: Command) =>
      dispatch(self, (context) => run(options, self, context)),
    );
  addExamples(command, [
    "grantctl token reset --yes < token.txt > new.txt",
    "grantctl token reset --token-file leaked.txt --dry-run",
  ]);
}

async function run(options: TokenInputOptions, command: Command, context: Context): Promise<void> {
  const { printer } = context;
  const isDryRun = context.options.dryRun === true;
  if (!isDryRun) printer.checkFields(resetPresentation);
  const tokens = await readTokens(options, command, context);
  if (!isDryRun) {
    printer.checkCanDeliver();
    await context.confirm(
      `Reset ${tokensInWords(tokens)} at ${context.origin().href}, so that the old value stops working?`,
    );
  }
  const { service, clientId } = await context.applicationService();
  const { checkToken, resetToken } = await import("../../api/tokens.ts");

  if (isDryRun) {
    const act = (token: string): Promise<Authorization> => checkToken(service, clientId, token);
    await reportOutcomes(context, runItems(tokens, context.options.concurrency, act), {
      isJob: tokens.length > 1,
      presentation: itemPresentation([]),
      rowOf: (token, status) => ({ status, token_last_eight: lastEight(token) }),
      done: "would-reset",
      gone: null,
    });
    return;
  }

  const [only] = tokens;
  if (tokens.length === 1 && only !== undefined) {
    const row = doneRow(only, await resetToken(service, clientId, only));
    await printer.deliverValue(row.token ?? "", row, resetPresentation);
    return;
  }

  const isPlain = context.options.format === undefined && context.options.json === undefined;
  const list = isPlain ? null : printer.openList(resetPresentation);
  const tally = createTally();
  for await (const outcome of runItems(tokens, resetConcurrency, (token) =>
    resetToken(service, clientId, token),
  )) {
    tally.count(outcome);
    const row = rowOf(outcome);
    await delivering(
      () => list?.add([row]) ?? context.stdout.write(`${toJson(pickFields(row, plainFields), 0)}\n`),
    );
  }
  await list?.end();
  tally.finish();
}

function rowOf(outcome: Outcome<string, Authorization>): ResetRow {
  if (outcome.state === "done") return doneRow(outcome.item, outcome.result);
  return {
    token_last_eight_before: lastEight(outcome.item),
    id: null,
    token: null,
    status: outcome.state === "failed" ? failedStatus(outcome.failure, false) : outcome.state,
  };
}

function doneRow(token: string, authorization: Authorization): ResetRow {
  return { token_last_eight_before: lastEight(token), ...authorization, status: "reset" };
}
