// `grantctl authorization identify`: finds the account's authorizations that tokens belong to. The tokens are hashed
// locally and compared with the server's list; they are neither sent nor printed.
import {
  addExamples,
  explainInherited,
  printsFields,
  type Define,
  type Context,
} from "../../command-line/command.ts";
import { Failure } from "../../errors/errors.ts";
import { withPlaces } from "../../reports/sources.ts";
import { addTokenInput, readTokenItems, type TokenInputOptions } from "../token/input.ts";
import { authorizationPresentation } from "../../printing/resources.ts";
import { watchWholeList } from "../../lists/paging.ts";

export const defineIdentify: Define = (command, act) => {
  addTokenInput(command)
    .summary("Find the authorizations that tokens belong to, without sending the tokens")
    .description(
      "List the account's authorizations that the given tokens belong to. The tokens are hashed on this machine and compared with the hashes that the server lists; the tokens themselves are never sent or printed.",
    )
    .action(act(run, { isPaged: true }));
  explainInherited(command, "--json", "--jq", "--format");
  printsFields(command, withPlaces(authorizationPresentation, false).fields);
  addExamples(command, [
    "grantctl authorization identify < leaked.txt",
    "grantctl authorization identify --json note,sources < report.json",
    "grantctl authorization identify < leaked.txt | grantctl authorization delete - --dry-run",
  ]);
};

async function run(context: Context, options: TokenInputOptions): Promise<void> {
  const { printer, notices } = context;
  printer.checkFields(withPlaces(authorizationPresentation, false));
  const given = await readTokenItems(options, context, {
    // Any token of the account, whether of an application or not.
    word: "token",
    logIn: ({ server }) => server.accountService(),
  });
  const { tokens } = given;
  const presentation = given.placed(authorizationPresentation);
  if (tokens.length === 0) {
    notices.note("no token to look for");
    await printer.printList([], presentation);
    return;
  }
  const { hashesOf, findToken } = await import("../../api/hashed-token.ts");
  const byHash = new Map(tokens.flatMap((token) => hashesOf(token).map((hash) => [hash, token] as const)));
  const { listAuthorizationsAsSent } = await import("../../api/authorizations.ts");
  const { service } = await context.server.accountService();

  // As the server sent them, unless the sources of the tokens are added.
  const sentList = given.hasSources ? null : printer.openSentList(presentation);
  const placedList = given.hasSources ? printer.openList(presentation) : null;
  let found = 0;
  for await (const page of listAuthorizationsAsSent(service, watchWholeList(context))) {
    const matches = page.flatMap((item) => {
      const token = findToken(item.value, byHash);
      return token === null ? [] : [{ item, token }];
    });
    found += matches.length;
    await sentList?.add(matches.map(({ item }) => item));
    await placedList?.add(matches.map(({ item, token }) => ({ ...item.value, ...given.sourcesOf(token) })));
  }
  if (found === 0) {
    const none = tokens.length === 1 ? "the token is not" : `none of the ${tokens.length} tokens is`;
    throw new Failure("not-found", `${none} among the account's authorizations`);
  }
  await (sentList ?? placedList)?.end();
  if (found < tokens.length) notices.note(`${found} of ${tokens.length} tokens are the account's`);
}
