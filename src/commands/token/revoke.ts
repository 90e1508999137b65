// `grantctl token revoke`: operation 13, for one or many.
import type { Command } from "commander";
import type { Context } from "../../run/context.ts";
import type { Act } from "../../command-line/dispatch.ts";
import { addExamples } from "../../command-line/examples.ts";
import { addJobOptions } from "../../bulk/job-plan.ts";
import { addProofTokenOption } from "./proof-token.ts";
import { addTokenInput } from "./token-input.ts";
import { revokeItems, type RevocationOptions } from "./revoke-items.ts";

export function completeRevoke(command: Command, act: Act): void {
  addProofTokenOption(addJobOptions(addTokenInput(command.aliases(["delete", "rm"]))))
    .summary("revoke tokens of the application")
    .description("Revoke tokens of the application: each stops working at once. Asks first.")
    .action(act(run));
  addExamples(command, [
    "grantctl token revoke --yes < token.txt",
    "grantctl token revoke --token-file leaked.txt --dry-run",
    "trufflehog git file://. --json | grantctl token revoke --from trufflehog --only-verified --proof-token-file live.txt --yes",
  ]);
}

async function run(context: Context, options: RevocationOptions): Promise<void> {
  const { revokeToken } = await import("../../api/tokens.ts");
  await revokeItems(options, context, {
    operation: "revoke",
    question: (what, address) => `Revoke ${what} at ${address}?`,
    revoke: revokeToken,
  });
}
