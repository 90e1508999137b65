// A sandbox in a process of its own, for tests that kill it. The source is bundled first, because node 20 does not
// run TypeScript.
import { build } from "rolldown";
import { spawn, type ChildProcess } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { SandboxDescription } from "../../src/sandbox/sandbox.ts";

export interface SandboxProcess {
  readonly child: ChildProcess;
  /** The description, or null when it ended without one. */
  readonly ready: Promise<SandboxDescription | null>;
  /** Kills it with SIGKILL and waits until it is gone. */
  readonly kill: () => Promise<void>;
}

/** Bundles the program into a folder and gives back its path. */
export async function bundleSandboxProgram(folder: string): Promise<string> {
  const outfile = join(folder, "sandbox-program.mjs");
  const libsql = pathToFileURL(createRequire(import.meta.url).resolve("libsql")).href;
  await build({
    input: fileURLToPath(new URL("./sandbox-program.ts", import.meta.url)),
    platform: "node",
    external: ["libsql"],
    // Its folder has no packages of its own.
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
      // A process that is killed may leave half a line.
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
