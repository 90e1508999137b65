// A job under a real `nohup` continues when its terminal is closed. Any other job is stopped, and leaves a journal.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { program } from "../support/binary.ts";
import { startRawServer } from "../support/raw-server.ts";
import { noTerminalReason } from "../support/terminal.ts";
import { makeFolder, makeStateFolder } from "../support/state-folder.ts";

const run = `"${process.execPath}" "${program}"`;
const grantctl = `${run} grant delete - --yes --concurrency 1`;
const hasBash = spawnSync("bash", ["--version"]).status === 0;

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10));
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Runs a shell line on a terminal, and closes the terminal while the first request is in flight, or at a question. */
async function closeTerminal(shell: string, line: string): Promise<{ sent: number; exitCode: string }> {
  const waiting: (() => void)[] = [];
  let isClosed = false;
  const server = await startRawServer((socket) => {
    const send = (): void => {
      socket.write("HTTP/1.1 204 X\r\n\r\n");
    };
    if (isClosed) send();
    else waiting.push(send);
  });
  const state = makeStateFolder();
  const folder = makeFolder();
  writeFileSync(join(folder, "ids"), "1\n2\n3\n4\n");
  const script = `cd "${folder}"; (trap : HUP; ${line}; echo "$?" > code) & echo $$ > leader; sleep 600`;
  const terminal = spawn("script", ["-qfc", `exec ${shell} -c "$SCRIPT"`, "/dev/null"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      TERM: "xterm",
      SHELL: "/bin/sh",
      ...state.environment,
      SCRIPT: script,
      GRANTCTL_BASE_URL: server.root,
      GRANTCTL_USERNAME: "octavia",
      GRANTCTL_PASSWORD: "canary-password",
    },
  });
  let isAsked = false;
  terminal.stdout.on("data", (shown: Buffer) => (isAsked ||= shown.includes("?")));
  await until(() => waiting.length > 0 || isAsked);
  const leader = Number(readFileSync(join(folder, "leader"), "utf8"));
  terminal.kill("SIGKILL");
  // The kernel sends SIGHUP to the session leader, and after its end to the foreground job.
  await until(() => !isRunning(leader));
  isClosed = true;
  for (const send of waiting) send();
  // Written by the shell alone: the signal ends programs that it would start.
  const code = (): string =>
    existsSync(join(folder, "code")) ? readFileSync(join(folder, "code"), "utf8") : "";
  await until(() => code() !== "");
  await server.close();
  return { sent: server.received.length, exitCode: code().trim() };
}

describe.skipIf(noTerminalReason !== null || !hasBash)("a terminal that is closed", () => {
  test("does not end a job that nohup starts", async () => {
    expect(await closeTerminal("bash", `nohup ${grantctl} < ids > out 2> err`)).toEqual({
      sent: 4,
      exitCode: "0",
    });
  });

  test("stops any other job", async () => {
    expect(await closeTerminal("sh", `${grantctl} < ids > out 2> err`)).toMatchObject({ exitCode: "129" });
  });

  test("ends a question by the signal", async () => {
    const line = `${run} authorization create > out 2> err`;
    expect(await closeTerminal("sh", line)).toEqual({ sent: 0, exitCode: "129" });
  });
});
