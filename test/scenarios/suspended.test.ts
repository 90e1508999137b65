// Ctrl-Z and `fg` on a real terminal, at every type of prompt and without one: the terminal is restored for the shell,
// and the program continues where it stopped.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startRecordingServer } from "../support/recording-server.ts";
import { openShell, type Shell } from "../support/shell.ts";
import {
  expectCooked,
  noTerminalReason,
  runOnTerminal,
  type Screen,
  type Step,
} from "../support/terminal.ts";

const ctrlZ = "\u001a";
/** As reported by a shell: 128 plus the number of SIGTSTP. */
const stopped = "[stopped 148]";

/** Stops twice at a prompt, the first time after typing, and then answers. */
const stopTwice = (question: string, typed: string, answer: string): readonly Step[] => {
  const again = new RegExp(`\\[continued\\].*${question}`, "s");
  return [
    { when: new RegExp(question), type: typed + ctrlZ },
    { when: again, type: ctrlZ },
    { when: again, type: `${answer}\r` },
  ];
};

describe.skipIf(noTerminalReason !== null)(`stopped and continued${noTerminalReason ?? ""}`, () => {
  let shell: Shell;
  let withCodes: Shell;
  beforeAll(async () => {
    [shell, withCodes] = await Promise.all([openShell(), openShell("--otp", "app")]);
  });
  afterAll(async () => {
    await Promise.all([shell.close(), withCodes.close()]);
  });

  /** Runs a line in a shell with job control, which continues it twice. */
  const run = async (
    line: string,
    steps: readonly Step[],
    variables: Readonly<Record<string, string>> = {},
    on: Shell = shell,
    pause = 0,
  ): Promise<Screen> => {
    const report = `echo "[stopped $?]"; stty -a; sleep ${pause}; echo "[continued]"`;
    const screen = await runOnTerminal(
      `set -m; ${line}; ${report}; fg; ${report}; fg; exit`,
      steps,
      { ...on.environment, ...variables },
      120,
    );
    const pauses = screen.text.split(stopped).slice(1);
    expect(pauses).toHaveLength(2);
    for (const paused of pauses) expectCooked(paused.split("[continued]")[0] ?? "");
    expectCooked(screen.settings);
    expect(screen.isCursorShown).toBe(true);
    return screen;
  };
  test("a confirmation is shown again, with all items from a pipe", async () => {
    const steps = stopTwice("Delete grant 1 ", "y", "");
    const screen = await run("echo 1 | grantctl grant delete - | cat", steps);
    expect(screen.text).toContain("grantctl: cancelled: nothing was deleted\n");
  });

  test("with TERM=dumb, plain prompts are shown again", async () => {
    const yesOrNo = await run(
      "echo 1 | grantctl grant delete - | cat",
      stopTwice("Delete grant 1 ", "", ""),
      {
        TERM: "dumb",
      },
    );
    expect(yesOrNo.text).toContain("grantctl: cancelled: nothing was deleted\n");
    const steps = stopTwice("Password of octavia", "half", shell.sandbox.description.password);
    const secret = await run("grantctl grant list --json id", steps, { GRANTCTL_PASSWORD: "", TERM: "dumb" });
    expect(secret.text).toMatch(/"id": \d+/);
    expect(secret.text).not.toContain("half");
  });

  test("a password prompt is shown again, and discards earlier input", async () => {
    const steps = stopTwice("Password of octavia", "half", shell.sandbox.description.password);
    const screen = await run("grantctl grant list --json id", steps, { GRANTCTL_PASSWORD: "" });
    expect(screen.code).toBe(0);
    expect(screen.text).toMatch(/"id": \d+/);
  });

  test("a one-time password prompt is shown again, and stopping is not an attempt", async () => {
    const { stdout: code } = await withCodes.run("$GRANTCTL_OTP_COMMAND");
    const steps = stopTwice("One-time password of octavia", "000000", code.trim());
    const variables = { GRANTCTL_OTP_COMMAND: "" };
    const screen = await run("grantctl grant list --json id", steps, variables, withCodes);
    expect(screen.text).toMatch(/"id": \d+/);
    expect(screen.text).not.toContain("refused");
  });

  test("a pick list keeps selection, search and position", async () => {
    const screen = await run("grantctl grant delete --dry-run --format tsv", [
      { when: /ctrl-c quits/, type: ` ti\u001b[B${ctrlZ}` },
      {
        when: /\[continued\].*delete ti\n.*1 of 3 selected, 1 found/s,
        type: `\u0015a\u001b[B\u001b[C${ctrlZ}`,
      },
      { when: /\[continued\].*delete a\n.*> \[x\] 3 .*2 of 3 selected, 2 found/s, type: "\r" },
    ]);
    expect(screen.text).toContain("would-delete\t1\nwould-delete\t3\n");
  });

  test("a job continues with the responses that arrived while it was stopped, even beyond the request timeout", async () => {
    const server = await startRecordingServer(async () => {
      await new Promise((resolve) => {
        setTimeout(resolve, 200);
      });
      return { status: 204 };
    });
    // At least three seconds, or twice the duration of a complete run: no request takes so long unless it is stopped.
    const begun = performance.now();
    expect((await shell.run("grantctl grant list --limit 1")).code).toBe(0);
    const seconds = Math.max(3, Math.ceil((performance.now() - begun) / 500));
    const screen = await run(
      `grantctl grant delete 1 2 3 4 5 6 --yes --concurrency 1 --timeout ${seconds}`,
      [
        { when: /deleted +1\n/, type: ctrlZ },
        { when: /\[continued\].*deleted +\d\n/s, type: ctrlZ },
      ],
      server.environment,
      shell,
      seconds + 0.1,
    );
    expect(screen.code).toBe(0);
    // The names have already been read.
    expect(server.writes().map(({ method, path }) => `${method} ${path}`)).toEqual(
      Array.from({ length: 6 }, (_, index) => `DELETE /applications/grants/${index + 1}`),
    );
  });

  describe("in the background of the terminal", () => {
    const plain = { TERM: "dumb" };
    const noPassword = { GRANTCTL_PASSWORD: "" };

    test.each([
      ["a confirmation", "grant delete 1", "n", "Delete grant 1 ", {}],
      ["a plain confirmation", "grant delete 1", "n", "Delete grant 1 ", plain],
      ["a hidden password", "grant list", "x", "Password of octavia", noPassword],
      ["a plain hidden password", "grant list", "x", "Password of octavia", { ...noPassword, ...plain }],
    ])("%s waits until fg", async (_, words, answer, question, variables) => {
      const screen = await runOnTerminal(
        `set -m; (grantctl ${words}) & until grep -q '^State:.T' /proc/$!/status; do sleep 0.1; done; echo "[fg]"; fg; exit`,
        [{ when: new RegExp(String.raw`\[fg\].*${question}`, "s"), type: `${answer}\r` }],
        { ...shell.environment, ...variables },
        120,
      );
      expect(screen.text.split("[fg]")[0]).not.toContain(question);
      expect(screen.code).toBe(answer === "n" ? 2 : 3);
      expectCooked(screen.settings);
    });

    test.each([
      ["a confirmation", "grant delete 1", {}, 2],
      ["a plain confirmation", "grant delete 1", plain, 2],
      ["a hidden password", "grant list", noPassword, 4],
      ["a pick list", "grant delete", {}, 2],
    ])("without a shell to continue it, %s fails immediately", async (_, words, variables, code) => {
      const line = `(until ! kill -0 $parent; do sleep 0.1; done 2> /dev/null; grantctl ${words}; echo "[code $?]") > out 2>&1 &`;
      const screen = await runOnTerminal(
        `bash -c 'set -m; (parent=$BASHPID; ${line}); until grep -qs "^.code" out; do sleep 0.1; done'; cat out; rm out`,
        [],
        { ...shell.environment, ...variables },
      );
      expect(screen.text).toContain(`[code ${code}]\n`);
      expect(screen.text).not.toContain("bug");
      expectCooked(screen.settings);
    });
  });
});
