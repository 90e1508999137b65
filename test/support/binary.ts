// Runs the built program like a user: in a separate process, with pipes, and with only the environment that the test
// sets.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The path of `grantctl`. */
export const program = fileURLToPath(new URL("../../bin/grantctl.js", import.meta.url));

/** Writes an executable script. */
export function writeScript(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

/** Puts `grantctl` into a folder, for a search path. */
export function installProgram(folder: string): void {
  writeScript(join(folder, "grantctl"), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
}

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Standard input; empty by default. */
  readonly input?: string;
  readonly folder?: string;
}

/** Runs `grantctl` with these arguments until it exits. It has no controlling terminal, so it cannot prompt. */
export function runBinary(words: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return runProgram(process.execPath, [program, ...words], options);
}

/** Runs any program the same way. */
export function runProgram(
  command: string,
  words: readonly string[],
  { environment = {}, input = "", folder }: RunOptions = {},
): Promise<Finished> {
  const child = spawn(command, words, {
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: join(tmpdir(), "grantctl-test", randomUUID()),
      ...environment,
    },
    cwd: folder,
    // A new session has no controlling terminal.
    detached: true,
  });
  return finishWith(input, child);
}

/** Writes a program's standard input, and waits until it has exited and its streams are closed. */
export function finishWith(input: string, child: ChildProcessWithoutNullStreams): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    // A program may exit without reading its input.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    child.on("error", reject);
    child.on("close", (code, signal) => {
      resolve({
        code,
        signal,
        stdout: Buffer.concat(stdout).toString("utf8"),
        stderr: Buffer.concat(stderr).toString("utf8"),
      });
    });
  });
}
