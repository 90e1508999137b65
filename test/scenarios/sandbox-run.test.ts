// `grantctl sandbox run`: signals go to its command. The rest is in scripts (sandbox.txt).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { program } from "../support/binary.ts";

test.each([
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const)("%s is forwarded to the command, which determines the exit code", async (signal, code) => {
  const words = [program, "sandbox", "run", "--", "sh", "-c", "echo ready; exec sleep 20"];
  const env = { PATH: process.env["PATH"] ?? "", HOME: tmpdir() };
  const child = spawn(process.execPath, words, { env, detached: true });
  child.stdout.once("data", () => child.kill(signal));
  expect((await once(child, "exit"))[0]).toBe(code);
});
