// `grantctl sandbox run`: runs a command with its own service, and exits with the command's exit code.
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { program, runBinary } from "../support/binary.ts";

const grantctl = `${process.execPath} ${program}`;

const isGone = /^the sandbox at http:\/\/127\.0\.0\.1:\d+ is gone\n$/;

test.each([
  [["sh", "-c", "exit 3"], 3],
  [["sh", "-c", "kill -TERM $$"], 143],
])("%j exits with %i, and the sandbox says that it is gone", async (words, code) => {
  const run = await runBinary(["sandbox", "run", "--", ...words]);
  expect(run).toEqual({ code, signal: null, stdout: "", stderr: expect.stringMatching(isGone) as string });
});

test("the command inherits standard streams, and grantctl works inside", async () => {
  const run = await runBinary(
    [
      "sandbox",
      "run",
      "--grants",
      "2",
      "--authorizations",
      "2",
      "--otp",
      "app",
      "--",
      "sh",
      "-c",
      `cat; ${grantctl} grant list --json id; echo e >&2`,
    ],
    { input: "from outside\n" },
  );
  expect(run.code).toBe(0);
  expect(run.stdout).toMatch(/^from outside\n\[\n\{"id":\d+\},\n\{"id":\d+\}\n\]\n$/);
  expect(run.stderr).toMatch(/^e\nthe sandbox at \S+ is gone\n$/);
});

test.each([
  ["SIGTERM", 143],

  ["SIGINT", 130],
] as const)("%s is forwarded to the command, which determines the exit code", async (signal, code) => {
  const child = spawn(
    process.execPath,
    [program, "sandbox", "run", "--", "sh", "-c", "echo ready; exec sleep 20"],
    {
      env: { PATH: process.env["PATH"] ?? "", HOME: tmpdir() },
      detached: true,
    },
  );
  child.stdout.once("data", () => child.kill(signal));
  const ended = await new Promise<number | null>((resolve) => {
    child.on("exit", (number) => {
      resolve(number);
    });
  });
  expect(ended).toBe(code);
});
