// `grantctl sandbox code`: prints a one-time password that a running sandbox accepts, and nothing else, for
// otp_command. The sandbox sends a text message if no earlier code would stay valid long enough.
import { addExamples, explainInherited, type Context, type Define } from "../../command-line/command.ts";
import { Failure } from "../../errors/errors.ts";
import { askSandbox } from "./control.ts";

export const defineCode: Define = (command, act) => {
  command
    .summary("Print a one-time password of a running sandbox")
    .description("Print a one-time password that the sandbox at --base-url currently accepts.")
    .action(act(run, { announces: false }));
  explainInherited(command, "--base-url");
  addExamples(command, [
    "grantctl sandbox code --base-url http://127.0.0.1:8080",
    "grantctl sandbox run --otp app -- grantctl sandbox code",
  ]);
};

async function run(context: Context): Promise<void> {
  const code = await askSandbox(context, "code", null);
  if (code === null) throw new Failure("refused", "this sandbox does not require one-time passwords");
  if (typeof code !== "string" || !/^\d{6}$/.test(code))
    throw new Failure("protocol", "the server's code is not one of a sandbox");
  await context.stdout.write(`${code}\n`);
}
