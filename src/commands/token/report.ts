// `grantctl token report`: sends leaked tokens of any owner to GitHub, which revokes them. Regardless of the
// configuration, the requests contain nothing that identifies the sender.
import { mostReportedTokens, reportTokens } from "../../api/tokens.ts";
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import { openRows, reportNothing } from "../../jobs/job-output.ts";
import { notTried, outcomeOf, remarks, Tally } from "../../jobs/outcome.ts";
import { failureOf, usageFailure, type Failure } from "../../errors/errors.ts";
import { outcomePresentation, reportBase } from "./rows.ts";
import { addTokenInput, onTokens, type TokenInputOptions, type Tokens } from "./input.ts";
import { tokensInWords } from "./token-jobs.ts";

export const define: Define = (command, act) => {
  addTokenInput(command)
    .description(
      "Report leaked tokens to GitHub, regardless of who owns them. GitHub revokes them and notifies their owners; this cannot be undone, and there is no dry run: `token inspect` shows which are active. Sends up to 1,000 tokens per request, without credentials. Prompts for confirmation; --yes skips that.",
    )
    .action(act(onTokens(run, check)));
  printsFields(command, outcomePresentation.fields);
  addExamples(command, [
    "grantctl token report --server-type github --base-url https://api.github.com < leaked.txt",
  ]);
};

function check({ serverType }: Context): void {
  if (!serverType.isGithub)
    throw usageFailure(
      `servers of type ${serverType.name} do not accept token reports`,
      "Use --server-type github for github.com. The application's owner can run `grantctl token revoke`.",
    );
}

async function run(context: Context, _: TokenInputOptions, input: Tokens): Promise<void> {
  const { tokens } = input;
  if (tokens.length === 0) return reportNothing(context, "token to report", outcomePresentation);
  const what = tokensInWords(tokens, new Map(), context);
  await context.confirm(`Report ${what}? This cannot be undone, and the owners are notified.`);
  await sendBatches(input, context);
}

/**
 * Sends the tokens in batches, one after another, and reports each token. A batch without a response is not sent again, and
 * only a rejection of a batch's own tokens lets the next one be sent. There is no record, because a token that is reported
 * twice is not revoked twice.
 */
async function sendBatches(input: Tokens, context: Context): Promise<void> {
  const { tokens } = input;
  const service = await context.server.connections.connect({ isAnonymous: true });
  const report = {
    ...reportBase(input, context),
    doneWord: "accepted",
    isGoneDone: false,
    omittedStatuses: [],
  };
  const rows = openRows(context, { items: tokens, proof: null, report }, true);
  const tally = new Tally(report);
  let isStopped = false;
  for (let start = 0; start < tokens.length; start += mostReportedTokens) {
    const batch = tokens.slice(start, start + mostReportedTokens);
    const failure: Failure | null = isStopped ? null : await failureOf(reportTokens(service, batch));
    const outcomes = batch.map((item) => {
      if (isStopped) return notTried(item);
      return failure === null
        ? ({ item, status: "done", result: null, failure } as const)
        : outcomeOf(item, failure);
    });
    for (const outcome of outcomes) tally.count(outcome);
    await rows.add(outcomes, 0);
    isStopped ||= failure !== null && failure.details.isAboutItem !== true;
  }
  await rows.end();
  const isUnchanged = tally.countOf("done") + tally.countOf("unknown") === 0;
  const failure = tally.failure(isUnchanged ? { remark: remarks.unchanged } : { hint: repeatHint });
  if (failure !== null) throw failure;
}

const repeatHint =
  "Run the same command again: a token that was already accepted is not revoked twice. `grantctl token inspect` shows which tokens are still active.";
