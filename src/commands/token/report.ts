// `grantctl token report`: sends leaked tokens of any owner to an server type that revokes them. Regardless of the
// configuration, the requests contain nothing that identifies the sender.
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import type { Job } from "../../jobs/job.ts";
import { reportNothing } from "../../jobs/report.ts";
import { type Outcome, type Waits, runItems } from "../../jobs/run-items.ts";
import { Failure, isFailure, usageFailure } from "../../errors/errors.ts";
import { waitLimits } from "../../http/waiting.ts";
import { outcomePresentation } from "../../printing/tokens.ts";
import { addTokenInput, readTokenItems, type TokenInputOptions } from "./input.ts";
import { outcomeRows, reportTokenJob, tokensInWords } from "./outcomes.ts";

export const defineReport: Define = (command, act) => {
  addTokenInput(command)
    .description(
      "Report leaked tokens to GitHub, regardless of who owns them. GitHub revokes them and notifies their owners; this cannot be undone. Sends up to 1,000 tokens per request, without credentials. Prompts for confirmation.",
    )
    .action(act(run));
  printsFields(command, outcomePresentation.fields);
  addExamples(command, [
    "grantctl token report --server-type github --base-url https://api.github.com < leaked.txt",
  ]);
};

async function run(context: Context, options: TokenInputOptions): Promise<void> {
  context.printer.checkFields(outcomePresentation);
  checkCanReport(context);
  const items = await readTokenItems(options, context, { word: "token", logIn: null });
  const { tokens } = items;
  if (tokens.length === 0) {
    await reportNothing(context, "token to report", {}, items.placed(outcomePresentation), null);
    return;
  }
  const where = context.server.origin().href;
  const what = tokens.length === 1 ? tokensInWords(tokens) : `${tokens.length} tokens`;
  await context.confirm(
    `Report ${what} to ${where}? This cannot be undone, and the owners are notified.`,
    "nothing was reported",
  );
  const job = await startBatches(tokens, context);
  await reportTokenJob(job, tokens, { ...outcomeRows(items), done: "accepted", isGoneDone: false }, context);
}

/**
 * Sends the tokens in batches, one after another, when the outcomes are iterated. A batch without a response is not sent
 * again. There is no journal, because a token that is reported twice is not revoked twice.
 */
async function startBatches(tokens: readonly string[], context: Context): Promise<Job<void>> {
  const { maxReportedTokens, reportTokens } = await import("../../api/reports.ts");
  const service = await context.server.connections.connect({ isAnonymous: true });
  const batches = Array.from({ length: Math.ceil(tokens.length / maxReportedTokens) }, (_, index) =>
    tokens.slice(index * maxReportedTokens, (index + 1) * maxReportedTokens),
  );
  let refused = 0;
  let mayHaveEffect = false;
  let isFatal = false;
  const send = async (batch: readonly string[]): Promise<void> => {
    try {
      await reportTokens(service, batch);
      mayHaveEffect = true;
    } catch (error) {
      if (isFailure(error, "refused")) {
        refused += 1;
        // Otherwise all further batches would be rejected as well.
        isFatal = error.details.isAboutItem !== true;
      }
      mayHaveEffect ||= isFailure(error, "unknown");
      throw error;
    }
  };
  const waits: Waits = {
    limits: batches.length > 1 ? waitLimits.job : waitLimits.request,
    sleep: (milliseconds, named) => context.progress.wait(milliseconds, named),
  };
  const { outcomes } = runItems(batches, { concurrency: 1, waits, isStopped: () => isFatal }, send);
  return {
    outcomes: eachItem(outcomes),
    finishedBefore: 0,
    missing: 0,
    id: null,
    changesSomething: true,
    absence: null,
    last: null,
    settleAbsent: () => Promise.reject(new Error("a report finds nothing")),
    earlierState: () => undefined,
    finish: () => undefined,
    async end(failureOf) {
      const failure = failureOf(
        mayHaveEffect ? { hint: repeatHint } : { hint: null, remark: unchangedRemark },
      );
      if (failure === null) return;
      const isAllRefused = refused === batches.length && failure.kind === "incomplete";
      throw isAllRefused ? new Failure("refused", failure.message, failure.details) : failure;
    },
  };
}

/** The outcome of each token, from the outcomes of the batches. */
async function* eachItem(outcomes: AsyncIterable<Outcome<readonly string[], void>>): Job<void>["outcomes"] {
  for await (const outcome of outcomes) for (const item of outcome.item) yield { ...outcome, item };
}

const repeatHint =
  "Run the same command again: a token that was already accepted is not revoked twice. `grantctl token inspect` shows which tokens are still active.";

const unchangedRemark = "Nothing was changed, so you can run the same command again.";

/** Throws a usage failure if the server type accepts no reports. */
function checkCanReport({ serverType }: Context): void {
  if (!serverType.acceptsReports) {
    throw usageFailure(
      `servers of type ${serverType.name} do not accept token reports`,
      "Use --server-type github for github.com. The application's owner can run `grantctl token revoke`.",
    );
  }
}
