// `grantctl token check`: looks up one or many tokens.
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import type { CheckedToken } from "../../api/tokens.ts";
import { addProofOptions, openApplication, readProofTokens } from "../../jobs/application.ts";
import type { ProofOptions } from "../../jobs/application.ts";
import { runReads } from "../../jobs/run-job.ts";
import { reportNothing } from "../../jobs/job-output.ts";
import { knownTokenPresentation, reportBase, tokenRow, type TokenRow } from "./rows.ts";
import { addTokenInput, onTokens, type TokenInputOptions, type Tokens } from "./input.ts";

type CheckOptions = TokenInputOptions & ProofOptions;

export const define: Define = (command, act) => {
  addProofOptions(addTokenInput(command))
    .description(
      "Check whether an application's tokens are active, and show each token's authorization and user. The exit code is 0 if all are active, 3 if it is proven that none is, 9 if only some are or nothing is proven, and that of the error if all requests failed in one way.",
    )
    .action(act(onTokens(run)));
  printsFields(command, knownTokenPresentation.fields);
  addExamples(command, [
    "grantctl token check < token.txt",
    "grantctl token check --proof-token-file active.txt leaked.txt",
    "gitleaks dir . --report-format json --report-path - | grantctl token check",
  ]);
};

async function run(context: Context, options: CheckOptions, input: Tokens): Promise<void> {
  const { tokens, sourcesOf } = input;
  const proofTokens = await readProofTokens(options, context, tokens);
  if (tokens.length === 0) return reportNothing(context, "token to check", knownTokenPresentation);
  const { read, proof, noneIsActive } = await openApplication(proofTokens, context);
  await runReads<CheckedToken, TokenRow>(context, {
    items: tokens,
    proof,
    read,
    report: {
      inspectGone: reportBase(input, context).inspectGone,
      presentation: knownTokenPresentation,
      createRow: (token, status, checked, reason) =>
        tokenRow(token, status, checked, reason, sourcesOf(token)),
      doneWord: "active",
      isGoneDone: false,
      // An introspection that failed, or that this client may not use.
      refine: (outcome) =>
        outcome.failure?.kind === "incomplete" ? { ...outcome, status: "unproven" } : outcome,
      verified: noneIsActive,
      omittedStatuses: ["gone"],
    },
  });
}
