// `grantctl sandbox tokens`: makes tokens to rehearse with, and prints them.
import { addExamples, type Define } from "../../command-line/command.ts";
import { parsePositive } from "../../config/global-options.ts";
import { printFromSandbox } from "./control.ts";

export const define: Define = (command, act) => {
  command
    .description(
      "Make active tokens of the application in the sandbox at --base-url, and print them, one a line, to rehearse with.",
    )
    .option("--count <n>", "Number of tokens", parsePositive, 1)
    .action(
      act((context, flags: { count: number }) => printFromSandbox(context, "tokens", flags), {
        announces: false,
      }),
    );
  addExamples(command, [
    "grantctl sandbox tokens --count 10 --base-url http://127.0.0.1:8080",
    "grantctl sandbox tokens --count 100 | grantctl token check",
  ]);
};
