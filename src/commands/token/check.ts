// `grantctl token check`: operation 11, for one or many.
import type { Command } from "commander";
import type { Authorization } from "../../api/resources.ts";
import { lastEight } from "../../api/last-eight.ts";
import type { Context } from "../../run/context.ts";
import type { Dispatch } from "../../command-line/dispatch.ts";
import { addExamples } from "../../command-line/examples.ts";
import { isJobOf } from "../../bulk/job-plan.ts";
import { createProof, proving } from "../../bulk/proof.ts";
import { addBreakerOption, createBreaker, type Breaker, type BreakerOptions } from "../../bulk/breaker.ts";
import { Failure } from "../../errors/errors.ts";
import { startReading } from "../../bulk/reading-job.ts";
import { reportNothing, reportOutcomes } from "../../bulk/report-outcomes.ts";
import { sanitise } from "../../output/sanitise.ts";
import { addShardOption, type ShardOptions } from "../../bulk/shard-option.ts";
import { itemsOfShard } from "../../bulk/shard.ts";
import { checkedTokenPresentation, itemPresentation } from "../../shapes/token-fields.ts";
import {
  addProofTokenOption,
  checkProofToken,
  readProofToken,
  type ProofTokenOptions,
} from "./proof-token.ts";
import { addTokenInput, readTokens, type TokenInputOptions } from "./read-tokens.ts";

type CheckOptions = TokenInputOptions & ShardOptions & ProofTokenOptions & BreakerOptions;

export function addCheckCommand(token: Command, dispatch: Dispatch): void {
  const command = addBreakerOption(addProofTokenOption(addShardOption(addTokenInput(token.command("check")))))
    .summary("tell whether tokens of the application are live")
    .description("Check tokens of the application, and show the authorization and the user behind each.")
    .action((options: CheckOptions, self: Command) =>
      dispatch(self, (context) => run(options, self, context)),
    );
  addExamples(command, [
    "grantctl token check < token.txt",
    "grantctl token check --token-file leaked.txt --format ndjson",
    "grantctl token check --proof-token-file live.txt --stop-if-dead 30 < tokens.txt",
    "gitleaks dir . --report-format json --report-path - | grantctl token check --from gitleaks",
  ]);
}

async function run(options: CheckOptions, command: Command, context: Context): Promise<void> {
  const given = await readTokens(options, command, context);
  const tokens = itemsOfShard(given.tokens, options);
  const isOnlyOne = !isJobOf(tokens, options) && context.printer.format !== "ndjson";
  const presentation = given.placed<never>(
    isOnlyOne ? checkedTokenPresentation : itemPresentation(checkedTokenPresentation.fields),
  );
  context.printer.checkFields<never>(presentation);
  if (tokens.length === 0) {
    await reportNothing<never>(context, "token to check", options, presentation);
    return;
  }
  const proofToken = await readProofToken(options, tokens, context);
  const login = await context.address.applicationService();
  const { clientId } = login;
  const proof = createProof();
  const service = proving(login.service, proof);
  const { checkToken } = await import("../../api/tokens.ts");
  if (proofToken !== null) await checkProofToken(proofToken, service, clientId);
  const check = async (token: string): Promise<Authorization> => ({
    ...(await checkToken(service, clientId, token)),
    token: "",
  });

  const [only] = tokens;
  if (isOnlyOne && only !== undefined) {
    const live = await check(only);
    if (context.printer.format === "table") await context.stdout.write(`${sanitise(liveLine(live))}\n`);
    await context.printer.printItem(
      { ...live, ...given.sourcesOf(only) },
      given.placed(checkedTokenPresentation),
    );
    return;
  }
  // The service counts no failed logins here: wrong credentials do no harm, however many tokens there are.
  const breaker = breakerOf(options, async (alive) => {
    const known = proofToken ?? alive;
    if (known === null) throw new Failure("not-found", "nothing is known to live");
    await checkToken(service, clientId, known);
  });
  const isStopped = (): boolean => breaker?.isOpen() === true;
  const job = startReading(context, tokens, { proof, vet: null, isStopped, unprovenHint }, check);
  await reportOutcomes(context, breaker?.guard(job) ?? job, {
    total: tokens.length,
    isJob: isJobOf(tokens, options),
    presentation: given.placed(itemPresentation(checkedTokenPresentation.fields)),
    rowOf: (token, status, result) => ({
      status,
      token_last_eight: lastEight(token),
      ...result,
      ...given.sourcesOf(token),
    }),
    done: "live",
    gone: null,
    allGone: (count) =>
      new Failure("not-found", `all ${count} tokens are gone from the application, which is proven`),
  });
}

/** One success among them tells revoked tokens from wrong credentials. */
const unprovenHint =
  "put one live token of the application into the list, or name its file with --proof-token-file";

function breakerOf(
  { stopIfDead }: BreakerOptions,
  lookAgain: (alive: string | null) => Promise<void>,
): Breaker | null {
  return stopIfDead === undefined ? null : createBreaker(stopIfDead, lookAgain);
}

/** What a person wants to know first. */
function liveLine({ app, user, token_last_eight }: Authorization): string {
  const whose = user === undefined ? "" : `, ${user.login}'s`;
  const of = app === null ? "" : `, of ${app.name}`;
  return `the token ending in ${token_last_eight ?? "(not said)"} is live${whose}${of}`;
}
