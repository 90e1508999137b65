// `grantctl token check`: operation 11, for one or many.
import {
  addExamples,
  explainInherited,
  printsFields,
  type Define,
  type Context,
} from "../../command-line/command.ts";
import type { CheckedToken } from "../../api/tokens.ts";
import { addProofOptions, createBreaker, openProof, type ProofOptions } from "../../jobs/proof.ts";
import { startReadJob } from "../../jobs/job.ts";
import { reportNothing, reportOutcomes } from "../../jobs/report.ts";
import { Failure } from "../../errors/errors.ts";
import { withCommas } from "../../errors/words.ts";
import { knownTokenPresentation, tokenRow, type TokenRow } from "../../printing/tokens.ts";
import { addTokenInput, readTokenItems, type TokenInputOptions } from "./input.ts";
import { otherApplicationNote } from "./outcomes.ts";

type CheckOptions = TokenInputOptions & ProofOptions;

export const defineCheck: Define = (command, act) => {
  addProofOptions(addTokenInput(command), "read")
    .summary("Check whether an application's tokens are active")
    .description(
      "Check whether an application's tokens are active, and show each token's authorization and user.",
    )
    .action(act(run));
  explainInherited(command, "--client-id", "--json", "--jq", "--format");
  printsFields(command, knownTokenPresentation.fields);
  addExamples(command, [
    "grantctl token check < token.txt",
    "grantctl token check --token-file leaked.txt --format ndjson",
    "grantctl token check --proof-token-file active.txt --stop-if-dead 30 < tokens.txt",
    "gitleaks dir . --report-format json --report-path - | grantctl token check",
  ]);
};

async function run(context: Context, options: CheckOptions): Promise<void> {
  context.printer.checkFields(knownTokenPresentation);
  const { tokens, placed, sourcesOf, tokenLabel } = await readTokenItems(options, context);
  const presentation = placed(knownTokenPresentation);
  if (tokens.length === 0) {
    await reportNothing(context, "token to check", {}, presentation, null);
    return;
  }
  const tokenProof = await openProof(options, tokens, context);
  const application = await tokenProof.application();
  const check = (token: string): Promise<CheckedToken> => application.check(token, tokenLabel(token));
  // No vetting: the server does not count failed logins for this operation, so wrong credentials are harmless.
  const breaker = createBreaker(options, tokenProof.token, check);
  const plan = { proof: application.proof, vet: null, isStopped: breaker.isOpen };
  await reportOutcomes<CheckedToken, TokenRow>(
    context,
    breaker.guard(startReadJob(context, tokens, plan, check)),
    {
      total: tokens.length,
      presentation,
      createRow: (token, status, checked, reason) =>
        tokenRow(token, status, checked, { ...sourcesOf(token), reason }),
      done: "active",
      isGoneDone: false,
      notFoundNote: otherApplicationNote,
      allGone: (count) =>
        new Failure("not-found", `verified: ${noneInWords(count)} an active token of the application`),
    },
  );
}

function noneInWords(count: number): string {
  if (count === 1) return "the token is not";
  return count === 2 ? "neither token is" : `none of the ${withCommas(count)} tokens is`;
}
