// Sessions with the built program: a sandbox, and a shell in which `grantctl` is on the path.
// Each line runs without a controlling terminal.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAccount, type Account } from "./account.ts";
import { installProgram, program, runProgram, type Finished } from "./binary.ts";
import { runMain } from "./test-host.ts";

export interface Shell {
  readonly sandbox: Account["sandbox"];
  readonly environment: Readonly<Record<string, string>>;
  /** The working directory of lines, initially empty. */
  readonly folder: string;
  /** Runs one line of bash; resolves with its output and exit code. */
  run(line: string, more?: { input?: string; environment?: Record<string, string> }): Promise<Finished>;
  /** Runs grantctl in this process with the same account, to prepare and inspect its state. */
  grantctl(...words: readonly string[]): ReturnType<typeof runMain>;
  close(): Promise<void>;
}

/** A command that prints a one-time password of the sandbox at this URL. */
function otpCommandFor(baseUrl: string): string {
  return `${process.execPath} ${program} sandbox code --base-url ${baseUrl}`;
}

/** Starts a sandbox, and a shell that is configured to use it. */
export async function openShell(options?: Parameters<typeof openAccount>[0]): Promise<Shell> {
  const { sandbox, environment: ofAccount } = await openAccount(options);
  const folder = mkdtempSync(join(tmpdir(), "grantctl-shell-"));
  const commands = mkdtempSync(join(tmpdir(), "grantctl-path-"));
  installProgram(commands);
  const { base_url, otp } = sandbox.description;
  const environment = {
    PATH: `${commands}:${process.env["PATH"] ?? ""}`,
    HOME: folder,
    GRANTCTL_STATE_DIR: join(commands, "state"),
    ...ofAccount,
    ...(otp === "none" ? {} : { GRANTCTL_OTP_COMMAND: otpCommandFor(base_url) }),
  };
  return {
    sandbox,
    environment,
    folder,
    run(line, { input = "", environment: more = {} } = {}) {
      // An interrupted run of an earlier line must not be announced.
      const state = { GRANTCTL_STATE_DIR: mkdtempSync(join(commands, "state-")) };
      return runProgram("bash", ["-c", line], {
        environment: { ...environment, ...state, ...more },
        input,
        folder,
      });
    },
    grantctl(...words) {
      const { GRANTCTL_STATE_DIR: _, ...account } = environment;
      return runMain(words, { environment: account });
    },
    async close() {
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
      rmSync(commands, { recursive: true, force: true });
    },
  };
}
