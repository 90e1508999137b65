// `grantctl sandbox tokens`: makes active tokens of the application in a running sandbox, and prints them, one a line, to
// rehearse with.
import { addExamples, explainInherited, type Context, type Define } from "../../command-line/command.ts";
import { parsePositive } from "../../config/global-options.ts";
import { Failure, usageFailure } from "../../errors/errors.ts";
import { askSandbox } from "./control.ts";

/** What a sandbox makes in one request. */
const most = 100_000;

export const defineTokens: Define = (command, act) => {
  command
    .summary("Make active tokens in a running sandbox")
    .description(
      "Make active tokens of the application in the sandbox at --base-url, and print them, one a line, to rehearse with.",
    )
    .requiredOption("--count <n>", "Number of tokens", parsePositive)
    .action(act(run, { announces: false }));
  explainInherited(command, "--base-url");
  addExamples(command, [
    "grantctl sandbox tokens --count 10 --base-url http://127.0.0.1:8080",
    "grantctl sandbox tokens --count 1000 | grantctl token check",
  ]);
};

async function run(context: Context, { count }: { readonly count: number }): Promise<void> {
  if (count > most) throw usageFailure(`--count must be at most ${most}`);
  const tokens = await askSandbox(context, "tokens", JSON.stringify({ count }));
  // Printed as they are, so nothing but tokens.
  if (!Array.isArray(tokens) || !tokens.every((token) => typeof token === "string" && /^\w+$/.test(token)))
    throw new Failure("protocol", "the server's tokens are not those of a sandbox");
  await context.stdout.write(tokens.map((token) => `${token}\n`).join(""));
}
