// On a real terminal: prompts, output, and that the terminal is always restored.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openShell, type Shell } from "../support/shell.ts";
import { inTurn } from "../support/soak.ts";
import {
  expectGivenBack,
  noTerminalReason,
  runOnTerminal,
  type Screen,
  type Step,
} from "../support/terminal.ts";
import { makeFolder } from "../support/state-folder.ts";

const secret = "hush-hush-7";

describe.skipIf(noTerminalReason !== null)(`on a terminal${noTerminalReason ?? ""}`, () => {
  let shell: Shell;
  let withCodes: Shell;
  beforeAll(
    async () => void ([shell, withCodes] = await Promise.all([openShell(), openShell({ otp: "app" })])),
  );
  afterAll(() => Promise.all([shell.close(), withCodes.close()]));

  const run = (
    line: string,
    steps: readonly Step[],
    variables: Readonly<Record<string, string>> = {},
    on: Shell = shell,
  ): Promise<Screen> => runOnTerminal(line, steps, { ...on.environment, ...variables });

  /** A valid one-time password. */
  const makeCode = async (): Promise<string> => {
    const { base_url } = withCodes.sandbox.description;
    return (await withCodes.grantctl("sandbox", "code", "--base-url", base_url)).stdout.trim();
  };

  test("neither the password nor its length is shown", async () => {
    const screen = await run("exec grantctl grant list", [{ when: /Password/, type: `${secret}\r` }], {
      GRANTCTL_PASSWORD: "",
    });
    expect(screen.code).toBe(3);
    expect(screen.text).not.toContain("hush");
    expect(screen.text).not.toMatch(/[*•]{3,}/);
  });

  test("a prompt appears on the terminal if both standard streams are pipes, and not in the pipes", async () => {
    const { password } = shell.sandbox.description;
    const screen = await run(
      "echo 999999 | grantctl grant delete - --yes --json 2>err.txt | cat > out.txt; cat out.txt err.txt; exit",
      [{ when: /Password/, type: `${password}\r` }],
      { GRANTCTL_PASSWORD: "" },
    );
    expect(screen.text).toContain('"status":"not-found"');
  });

  test("a one-time password prompt appears on the terminal if stdin and stdout are pipes", async () => {
    const code = await makeCode();
    const screen = await run(
      "cat /dev/null | grantctl grant list --json id | cat > out.txt; cat out.txt; exit",
      [{ when: /One-time password of octavia at http:.*authenticator app/, type: `${code}\r` }],
      { GRANTCTL_OTP_COMMAND: "" },
      withCodes,
    );
    expect(screen.text).toMatch(/\{"id":\d+\}/);
    expectGivenBack(screen);
  });

  test.each([
    [
      "a password",
      "grant list",
      /Password/,
      { GRANTCTL_PASSWORD: "" },
      4,
      "no password configured, and nothing was typed",
    ],
    ["a confirmation", "grant delete 1", /Delete grant 1/, {}, 130, "cancelled: nothing was changed"],
  ] as const)(
    "Ctrl-D at the prompt for %s cancels, even after typing",
    async (_, words, when, variables, code, message) => {
      for (const type of ["\u0004", "ye\u0004"]) {
        const screen = await run(`exec grantctl ${words}`, [{ when, type }], variables);
        expect(screen.code).toBe(code);
        expect(screen.text).toContain(`grantctl: ${message}\n`);
        expectGivenBack(screen);
      }
    },
  );

  test("recover forget asks before it deletes a token value", async () => {
    const environment = { GRANTCTL_STATE_DIR: makeFolder() };
    const made =
      "grantctl authorization create --note unsaved > /dev/full; grantctl recover list --jq '.[].id'";
    const { stdout } = await shell.run(made, { environment });
    const id = stdout.trim();
    const show = async (): Promise<number | null> =>
      (await shell.run(`grantctl recover show ${id}`, { environment })).code;
    const forget = `exec grantctl recover forget ${id}`;
    const question = new RegExp(`Delete ${id} with a token value, and revoke no token\\? \\(y/N\\)`);
    const kept = await run(forget, [{ when: question, type: "\r" }], environment);
    expect([kept.code, await show()]).toEqual([130, 0]);
    const deleted = await run(forget, [{ when: question, type: "y\r" }], environment);
    expect([deleted.code, await show()]).toEqual([0, 2]);
  });

  const questions = [
    ["a password", "exec grantctl grant list", /Password/, { GRANTCTL_PASSWORD: "" }],
    ["a user name", "exec grantctl grant list", /User name/, { GRANTCTL_USERNAME: "" }],
    ["a token", "exec grantctl token check", /Token at/, {}],
    [
      "a client secret",
      "echo x > t.txt; exec grantctl token check --token-file t.txt",
      /Client secret/,
      { GRANTCTL_CLIENT_SECRET: "" },
    ],
  ] as const;

  interface Stop {
    readonly by: string;
    readonly code: number;
    readonly step: Omit<Step, "when">;
  }
  const stops: readonly Stop[] = [
    { by: "Ctrl-C", code: 130, step: { type: "\u0003" } },
    { by: "SIGTERM", code: 143, step: { signal: "SIGTERM" } },
    { by: "SIGHUP", code: 129, step: { signal: "SIGHUP" } },
    { by: "SIGQUIT", code: 131, step: { signal: "SIGQUIT" } },
    { by: "SIGINT", code: 130, step: { signal: "SIGINT" } },
  ];

  test("a job in the background of the terminal fails in place of a prompt", async () => {
    const screen = await run("set -m; grantctl grant delete 1 & wait $!; echo code $?", []);
    expect(screen.text).not.toContain("Delete grant 1");
    expect(screen.text).toContain("code 2\n");
  });

  test.each(["SIGTERM", "SIGHUP"] as const)("%s at a prompt removes the output file", async (signal) => {
    const line = "exec grantctl authorization create --note asked --output-file asked.txt";
    const screen = await run(line, [{ when: /Password/, signal }], { GRANTCTL_PASSWORD: "" });
    expect(screen.code).toBe(signal === "SIGTERM" ? 143 : 129);
    const files = await shell.run("echo files: *");
    expect(files.stdout).toContain("files: ");
    expect(files.stdout).not.toContain("asked.txt");
  });

  describe.each(
    questions.map(([name, line, question, variables], row) => ({ name, line, question, variables, row })),
  )("stopped at the prompt for $name", ({ line, question, variables, row }) => {
    test.each(inTurn(stops, 3, row))(
      "by $by: exits with $code, silently, and restores the terminal",
      { tags: "soak" },
      async ({ code, step }) => {
        const screen = await run(`ulimit -c 0; ${line}`, [{ when: question, ...step }], variables);
        expect(screen.code).toBe(code);
        expect(screen.text).not.toContain("grantctl:");
        expectGivenBack(screen);
      },
    );
  });
});
