// `grantctl token report`: sends leaked tokens of any owner to an operator that revokes them. Regardless of the
// configuration, the requests contain nothing that identifies the sender.
import { addExamples, explainInherited, type Define, type Context } from "../../command-line/command.ts";
import { startBatches } from "../../jobs/batch-job.ts";
import { startReadJob } from "../../jobs/job.ts";
import { previewJob } from "../../jobs/job-journal.ts";
import { createProof } from "../../jobs/proof.ts";
import { reportNothing } from "../../jobs/report.ts";
import { usageFailure } from "../../errors/errors.ts";
import { withIntent } from "../../http/service.ts";
import { lastEight } from "../../token-value.ts";
import { withPlaces } from "../../reports/sources.ts";
import { itemPresentation } from "../../printing/tokens.ts";
import { addTokenInput, readTokenItems, type TokenInputOptions } from "./input.ts";
import { reportTokenJob, tokensInWords } from "./outcomes.ts";
import { addJobOptions, type JobOptions } from "../../jobs/job-options.ts";

type ReportOptions = TokenInputOptions & JobOptions;

export const defineReport: Define = (command, act) => {
  addJobOptions(addTokenInput(command))
    .summary("Report leaked tokens to GitHub, regardless of who owns them")
    .description(
      "Report leaked tokens to GitHub, regardless of who owns them. GitHub revokes them and notifies their owners; this cannot be undone. Sends up to 1,000 tokens per request, without credentials. Prompts for confirmation.",
    )
    .action(act(run));
  explainInherited(command, "--yes", "--dry-run", "--json");
  addExamples(command, [
    "grantctl token report --operator github --base-url https://api.github.com --dry-run < leaked.txt",
  ]);
};

async function run(context: Context, options: ReportOptions): Promise<void> {
  const operation = "report";
  context.printer.checkFields(withPlaces(itemPresentation([]), false));
  checkCanReport(context);
  const items = await readTokenItems(options, context, { word: "token", logIn: null });
  const { tokens } = items;
  if (tokens.length === 0) {
    const presentation = items.placed(itemPresentation([]));
    await reportNothing(context, "token to report", options, presentation, operation);
    return;
  }
  const { pending } = await previewJob(context, options, { operation, items: tokens });
  if (context.options.dryRun === true) {
    const plan = startReadJob(context, pending, { proof: createProof(), vet: null }, () => Promise.resolve());
    await reportTokenJob(plan, { ...items, tokens: pending }, { done: "would-report", gone: null }, context);
    return;
  }
  if (pending.length > 0) {
    const where = context.server.origin().href;
    const what = pending.length === 1 ? tokensInWords(pending) : `${pending.length} tokens`;
    await context.confirm(
      `Report ${what} to ${where}? This cannot be undone, and the owners are notified.`,
      "nothing was reported",
    );
  }
  const { maxReportedTokens, reportTokens } = await import("../../api/reports.ts");
  const service = await context.server.connections.connect({ isAnonymous: true });
  const job = await startBatches(context, options, {
    operation,
    items: tokens,
    size: maxReportedTokens,
    lastEightOf: lastEight,
    send: (batch, intent) => reportTokens(withIntent(service, intent), batch),
    unknownHint: "Run `grantctl token inspect` to check which of them are still active.",
  });
  await reportTokenJob(job, items, { done: "accepted", gone: null }, context);
}

/** The headers that a report may have, because they do not identify the sender. */
const namelessHeaders = ["accept", "user-agent", "x-github-api-version"];

/** Throws a usage failure if the operator accepts no reports, or a header could identify the sender. */
function checkCanReport({ operator, options }: Context): void {
  if (!operator.acceptsReports) {
    throw usageFailure(
      `servers of type ${operator.name} do not accept token reports`,
      "Use --operator github for github.com. The application's owner can run `grantctl token revoke`.",
    );
  }
  const other = (options.header ?? []).find(
    (line) => !namelessHeaders.includes(line.split(":")[0]?.trim().toLowerCase() ?? ""),
  );
  if (other !== undefined) {
    throw usageFailure(
      "a report cannot have a header that may identify the sender",
      `Omit --header, except for ${namelessHeaders.join(", ")}.`,
    );
  }
}
