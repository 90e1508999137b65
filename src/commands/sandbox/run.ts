// `grantctl sandbox run`: a command with a sandbox of its own, for trying things and for testing scripts.
import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { headerWordOf } from "../../config/settings.ts";
import type { Context } from "../../run/context.ts";
import { exitCodeOfSignal, QuietExit } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { startProgram } from "../../programs/start-program.ts";
import type { SandboxDescription } from "../../sandbox/sandbox.ts";
import type { Dispatch } from "../../command-line/dispatch.ts";
import { addExamples } from "../../command-line/examples.ts";
import { addSandboxOptions, startFrom, type SandboxFlags } from "./sandbox-options.ts";

/** As shells answer a program that is not there, and one that cannot be run. */
const notFoundCode = 127;
const notRunnableCode = 126;

export function addRunCommand(sandbox: Command, dispatch: Dispatch): void {
  const command = addSandboxOptions(sandbox.command("run"))
    .summary("run a command with a sandbox of its own")
    .description(
      "Start a sandbox on a free port, run a command with GRANTCTL_* set to it, stop it, and exit with the command's code.",
    )
    .argument("<command...>", "the command and its arguments, after --")
    .action((words: string[], flags: SandboxFlags, self: Command) =>
      dispatch(self, (context) => run(words, flags, context), "unused"),
    );
  addExamples(command, [
    "grantctl sandbox run -- ./script.sh",
    "grantctl sandbox run --otp app -- grantctl grant list",
  ]);
}

async function run(words: readonly string[], flags: SandboxFlags, context: Context): Promise<void> {
  const sandbox = await startFrom(flags, context);
  const headerWord = headerWordOf(context.settings);
  // What the command leaves to recover is worth nothing once the sandbox is gone, and the caller's own profiles and
  // stored credentials are none of its business.
  const folder = await mkdtemp(join(tmpdir(), "grantctl-sandbox-"));
  try {
    const environment = childEnvironment(sandbox.description, headerWord, context);
    const folders = {
      GRANTCTL_STATE_DIR: join(folder, "state"),
      GRANTCTL_CONFIG_DIR: join(folder, "config"),
    };
    const code = await runChild(words, { ...environment, ...folders }, context);
    if (code !== 0) throw new QuietExit(code);
  } finally {
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The caller's environment, with everything that would lead grantctl elsewhere replaced. */
function childEnvironment(
  sandbox: SandboxDescription,
  headerWord: string,
  { host, operator }: Context,
): Record<string, string> {
  const { GRANTCTL_PROFILE: _profile, GRANTCTL_OTP_COMMAND: _command, ...inherited } = host.childEnvironment;
  const [token] = sandbox.tokens;
  return {
    ...inherited,
    GRANTCTL_BASE_URL: sandbox.base_url,
    GRANTCTL_USERNAME: sandbox.username,
    GRANTCTL_PASSWORD: sandbox.password,
    GRANTCTL_CLIENT_ID: sandbox.client_id,
    GRANTCTL_CLIENT_SECRET: sandbox.client_secret,
    GRANTCTL_OPERATOR: operator.name,
    GRANTCTL_HEADER_WORD: headerWord,
    ...(token === undefined ? {} : { GRANTCTL_TOKEN: token.token }),
    ...(sandbox.otp_command === null ? {} : { GRANTCTL_OTP_COMMAND: sandbox.otp_command }),
  };
}

function runChild(
  [program = "", ...others]: readonly string[],
  environment: Record<string, string>,
  { host, notices }: Context,
): Promise<number> {
  return new Promise((resolve) => {
    // A terminal sends Ctrl-C to the child as well, which decides what it means, and Windows' console whatever there is;
    // other signals are passed on. Heard from before the child is there, which may be quicker than what follows its
    // start here.
    let started: ChildProcess | null = null;
    const stop = host.onStopSignal((signal) => {
      if (signal !== "SIGINT" && host.platform !== "win32") started?.kill(signal);
    });
    const child = startProgram([program, ...others], { env: environment, stdio: "inherit" }, host.platform);
    started = child;
    child.on("error", (error: NodeJS.ErrnoException) => {
      stop();
      notices.warn(
        `cannot run ${foreign(program)}: ${error.code === "ENOENT" ? "there is no such command" : foreign(error.message)}`,
      );
      resolve(error.code === "ENOENT" ? notFoundCode : notRunnableCode);
    });
    child.on("exit", (code, signal) => {
      stop();
      resolve(signal === null ? (code ?? 0) : exitCodeOfSignal(constants.signals[signal]));
    });
  });
}
