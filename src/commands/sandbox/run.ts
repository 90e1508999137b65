// `grantctl sandbox run`: runs a command with its own sandbox, for experiments and for tests of scripts.
//
//   temporary folder -> sandbox on a free port -> command with GRANTCTL_* set -> sandbox closed -> folder removed
//
// State and configuration are in the temporary folder: journals are useless after the sandbox has stopped, and the
// command must not use the caller's profiles and stored secrets.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { addExamples, type Context, type Define } from "../../command-line/command.ts";
import { QuietExit, usageFailure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import type { SandboxDescription } from "../../sandbox/sandbox.ts";
import { runInForeground } from "../foreground.ts";
import { addSandboxOptions, type SandboxFlags, startFrom } from "./sandbox-options.ts";

export const defineRun: Define = (command, act) => {
  addSandboxOptions(command)
    .summary("Run a command with its own sandbox")
    .description(
      "Start a sandbox on a free port, run a command with the GRANTCTL_* variables pointing to it, stop the sandbox, and exit with the command's exit code.",
    )
    .argument("<command...>", "Command and its arguments, after --")
    .action(act(run, { configuration: "unused", announces: false }));
  addExamples(command, [
    "grantctl sandbox run -- ./script.sh",
    "grantctl sandbox run -- grantctl authorization run -- grantctl api /user",
    "grantctl sandbox run --otp app -- grantctl grant list",
    "grantctl sandbox run --grants 50 -- bash",
  ]);
};

async function run(
  context: Context,
  words: readonly [string, ...string[]],
  flags: SandboxFlags,
): Promise<void> {
  const folder = await makeFolder();
  try {
    const sandbox = await startFrom(flags, context);
    try {
      const environment = childEnvironment(sandbox.description, context);
      const folders = {
        GRANTCTL_STATE_DIR: join(folder, "state"),
        GRANTCTL_CONFIG_DIR: join(folder, "config"),
      };
      announce(sandbox.description, words, context);
      const code = await runInForeground(words, { environment: { ...environment, ...folders } }, context);
      if (code !== 0) throw new QuietExit(code);
    } finally {
      await sandbox.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Prints a line on a terminal: the sandbox in use, its user, and how to exit. */
function announce(
  { base_url, username }: SandboxDescription,
  [program]: readonly [string, ...string[]],
  { notices, standardInput, stdout }: Context,
): void {
  const isShell = /^(?:ba|c|da|fi|k|tc|z)?sh$/.test(basename(program));
  if (!standardInput.isTerminal || !stdout.isTerminal || !isShell) return;
  notices.note(`grantctl uses the sandbox at ${base_url} as ${username}; type exit to stop it`);
}

async function makeFolder(): Promise<string> {
  try {
    return await mkdtemp(join(resolve(tmpdir()), "grantctl-sandbox-"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw usageFailure(
      `the directory for temporary files ${foreign(tmpdir())} cannot be used (${code})`,
      "Set TMPDIR to a directory of yours.",
    );
  }
}

/** The caller's environment without the variables that would direct grantctl to another server. */
function childEnvironment(sandbox: SandboxDescription, { host, operator }: Context): Record<string, string> {
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
    GRANTCTL_HEADER_WORD: operator.headerWord,
    ...(token === undefined ? {} : { GRANTCTL_TOKEN: token.token }),
    ...(sandbox.otp_command === null ? {} : { GRANTCTL_OTP_COMMAND: sandbox.otp_command }),
  };
}
