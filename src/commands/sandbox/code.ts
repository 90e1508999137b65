// `grantctl sandbox code`: prints a one-time password and nothing else, for otp_command.
import { addExamples, type Define } from "../../command-line/command.ts";
import { printFromSandbox } from "./control.ts";

export const define: Define = (command, act) => {
  command
    .description("Print a one-time password that the sandbox at --base-url currently accepts.")
    .action(act((context) => printFromSandbox(context, "code", {}), { announces: false }));
  addExamples(command, [
    "grantctl sandbox code --base-url http://127.0.0.1:8080",
    "grantctl sandbox run --otp app -- grantctl sandbox code",
  ]);
};
