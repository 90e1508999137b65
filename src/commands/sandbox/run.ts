// `grantctl sandbox run`: runs a command with its own sandbox, for experiments and for tests of scripts.
//
//   temporary folder -> sandbox on a free port -> command with GRANTCTL_* set -> sandbox closed -> folder removed
//
// State and configuration are in the temporary folder: records are useless after the sandbox has stopped, and the
// command must not use the caller's profiles and stored secrets.
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { addExamples, type Context, type Define } from "../../command-line/command.ts";
import { settingList } from "../../config/settings.ts";
import { QuietExit, usageFailure } from "../../errors/errors.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { runInForeground } from "../foreground.ts";
import { addSandboxOptions, otpCommandOf, type SandboxFlags, startFrom } from "./options.ts";

export const define: Define = (command, act) => {
  addSandboxOptions(command)
    .description(
      "Start a sandbox on a free port, run a command with the GRANTCTL_* variables pointing to it, stop the sandbox, and exit with the command's exit code.",
    )
    .argument("<command...>", "Command and its arguments, after --")
    .usage("[options] -- <command...>")
    .action(act(run, { configuration: "tolerated", announces: false }));
  addExamples(command, [
    "grantctl sandbox run -- ./script.sh",
    "grantctl sandbox run -- grantctl authorization run -- grantctl api /user",
    "grantctl sandbox run --otp app -- grantctl grant list",
    "grantctl sandbox run --grants 50 -- bash",
  ]);
};

async function run(context: Context, words: readonly [string, ...string[]], flags: SandboxFlags) {
  const folder = await mkdtemp(join(resolve(tmpdir()), "grantctl-sandbox-")).catch(() => {
    throw usageFailure("the folder for temporary files cannot be used", "Set TMPDIR to another one.");
  });
  try {
    // For a checkout, in which grantctl is not installed. A path with a colon, as on Windows, cannot be a part of PATH.
    if (!folder.includes(":")) await symlink(context.host.self.at(-1) ?? "", join(folder, "grantctl"));
    const sandbox = await startFrom(flags, context);
    const { base_url } = sandbox.description;
    if (context.stdout.isTerminal)
      context.notices.note(`the sandbox listens at ${base_url}, until this command ends (in a shell: exit)`);
    try {
      const code = await runInForeground(words, childEnvironment(sandbox, folder, context), context);
      if (code !== 0) throw new QuietExit(code);
    } finally {
      await sandbox.close();
      context.notices.note(`the sandbox at ${base_url} has stopped`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The caller's environment, but with no profile and no settings other than the sandbox's. */
function childEnvironment(sandbox: Sandbox, folder: string, context: Context): Record<string, string> {
  const { host, serverType } = context;
  const inherited: Record<string, string> = { ...host.childEnvironment };
  for (const { variable } of settingList) delete inherited[variable ?? ""];
  delete inherited["GRANTCTL_PROFILE"];
  const { base_url, username, password, client_id, client_secret, tokens } = sandbox.description;
  const otpCommand = otpCommandOf(sandbox, context);
  return {
    ...inherited,
    // First, so that the command finds this grantctl, and not an installed one. An empty part would be the current folder.
    ...(folder.includes(":") ? {} : { PATH: `${folder}:${inherited["PATH"] || "/usr/bin:/bin"}` }),
    GRANTCTL_STATE_DIR: join(folder, "state"),
    GRANTCTL_CONFIG_DIR: join(folder, "config"),
    GRANTCTL_BASE_URL: base_url,
    GRANTCTL_USERNAME: username,
    GRANTCTL_PASSWORD: password,
    GRANTCTL_CLIENT_ID: client_id,
    GRANTCTL_CLIENT_SECRET: client_secret,
    GRANTCTL_SERVER_TYPE: serverType.name,
    GRANTCTL_HEADER_WORD: serverType.headerWord,
    ...(tokens[0] === undefined ? {} : { GRANTCTL_TOKEN: tokens[0].token }),
    ...(otpCommand === null ? {} : { GRANTCTL_OTP_COMMAND: otpCommand }),
  };
}
