// `grantctl sandbox start`: runs the embedded service until a signal stops it.
//
// It prints the description when the sandbox listens, then waits. With --json the description is one line, so that a reading
// program knows when it is complete. The exit code is the one that shells use for the signal.
import { addExamples, printsFields, type Context, type Define } from "../../command-line/command.ts";
import { exitCodeOfSignal, QuietExit } from "../../errors/errors.ts";
import { commandLine } from "../../config/command-words.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { addSandboxOptions, otpCommandOf, type SandboxFlags, startFrom } from "./options.ts";

const fields =
  "base_url username password otp totp_secret client_id client_secret tokens organizations".split(" ");

export const define: Define = (command, act) => {
  addSandboxOptions(command)
    .description(
      "Start a simulated server on a loopback port, print its URL and its credentials, and run until it is stopped.",
    )
    .action(act(run, { configuration: "tolerated", announces: false }));
  printsFields(command, fields);
  addExamples(command, ["grantctl sandbox start", "grantctl sandbox start --otp app --json"]);
};

async function run(context: Context, flags: SandboxFlags): Promise<void> {
  const { printer, host } = context;
  const sandbox = await startFrom(flags, context);
  try {
    const stopped = new Promise<NodeJS.Signals>((resolve) => void host.onStopSignal(resolve));
    if (printer.isJson) await printer.printItem(sandbox.description, { fields, columns: [] }, true);
    else await explain(sandbox, context);
    throw new QuietExit(exitCodeOfSignal(await stopped));
  } finally {
    await sandbox.close();
  }
}

async function explain(sandbox: Sandbox, context: Context): Promise<void> {
  const { base_url, username, password, client_id, client_secret, tokens } = sandbox.description;
  const lines = {
    "listening on": base_url,
    "user name": username,
    password,
    "client ID": client_id,
    "client secret": client_secret,
    "active token": tokens[0]?.token ?? null,
    "get a code with": otpCommandOf(sandbox, context),
  };
  const shown = Object.entries(lines).filter((line): line is [string, string] => line[1] !== null);
  await context.printer.printLabelled(shown.map(([label, line]) => ({ label, lines: [line] })));
  const { name, isOauth } = context.serverType;
  const flags = isOauth ? ["--app", "--server-type", name, "--client-id", client_id] : [];
  const login = commandLine("auth", "login", "--base-url", base_url, ...flags);
  await context.stdout.write(`log in with: ${login}\nstop with Ctrl-C\n`);
}
