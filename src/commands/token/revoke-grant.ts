// `grantctl token revoke-grant`: deletes the grants of one or many tokens.
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import { withIntent } from "../../http/service.ts";
import { revokeGrant, type CheckedToken } from "../../api/tokens.ts";
import { checkNotOauth } from "../../server-types.ts";
import { outcomePresentation } from "./rows.ts";
import { onTokens, type Tokens } from "./input.ts";
import { addTokenJobOptions, checkTokens, type TokenJobOptions } from "./token-jobs.ts";
import { revokeItems } from "./revoke.ts";

export const define: Define = (command, act) => {
  addTokenJobOptions(command)
    .description(
      "Revoke the grant of each token: the application loses access to the token owner's account, and all its tokens for the account are revoked. Reads all tokens first, and sends one request for each account. Prompts for confirmation; --yes skips that.",
    )
    .action(act(onTokens(run, ({ serverType }) => checkNotOauth(serverType))));
  printsFields(command, outcomePresentation.fields);
  addExamples(command, ["grantctl token revoke-grant --yes < token.txt"]);
};

async function run(context: Context, options: TokenJobOptions, input: Tokens): Promise<void> {
  /** The account of each active token. */
  const accounts = new Map<string, string>();
  /** The request for each account, which all of its tokens share. */
  const requests = new Map<string, Promise<void>>();
  await revokeItems(input, options, context, {
    operation: "revoke-grant",
    inWords: (what) =>
      `revoke the grant behind ${what}, and all tokens that the application holds for that user`,
    plan: (application) => ({
      async searchWitness(tokens) {
        const { active, decided } = await checkTokens(tokens, application, context);
        for (const [token, found] of active) accounts.set(token, accountOf(token, found));
        const { proofCheck } = application;
        const lastAccount = proofCheck === null ? [...accounts.values()].at(-1) : accountOf("", proofCheck);
        const last = [...active.keys()].filter((token) => accounts.get(token) === lastAccount);
        if (proofCheck !== null && last.length > 0)
          context.notices.warn(
            `the proof token belongs to ${lastAccount ?? ""}, whose grant is revoked last; it stops working then`,
          );
        return { last: new Set(last), decided };
      },
      change: {
        readBy: "searchWitness",
        async act(token, { intent }) {
          const { service, clientId } = application;
          const account = accounts.get(token) ?? token;
          const request = requests.get(account) ?? revokeGrant(withIntent(service, intent), clientId, token);
          requests.set(account, request);
          await request;
          return "revoked";
        },
      },
    }),
  });
}

function accountOf(token: string, found: CheckedToken): string {
  return ("id" in found ? found.user?.login : null) ?? token;
}
