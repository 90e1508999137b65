// `grantctl token report`: leaked tokens of anybody, handed to an operator that revokes them. Nothing that says who asks
// goes with it, whatever is configured.
import type { Command } from "commander";
import { lastEight } from "../../api/last-eight.ts";
import type { Context } from "../../run/context.ts";
import type { Dispatch } from "../../command-line/dispatch.ts";
import { addExamples } from "../../command-line/examples.ts";
import { addJobOptions, isJobOf, type JobOptions } from "../../bulk/job-plan.ts";
import { finishEmptyShard, lookAhead } from "../../bulk/open-journal.ts";
import { createProof } from "../../bulk/proof.ts";
import { startReading } from "../../bulk/reading-job.ts";
import { reportNothing, reportOutcomes } from "../../bulk/report-outcomes.ts";
import { itemsOfShard, withInput } from "../../bulk/shard.ts";
import { withPlaces } from "../../reports/places.ts";
import { itemPresentation, tokensInWords, type ItemRow } from "../../shapes/token-fields.ts";
import { checkCanReport, startReport } from "./start-report.ts";
import { addTokenInput, readTokens, type TokenInputOptions } from "./read-tokens.ts";

type ReportOptions = TokenInputOptions & JobOptions;

export function addReportCommand(token: Command, dispatch: Dispatch): void {
  const command = addJobOptions(addTokenInput(token.command("report")))
    .summary("hand leaked tokens of anybody to an operator that revokes them")
    .description(
      "Report leaked tokens to GitHub, whosever they are: it revokes them and tells their owners, which cannot be undone. No credentials go with it. A thousand go at once, one request after the other. Asks first.",
    )
    .action((options: ReportOptions, self: Command) =>
      dispatch(self, (context) => run(options, self, context)),
    );
  addExamples(command, [
    "grantctl token report --operator github --base-url https://api.github.com --dry-run < leaked.txt",
  ]);
}

async function run(options: ReportOptions, command: Command, context: Context): Promise<void> {
  const operation = "report";
  context.printer.checkFields(withPlaces(itemPresentation([]), false));
  checkCanReport(context);
  const given = await readTokens(options, command, context, { word: "token", logIn: null });
  const presentation = given.placed(itemPresentation([]));
  const tokens = itemsOfShard(given.tokens, options);
  const jobOptions = withInput(options, given.tokens);
  if (tokens.length === 0) {
    await reportNothing(context, "token to report", options, presentation);
    await finishEmptyShard(context, jobOptions, operation);
    return;
  }
  const { left } = await lookAhead(context, options, { operation, items: tokens });
  const isDryRun = context.options.dryRun === true;
  if (!isDryRun && left.length > 0) {
    const where = context.address.origin().href;
    await context.confirm(
      `Report ${tokensInWords(left)} to ${where}? This cannot be undone, and their owners are told.`,
    );
  }
  const job = isDryRun
    ? startReading<void>(context, left, { proof: createProof(), vet: null }, () => Promise.resolve())
    : await startReport(tokens, jobOptions, context);
  await reportOutcomes<void, ItemRow>(context, job, {
    total: isDryRun ? left.length : tokens.length,
    isJob: isJobOf(tokens, options),
    presentation,
    rowOf: (token, status) => ({ status, token_last_eight: lastEight(token), ...given.sourcesOf(token) }),
    done: isDryRun ? "would-report" : "accepted",
    gone: null,
  });
}
