// `grantctl token revoke`: operation 13, for one or many.
import { addExamples, type Define, type Context } from "../../command-line/command.ts";
import { addJobOptions } from "../../bulk/job-plan.ts";
import { addProofTokenOption } from "./proof-token.ts";
import { addTokenInput } from "./token-input.ts";
import { revokeItems, type RevocationOptions } from "./revoke-items.ts";

export const defineRevoke: Define = (command, act) => {
  addProofTokenOption(addJobOptions(addTokenInput(command.aliases(["delete", "rm"]))))
    .summary("revoke tokens of the application")
    .description("Revoke tokens of the application: each stops working at once. Asks first.")
    .action(act(run));
  addExamples(command, [
    "grantctl token revoke --yes < token.txt",
    "grantctl token revoke --token-file leaked.txt --dry-run",
    "trufflehog git file://. --json | grantctl token revoke --from trufflehog --only-verified --proof-token-file live.txt --yes",
  ]);
};

async function run(context: Context, options: RevocationOptions): Promise<void> {
  const { revokeToken } = await import("../../api/tokens.ts");
  await revokeItems(options, context, {
    operation: "revoke",
    deed: (what, address) => `revoke ${what} at ${address}`,
    revoke: revokeToken,
  });
}
