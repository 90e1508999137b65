// Only output longer than the window goes through a pager.
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { program } from "../support/binary.ts";
import { startRecordingServer } from "../support/recording-server.ts";
import { grantJson } from "../support/resources.ts";
import { makeFolder } from "../support/state-folder.ts";
import { expectGivenBack, noTerminalReason, runOnTerminal } from "../support/terminal.ts";
import { runMain, type World } from "../support/test-host.ts";

const thirty = Array.from({ length: 30 }, (_, index) => grantJson({ id: index + 1 }));

/** Runs a command on a 10-line terminal with a pager that writes a file (content null if it was not started). */
async function paged(
  words: readonly string[],
  world: Omit<World, "argv"> = {},
): Promise<{
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
  readonly inPager: string | null;
}> {
  const server = await startRecordingServer(() => ({ status: 200, body: thirty }));
  const file = join(makeFolder(), "shown");
  const environment = { ...server.environment, NO_COLOR: "1", GRANTCTL_PAGER: `dd of=${file} status=none` };
  const run = await runMain(words, {
    columns: 100,
    rows: 10,
    ...world,
    environment: { ...environment, ...world.environment },
  });
  return { ...run, inPager: existsSync(file) ? readFileSync(file, "utf8") : null };
}

describe("a pager", () => {
  test("shows a list that is longer than the window, followed by the count on standard error", async () => {
    const run = await paged(["grant", "list"]);
    expect([run.code, run.stdout, run.stderr]).toEqual([0, "", "30 grants\n"]);
    expect(run.inPager?.split("\n")).toHaveLength(32);
  });

  test.each([
    ["a list that fits", ["grant", "list", "--limit", "5"], {}],
    ["the pager cat", ["grant", "list"], { environment: { GRANTCTL_PAGER: "cat" } }],
    ["a dumb terminal", ["grant", "list"], { environment: { TERM: "dumb" } }],
    ["a pipe", ["grant", "list"], { columns: null }],
  ] as const)("is not used for %s", async (_, words, world) => {
    const run = await paged(words, world);
    expect([run.code, run.inPager]).toEqual([0, null]);
    expect(run.stdout).not.toBe("");
  });

  test("that cannot be started loses nothing", async () => {
    const run = await paged(["grant", "list"], { environment: { GRANTCTL_PAGER: "/nonexistent/pager" } });
    expect([run.code, run.stdout.split("\n").length]).toEqual([0, 32]);
  });

  test("that is quit early ends the list without an error, as a closed pipe does", async () => {
    const run = await paged(["grant", "list"], { environment: { GRANTCTL_PAGER: "true" } });
    expect([run.code, run.stdout]).toEqual([0, ""]);
  });

  test.each([
    ["without a locale", {}, "utf-8"],
    ["with the user's own choice", { LESSCHARSET: "latin1" }, "latin1"],
  ])("less shows UTF-8 %s", async (_, childEnvironment, expected) => {
    const file = join(makeFolder(), "charset");
    const pager = `sh -c 'printenv LESSCHARSET > ${file}; cat > ${file}.text'`;
    await paged(["grant", "list"], { environment: { GRANTCTL_PAGER: pager }, childEnvironment });
    expect(readFileSync(file, "utf8")).toBe(`${expected}\n`);
  });

  test("shows long help, but not short help", async () => {
    const long = await paged(["help", "security"]);
    expect([long.code, long.stdout, long.stderr]).toEqual([0, "", ""]);
    expect(long.inPager).toContain("DESTINATIONS");
    expect((await paged(["--help"], { rows: 24 })).inPager).toBeNull();
  });

  test.skipIf(noTerminalReason !== null)("reads keys from a real terminal, and restores it", async () => {
    const screen = await runOnTerminal(
      `${process.execPath} ${program} help security`,
      [{ when: /SOURCES OF SECRETS/, type: "q" }],
      { PATH: process.env["PATH"] ?? "", HOME: tmpdir(), GRANTCTL_PAGER: "less -FRX" },
      80,
    );
    expect(screen.code).toBe(0);
    expect(screen.text).not.toContain("LIMITS");
    expectGivenBack(screen);
  });
});

test("a list that fits on a page has columns as wide as their content, followed by its count", async () => {
  const run = await paged(["grant", "list", "--limit", "3"]);
  expect(run.stdout).toMatch(/^ID {2}APP/);
  expect(run.stderr).toBe("the first 3 grants\n");
});
