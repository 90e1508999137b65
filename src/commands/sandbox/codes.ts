// `grantctl sandbox codes`: the one-time passwords of a running sandbox.
//
// Without flags it lists the codes that were sent and are still accepted. With --now it prints one code and nothing
// else, for --otp-command: the sandbox sends a text message if no code would stay valid long enough. A sandbox without
// two-factor authentication has an empty list, and no code.
import { addExamples, explainInherited, type Context, type Define } from "../../command-line/command.ts";
import { Failure } from "../../errors/errors.ts";
import { codesPresentation } from "./schemas.ts";

export const defineCodes: Define = (command, act) => {
  command
    .summary("List the one-time passwords that a running sandbox accepts")
    .description("List the one-time passwords that the sandbox at --base-url currently accepts.")
    .option("--now", "Print only one valid code (if there is none, simulate sending one by text message)")
    .action(act(run, { announces: false }));
  explainInherited(command, "--base-url", "--json", "--jq");
  addExamples(command, [
    "grantctl sandbox codes --base-url http://127.0.0.1:8080",
    "grantctl sandbox run --otp app -- grantctl sandbox codes --now",
  ]);
};

async function run(context: Context, { now }: { readonly now?: true }): Promise<void> {
  context.printer.checkFields(codesPresentation);
  const { fetchCodes } = await import("./control-requests.ts");
  const codes = await fetchCodes(now === true ? "POST" : "GET", context);
  const [first] = codes;
  if (now !== true) await context.printer.printList(codes, codesPresentation);
  else if (first === undefined)
    throw new Failure("refused", "this sandbox does not require one-time passwords");
  else await context.stdout.write(`${first.code}\n`);
}
