// `grantctl authorization identify`: finds the account's authorizations that tokens belong to. The tokens are hashed
// locally and compared with the server's list; they are neither sent nor printed.
import { readHash } from "../../api/token-responses.ts";
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import { Failure } from "../../errors/errors.ts";
import { addTokenInput, onTokens, type TokenInputOptions, type Tokens } from "../token/input.ts";
import { counted, withCommas } from "../../errors/words.ts";
import { knownTokenPresentation, tokenRow } from "../token/rows.ts";
import { searchAuthorizations } from "../../jobs/search-authorizations.ts";
import { maybePart } from "../../jobs/proof.ts";
import { reportNothing } from "../../jobs/job-output.ts";
import { printUnlessPipeClosed } from "../../output/output-stream.ts";
import { hashOf, isWholeToken } from "../../token.ts";

export const define: Define = (command, act) => {
  addTokenInput(command)
    .description(
      "Show which of the account's authorizations each token belongs to. The tokens are hashed on this machine and compared with the hashes that the server lists; the tokens themselves are never sent or printed.",
    )
    .action(act(onTokens(run), { isPaged: true }));
  printsFields(command, knownTokenPresentation.fields);
  addExamples(command, [
    "grantctl authorization identify < leaked.txt",
    "grantctl authorization identify --json note,sources < report.json",
    "grantctl authorization identify --jq '.[].id | values' < leaked.txt | grantctl authorization delete - --dry-run",
  ]);
};

async function run(context: Context, _: TokenInputOptions, { tokens, sourcesOf }: Tokens): Promise<void> {
  if (tokens.length === 0) return reportNothing(context, "token to look for", knownTokenPresentation);
  const byHash = new Map(tokens.map((token) => [hashOf(token), token]));
  const lastEights = new Set(tokens.map((token) => token.slice(-8)));
  const { service } = await context.server.accountService();
  const { found, unclear } = await searchAuthorizations(
    service,
    {
      wanted: tokens.length,
      match: ({ hashed_token }) => byHash.get(readHash(hashed_token) ?? "") ?? null,
      // With the last characters of a token, another hash may be a hash of another kind.
      isComparable: ({ hashed_token, token_last_eight }) =>
        !lastEights.has(token_last_eight ?? "") &&
        (readHash(hashed_token) !== null || token_last_eight?.length === 8),
    },
    context,
  );
  const accepted = [...found.keys()];
  const rows = tokens.map((token) => {
    const known = found.get(token) ?? null;
    const doubt = unclear ?? (isWholeToken(token, accepted) ? null : maybePart);
    const reason = known !== null || doubt === null ? null : `not in the list, but ${doubt}`;
    const status = known === null ? (doubt === null ? "not-found" : "unproven") : "active";
    return tokenRow(token, status, known, reason, sourcesOf(token));
  });
  await printUnlessPipeClosed(() => context.printer.printList(rows, knownTokenPresentation));
  if (found.size === tokens.length) return;
  throw new Failure(
    rows.every(({ status }) => status === "not-found") ? "not-found" : "incomplete",
    `found ${withCommas(found.size)} of ${counted(tokens.length, "token")} among the account's authorizations`,
  );
}
