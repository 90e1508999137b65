// Every command ends for any input and output: devices with endless data, folders in which nothing can be created,
// pipes without a writer. No request is sent.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openShell, type Shell } from "../support/shell.ts";

let shell: Shell;
beforeAll(async () => void (shell = await openShell()));
afterAll(() => shell.close());

test.each([
  ["grantctl token check --token-file /dev/zero", /\/dev\/zero: it is larger than 256 MiB/],
  ["grantctl api /user --input /dev/zero", /\/dev\/zero: it is larger than 256 MiB/],
  ["grantctl grant list --ca-cert /dev/zero", /\/dev\/zero: it is larger than 256 MiB/],
  ["grantctl audit --compare /dev/zero", /\/dev\/zero: it is larger than 256 MiB/],
  ["GRANTCTL_STATE_DIR=/dev/null/x grantctl authorization create --note n", /\/dev\/null\/x/],
  [
    "mkdir pipes && mkfifo pipes/config.json && GRANTCTL_CONFIG_DIR=$PWD/pipes grantctl grant list",
    /not a file/,
  ],
  [
    "mkdir locked && mkdir locked/config.json.lock && GRANTCTL_CONFIG_DIR=$PWD/locked grantctl config set username octavia",
    /cannot write .*config\.json/,
  ],
])("%s", async (command, message) => {
  // Without variables and other commands it needs no shell.
  const isPlain = command.startsWith("grantctl ");
  const run = isPlain ? shell.grantctl(...command.split(" ").slice(1)) : shell.run(command);
  expect(await run).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
});

test("a pipe from a command works like a file", async () => {
  const { code, stderr } = await shell.run(
    `mkfifo tokens; (printf '%040d\\n' 0 > tokens &) ; grantctl token check --token-file tokens`,
  );
  expect([code, stderr]).toEqual([9, expect.stringContaining("not found")]);
});
