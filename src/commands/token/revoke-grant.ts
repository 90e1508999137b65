// `grantctl token revoke-grant`: operation 14, for one or many.
import {
  addExamples,
  explainInherited,
  printsFields,
  type Define,
  type Context,
} from "../../command-line/command.ts";
import { addProofOptions } from "../../jobs/proof.ts";
import { checkAbility } from "../../run/server-type-hints.ts";
import { addTokenInput } from "./input.ts";
import { outcomePresentation } from "../../printing/tokens.ts";
import { revokeItems, type RevocationOptions } from "./revoke.ts";
import { addJobOptions } from "../../jobs/job-options.ts";

export const defineRevokeGrant: Define = (command, act) => {
  addProofOptions(addJobOptions(addTokenInput(command)))
    .summary("Revoke the grants behind an application's tokens")
    .description(
      "Revoke the grant of each token: the application loses access to the token owner's account, and all its tokens for the account are revoked. The token given with --proof-token-file must belong to an account whose grant is not being revoked. Prompts for confirmation.",
    )
    .action(act(run));
  explainInherited(command, "--client-id", "--yes", "--json");
  printsFields(command, outcomePresentation.fields);
  addExamples(command, ["grantctl token revoke-grant --yes < token.txt"]);
};

async function run(context: Context, options: RevocationOptions): Promise<void> {
  checkAbility(context.serverType, "grantsOfTokens");
  const { checkToken, revokeGrant } = await import("../../api/tokens.ts");
  await revokeItems(options, context, {
    operation: "revoke-grant",
    actionText: (what, address) =>
      `revoke the grant behind ${what} at ${address}, and all tokens that the application holds for that user`,
    check: checkToken,
    async revoke(service, clientId, token, { intent }) {
      await revokeGrant(service, clientId, token, intent);
      return "revoked";
    },
  });
}
