// `grantctl token check`: operation 11, for one or many.
import {
  addExamples,
  explainInherited,
  printsFields,
  type Define,
  type Context,
} from "../../command-line/command.ts";
import { lastEight } from "../../token-value.ts";
import type { CheckedToken } from "../../api/tokens.ts";
import { addProofOptions, createBreaker, openProof, type ProofOptions } from "../../jobs/proof.ts";
import { startReadJob } from "../../jobs/job.ts";
import { reportNothing, reportOutcomes } from "../../jobs/report.ts";
import { Failure } from "../../errors/errors.ts";
import type { Presentation } from "../../printing/presentation.ts";
import { sanitise } from "../../drawing/sanitise.ts";
import { appName } from "../../printing/resources.ts";
import { introspectedPresentation } from "../../printing/introspected.ts";
import { checkedTokenPresentation, itemPresentation } from "../../printing/tokens.ts";
import { withPlaces } from "../../reports/sources.ts";
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
  printsFields(command, withPlaces(checkedTokenPresentation, false).fields);
  addExamples(command, [
    "grantctl token check < token.txt",
    "grantctl token check --token-file leaked.txt --format ndjson",
    "grantctl token check --proof-token-file active.txt --stop-if-dead 30 < tokens.txt",
    "gitleaks dir . --report-format json --report-path - | grantctl token check",
  ]);
};

async function run(context: Context, options: CheckOptions): Promise<void> {
  const { tokens, isJob, placed, sourcesOf, tokenLabel } = await readTokenItems(options, context);
  const isIntrospected = context.operator.tokenPlace === "form";
  const ofOne: Presentation<never> = isIntrospected ? introspectedPresentation : checkedTokenPresentation;
  const ofMany = placed(itemPresentation(ofOne.fields));
  const [first] = tokens;
  const isOnlyOne = !isJob && context.printer.format !== "ndjson";
  const presentation: Presentation<never> = isOnlyOne ? placed(ofOne) : ofMany;
  context.printer.checkFields(presentation);
  if (first === undefined) {
    await reportNothing(context, "token to check", {}, presentation, null);
    return;
  }
  const tokenProof = await openProof(options, tokens, context);
  const application = await tokenProof.application();
  const { proof } = application;
  const check = async (token: string): Promise<CheckedToken> => {
    const checked = await application.check(token, tokenLabel(token));
    return "introspection" in checked ? checked : { ...checked, token: "" };
  };
  if (isOnlyOne) {
    const live = await check(first);
    if (context.printer.format === "table") await context.stdout.write(`${sanitise(liveLine(live))}\n`);
    const { printer } = context;
    if ("introspection" in live)
      await printer.printItem({ ...live, ...sourcesOf(first) }, placed(introspectedPresentation));
    else await printer.printItem({ ...live, ...sourcesOf(first) }, placed(checkedTokenPresentation));
    return;
  }
  // No vetting: the server does not count failed logins for this operation, so wrong credentials are harmless.
  const breaker = createBreaker(options, tokenProof.token, check);
  const plan = { proof, vet: null, isStopped: breaker.isOpen };
  await reportOutcomes(context, breaker.guard(startReadJob(context, tokens, plan, check)), {
    total: tokens.length,
    isJob,
    presentation: ofMany,
    createRow: (token, status, result) => ({
      status,
      token_last_eight: lastEight(token),
      ...result,
      ...sourcesOf(token),
    }),
    done: "live",
    gone: null,
    notFoundNote: otherApplicationNote,
    allGone: (count) =>
      new Failure(
        "not-found",
        `${count === 2 ? "neither token" : `none of the ${count} tokens`} is an active token of the application (verified)`,
      ),
  });
}

/** The first line for a person: the token's status, owner and application. */
function liveLine(checked: CheckedToken): string {
  const { token_last_eight } = checked;
  const login = "introspection" in checked ? checked.login : (checked.user?.login ?? null);
  const app = "introspection" in checked ? (checked.client_id ?? "") : appName(checked.app);
  const facts = [...(login === null ? [] : [`user ${login}`]), ...(app === "" ? [] : [`application ${app}`])];
  const details = facts.length === 0 ? "" : ` (${facts.join(", ")})`;
  return `the token ending in ${token_last_eight ?? "(unknown)"} is active${details}`;
}
