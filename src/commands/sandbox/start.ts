// `grantctl sandbox start`: runs the embedded service until a signal stops it.
//
// It prints the description when the sandbox listens, then waits. With --json the description is one line even on a
// terminal, so that a reading program knows when it is complete. A signal closes the sandbox; the exit code is the one
// that shells use for that signal.
import { constants } from "node:os";
import { commandLine } from "../../jobs/resume-hint.ts";
import {
  addExamples,
  explainInherited,
  printsFields,
  type Context,
  type Define,
} from "../../command-line/command.ts";
import { exitCodeOfSignal, QuietExit } from "../../errors/errors.ts";
import { parseFields, pickFields } from "../../printing/fields.ts";
import type { Labelled } from "../../drawing/labelled.ts";
import type { SandboxDescription } from "../../sandbox/sandbox.ts";
import { addSandboxOptions, otpCommandOf, type SandboxFlags, startFrom } from "./options.ts";

const fields = [
  "base_url",
  "username",
  "password",
  "otp",
  "totp_secret",
  "client_id",
  "client_secret",
  "tokens",
  "organizations",
] as const satisfies readonly (keyof SandboxDescription)[];

export const defineStart: Define = (command, act) => {
  addSandboxOptions(command)
    .summary("Start the sandbox")
    .description(
      "Start a simulated server on a loopback port, print its URL and its credentials, and run until it is stopped.",
    )
    .action(act(run, { configuration: "unused", announces: false }));
  explainInherited(command, "--json", "--jq");
  printsFields(command, fields);
  addExamples(command, ["grantctl sandbox start", "grantctl sandbox start --otp app --json"]);
};

async function run(context: Context, flags: SandboxFlags): Promise<void> {
  const { printer, options, stdout, serverType } = context;
  const wanted = typeof options.json === "string" ? parseFields(options.json, fields) : null;
  const sandbox = await startFrom(flags, context);
  try {
    const stopped = nextStopSignal(context);
    const { description } = sandbox;
    if (printer.isJson) {
      await printer.printJson(
        JSON.stringify(wanted === null ? description : pickFields(description, wanted)),
      );
    } else {
      await printer.printLabelled(sandboxLines(description, otpCommandOf(sandbox, context)));
      const login = serverType.publishesMetadata
        ? ["--app", "--server-type", serverType.name, "--client-id", description.client_id]
        : [];
      const line = commandLine("auth", "login", "--base-url", description.base_url, ...login);
      await stdout.write(`log in with: ${line}\nstop with Ctrl-C\n`);
    }
    const signal = await stopped;
    throw new QuietExit(exitCodeOfSignal(constants.signals[signal]));
  } finally {
    await sandbox.close();
  }
}

function nextStopSignal({ host }: Context): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = host.onStopSignal((signal) => {
      stop();
      resolve(signal);
    });
  });
}

function sandboxLines(sandbox: SandboxDescription, otpCommand: string | null): readonly Labelled[] {
  const lines: (readonly [string, string])[] = [
    ["listening on", sandbox.base_url],
    ["user name", sandbox.username],
    ["password", sandbox.password],
    ["client ID", sandbox.client_id],
    ["client secret", sandbox.client_secret],
  ];
  const [token] = sandbox.tokens;
  if (token !== undefined) lines.push(["active token", token.token]);
  if (otpCommand !== null) lines.push(["get a code with", otpCommand]);
  return lines.map(([label, value]) => ({ label, lines: [value], isWhole: true }));
}
