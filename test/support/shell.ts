// Sessions with the built program: a sandbox in a separate process, and a shell in which `grantctl` is on the path.
// Each line runs without a controlling terminal.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { installProgram, program, runProgram, type Finished } from "./binary.ts";
import { runMain } from "./test-host.ts";

export interface SandboxOfBinary {
  readonly description: Sandbox["description"];
  readonly child: ChildProcess;
  /** Standard error so far. */
  stderr(): string;
  /** Stops the sandbox; resolves with exit code and signal. */
  stop(signal?: NodeJS.Signals): Promise<readonly [number | null, NodeJS.Signals | null]>;
}

export interface Shell {
  readonly sandbox: SandboxOfBinary;
  readonly environment: Readonly<Record<string, string>>;
  /** The working directory of lines, initially empty. */
  readonly folder: string;
  /** Runs one line of bash; resolves with its output and exit code. */
  run(line: string, more?: { input?: string; environment?: Record<string, string> }): Promise<Finished>;
  /** Runs grantctl in this process with the same account, to prepare and inspect its state. */
  grantctl(...words: readonly string[]): ReturnType<typeof runMain>;
  close(): Promise<void>;
}

/** Starts `grantctl sandbox start --json` with these flags, and waits for its description. */
export async function startSandboxOfBinary(flags: readonly string[] = []): Promise<SandboxOfBinary> {
  const child = spawn(process.execPath, [program, "sandbox", "start", "--json", ...flags], {
    env: { PATH: process.env["PATH"] ?? "", HOME: tmpdir() },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<readonly [number | null, NodeJS.Signals | null]>((resolve) => {
    child.on("exit", (code, signal) => {
      resolve([code, signal]);
    });
  });
  const line = await new Promise<string>((resolve, reject) => {
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.endsWith("\n")) resolve(text);
    });
    child.on("exit", (code) => {
      reject(new Error(`the sandbox ended with ${String(code)}: ${stderr}`));
    });
  });
  return {
    description: JSON.parse(line) as Sandbox["description"],
    child,
    stderr: () => stderr,
    stop(signal = "SIGTERM") {
      child.kill(signal);
      return ended;
    },
  };
}

/** A command that prints a one-time password of the sandbox at this URL. */
function otpCommandFor(baseUrl: string): string {
  return `${process.execPath} ${program} sandbox code --base-url ${baseUrl}`;
}

/** Starts a sandbox with these flags, and a shell that is configured to use it. */
export async function openShell(...flags: readonly string[]): Promise<Shell> {
  const sandbox = await startSandboxOfBinary(flags);
  const folder = mkdtempSync(join(tmpdir(), "grantctl-shell-"));
  const commands = mkdtempSync(join(tmpdir(), "grantctl-path-"));
  installProgram(commands);
  const { base_url, username, password, client_id, client_secret, otp } = sandbox.description;
  const environment = {
    PATH: `${commands}:${process.env["PATH"] ?? ""}`,
    HOME: folder,
    GRANTCTL_STATE_DIR: join(commands, "state"),
    GRANTCTL_BASE_URL: base_url,
    GRANTCTL_USERNAME: username,
    GRANTCTL_PASSWORD: password,
    GRANTCTL_CLIENT_ID: client_id,
    GRANTCTL_CLIENT_SECRET: client_secret,
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
      await sandbox.stop();
      rmSync(folder, { recursive: true, force: true });
      rmSync(commands, { recursive: true, force: true });
    },
  };
}
