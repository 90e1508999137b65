// A sandbox in a separate process, for tests that kill it. The source is bundled first, because Node 20 does not run
// TypeScript.
import { build } from "rolldown";
import { spawn, type ChildProcess } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { SandboxDescription } from "../../src/sandbox/sandbox.ts";

export interface SandboxProcess {
  readonly child: ChildProcess;
  /** Null if the process ended without printing it. */
  readonly ready: Promise<SandboxDescription | null>;
  /** Sends SIGKILL and waits until the process has ended. */
  readonly kill: () => Promise<void>;
}

/** Bundles the program into a folder and returns its path. */
export async function bundleSandboxProgram(folder: string): Promise<string> {
  const outfile = join(folder, "sandbox-program.mjs");
  const libsql = pathToFileURL(createRequire(import.meta.url).resolve("libsql")).href;
  await build({
    input: fileURLToPath(new URL("./sandbox-program.ts", import.meta.url)),
    platform: "node",
    external: ["libsql"],
    // The folder has no node_modules.
    output: { file: outfile, format: "esm", codeSplitting: false, paths: { libsql } },
    logLevel: "silent",
  });
  return outfile;
}

/** Starts the program on a data folder. */
export function startSandboxProcess(
  program: string,
  dataFolder: string,
  authorizations: number | null = null,
): SandboxProcess {
  const child = spawn(process.execPath, [program, dataFolder, JSON.stringify(authorizations)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => void child.once("exit", () => resolve()));
  const firstLine = new Promise<SandboxDescription>((resolve) => {
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      // A killed process may leave an incomplete line.
      if (text.endsWith("\n")) resolve(JSON.parse(text) as SandboxDescription);
    });
  });
  return {
    child,
    ready: Promise.race([firstLine, ended.then(() => null)]),
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
