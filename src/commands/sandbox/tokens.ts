// `grantctl sandbox tokens`: makes active tokens of the application in a running sandbox, and prints them, one a line, to
// rehearse with.
import { addExamples, type Define } from "../../command-line/command.ts";
import { parsePositive } from "../../config/global-options.ts";
import { printFromSandbox } from "./control.ts";

export const defineTokens: Define = (command, act) => {
  command
    .description(
      "Make active tokens of the application in the sandbox at --base-url, and print them, one a line, to rehearse with.",
    )
    .requiredOption("--count <n>", "Number of tokens", parsePositive)
    .action(
      act((context, flags: { count: number }) => printFromSandbox(context, "tokens", flags), {
        announces: false,
      }),
    );
  addExamples(command, [
    "grantctl sandbox tokens --count 10 --base-url http://127.0.0.1:8080",
    "grantctl sandbox tokens --count 1000 | grantctl token check",
  ]);
};
