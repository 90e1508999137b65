// `grantctl token report`: sends leaked tokens of any owner to an server type that revokes them. Regardless of the
// configuration, the requests contain nothing that identifies the sender.
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import { reportNothing } from "../../jobs/report.ts";
import { createLoop } from "../../jobs/loop.ts";
import { createTally } from "../../jobs/outcome.ts";
import { isFailure, usageFailure } from "../../errors/errors.ts";
import { printUnlessPipeClosed } from "../../output/output-stream.ts";
import { outcomePresentation } from "../../output/tokens.ts";
import { addTokenInput, readTokenItems, type TokenInputOptions, type TokenItems } from "./input.ts";
import { outcomeRows, tokensInWords } from "./outcomes.ts";

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
  checkCanReport(context);
  const items = await readTokenItems(options, context, "token");
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
  await sendBatches(items, context);
}

/**
 * Sends the tokens in batches, one after another, and reports each token. A batch without a response is not sent again.
 * There is no record, because a token that is reported twice is not revoked twice.
 */
async function sendBatches(items: TokenItems, context: Context): Promise<void> {
  const { maxReportedTokens, reportTokens } = await import("../../api/reports.ts");
  const { tokens } = items;
  const service = await context.server.connections.connect({ isAnonymous: true });
  const batches = Array.from({ length: Math.ceil(tokens.length / maxReportedTokens) }, (_, index) =>
    tokens.slice(index * maxReportedTokens, (index + 1) * maxReportedTokens),
  );
  const loop = createLoop<readonly string[]>({
    concurrency: 1,
    isOne: batches.length === 1,
    wait: context.progress.wait,
  });
  const { presentation, createRow } = outcomeRows(items);
  const list = context.printer.openList(presentation);
  const tally = createTally({ done: "accepted", isGoneDone: false });
  let mayHaveEffect = false;
  await loop.run(
    batches,
    async (batch) => {
      try {
        await reportTokens(service, batch);
      } catch (error) {
        // All further batches would be refused as well.
        if (isFailure(error, "refused") && error.details.isAboutItem !== true) loop.stop();
        throw error;
      }
    },
    async (outcomes) => {
      for (const { item: batch, status, failure } of outcomes) {
        mayHaveEffect ||= status === "done" || status === "unknown";
        const reason = failure === null ? null : context.redactor.redact(failure.message);
        for (const item of batch) tally.count({ item, status, result: null, failure });
        const word = status === "done" ? "accepted" : status;
        const rows = batch.flatMap((token) => createRow(token, word, null, reason) ?? []);
        await printUnlessPipeClosed(() => list.add(rows));
      }
    },
  );
  await printUnlessPipeClosed(() => list.end());
  const failure = tally.failure({ hint: mayHaveEffect ? repeatHint : null, isUnchanged: !mayHaveEffect });
  if (failure !== null) throw failure;
}

const repeatHint =
  "Run the same command again: a token that was already accepted is not revoked twice. `grantctl token inspect` shows which tokens are still active.";

/** Throws a usage failure if the server type accepts no reports. */
function checkCanReport({ serverType }: Context): void {
  if (!serverType.isGithub) {
    throw usageFailure(
      `servers of type ${serverType.name} do not accept token reports`,
      "Use --server-type github for github.com. The application's owner can run `grantctl token revoke`.",
    );
  }
}
