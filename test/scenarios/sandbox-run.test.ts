// `grantctl sandbox run`: a command with a service of its own, and the command's own end as the result.
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { program, runBinary, runProgram } from "../support/binary.ts";

const grantctl = `${process.execPath} ${program}`;

test.each([
  [["sh", "-c", "exit 3"], 3],

  [["sh", "-c", "kill -TERM $$"], 143],
])("%j ends with %i, and in silence", async (words, code) => {
  const run = await runBinary(["sandbox", "run", "--", ...words]);
  expect(run).toEqual({ code, signal: null, stdout: "", stderr: "" });
});

test("a folder for temporary files that cannot be used exits with 2, and nothing is left running", async () => {
  const run = await runBinary(["sandbox", "run", "--", "true"], { environment: { TMPDIR: "/dev/null" } });
  expect(run).toMatchObject({ code: 2, stdout: "" });
  expect(run.stderr).toBe(
    "grantctl: the folder for temporary files /dev/null cannot be used (ENOTDIR)\n" +
      "hint: Set TMPDIR to a directory of yours.\n",
  );
});

test("a relative folder for temporary files is one that grantctl takes inside", async () => {
  const run = await runBinary(["sandbox", "run", "--", process.execPath, program, "config", "path"], {
    environment: { TMPDIR: "." },
    folder: mkdtempSync(join(tmpdir(), "grantctl-")),
  });
  expect(run).toMatchObject({ code: 0, stderr: "" });
  expect(run.stdout).toMatch(/^\/.+\/config\.json\n$/);
});

test("standard streams are the command's own, and grantctl works inside", async () => {
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
  expect(run.stderr).toBe("e\n");
});

test("flags behind -- are the command's", async () => {
  const run = await runBinary([
    "sandbox",
    "run",
    "--",
    process.execPath,
    "-e",
    "console.log(process.argv.slice(1))",
    "--",
    "--json",
    "--help",
  ]);
  expect(run.code).toBe(0);
  expect(run.stdout).toContain("--json");
});

test.each([
  ["SIGTERM", 143],

  ["SIGINT", 130],
] as const)("%s is passed on to the command, whose end decides", async (signal, code) => {
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

test.each([["--json"], [""]])("a start %s that cannot say where it listens exits with 2", async (flag) => {
  const command = `"${process.execPath}" "${program}" sandbox start ${flag} > /dev/full`;
  const run = await runProgram("sh", ["-c", command]);
  expect(run).toMatchObject({ code: 2, stdout: "" });
});
