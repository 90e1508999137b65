// `grantctl sandbox start`: its output, rejected flags, and shutdown.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { program, runBinary } from "../../support/binary.ts";
import { runMain } from "../../support/test-host.ts";

/** Starts `grantctl sandbox start --json` with these flags, and waits for its description. */
async function start(...flags: readonly string[]) {
  const child = spawn(process.execPath, [program, "sandbox", "start", "--json", ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = once(child, "exit");
  const [line] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  return {
    description: JSON.parse(line) as Sandbox["description"],
    stderr: () => stderr,
    /** Stops the sandbox; resolves with exit code and signal. */
    stop(signal: NodeJS.Signals) {
      child.kill(signal);
      return ended;
    },
  };
}

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("exits on %s with %i and releases the port", async (signal, code) => {
  const sandbox = await start();
  await expect(sandbox.stop(signal)).resolves.toEqual([code, null]);
  expect(sandbox.stderr()).toBe("");
  await expect(fetch(sandbox.description.base_url)).rejects.toThrow("fetch failed");
});

test("exits with 2 and a one-line message if the port is in use", async () => {
  const { description } = await start();
  const port = new URL(description.base_url).port;
  const run = await runBinary(["sandbox", "start", "--port", port, "--json"]);
  expect([run.code, run.stdout]).toEqual([2, ""]);
  expect(JSON.parse(run.stderr)).toMatchObject({ error: { class: "usage", exit_code: 2 } });
});

test.each([
  ["--port", "70000"],
  ["--port", "-1"],
  ["--otp", "fax"],
  ["--github-com"],
  ["--grants", "3", "--authorizations", "2"],
])("%j %j exits with 2, and so does run", async (...flags) => {
  for (const words of [["start"], ["run", "--", "true"]]) {
    const [verb = "", ...rest] = words;
    const run = await runMain(["sandbox", verb, ...flags, ...rest]);
    expect([run.code, run.stdout]).toEqual([2, ""]);
    expect(run.stderr).toMatch(/^grantctl: [^\n]+\n(hint: [^\n]+\n)?$/);
  }
});
