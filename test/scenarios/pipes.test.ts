// Standard streams with problems: readers that close the pipe, full disks, closed streams.
import { spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { program } from "../support/binary.ts";
import { openShell, type Shell } from "../support/shell.ts";

/** A small account, which suffices for most of these tests. */
let shell: Shell;
beforeAll(async () => void (shell = await openShell({ grants: 1, authorizations: 30 })));
afterAll(() => shell.close());

test("a list of three thousand items whose reader leaves ends quietly with 0", async () => {
  const large = await openShell({ grants: 1, authorizations: 3000 });
  onTestFinished(() => large.close());
  const { code, stdout, stderr } = await large.run(
    `grantctl authorization list --format ndjson | head -1; echo "\${PIPESTATUS[0]}"`,
  );
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.split("\n")).toHaveLength(3);
  expect(stdout.endsWith("\n0\n")).toBe(true);
});

describe("a closed pipe", () => {
  /** Opens a pipe whose reading end is closed. */
  const unread = "mkfifo pipe; exec 4<>pipe 5>pipe 4<&-; rm pipe";
  const dead = "0123456789".repeat(4);

  test.each([
    ["grant list", "", 0],
    ["token check", `${dead}\n${"1".repeat(40)}\n`, 9],
    ["sandbox tokens --count 3 | grantctl token check --concurrency 1", "", 9],
    ["audit --fail-on no-note", "", 14],
    ["authorization get-or-create --json", "", 10],
    ["api -X DELETE /authorizations/999999 --auth basic --include", "", 3],
    ["api graphql -f query='{ nobody }'", "", 1],
  ])("does not change the exit code of %s", async (words, input, code) => {
    const run = await shell.run(`${unread}; grantctl ${words} >&5`, { input });
    expect([run.code, /^grantctl: /m.test(run.stderr)]).toEqual([code, [1, 3, 9, 14].includes(code)]);
  });

  test.each([">&5", "> /dev/full"])("does not hide that a change may have been made (%s)", async (where) => {
    const failing = "grantctl sandbox run --fault status=500:1 -- grantctl api -X POST /authorizations";
    expect((await shell.run(`${unread}; ${failing} ${where}`)).code).toBe(13);
  });
});

describe("without a terminal, no command waits for input, even if standard input stays open", () => {
  test.each([
    [["grant", "delete", "999999"], {}, 2],
    [["grant", "list"], { GRANTCTL_PASSWORD: "" }, 4],
    [["sandbox", "run", "--", "true"], {}, 0],
  ] as const)("%j with %j ends with %i", async (words, variables, code) => {
    const child = spawn(process.execPath, [program, ...words], {
      env: { ...shell.environment, ...variables },
      stdio: ["pipe", "pipe", "ignore"],
      detached: true,
    });
    child.stdout.resume();
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = await new Promise((resolve) => {
      child.on("exit", (number, signal) => {
        resolve(signal ?? number);
      });
    });
    expect(ended).toBe(code);
  });
});
