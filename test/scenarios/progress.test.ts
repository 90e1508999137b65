// Progress on a real terminal: its display during long operations, and that it is removed at the end.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startRecordingServer, type Answer, type RecordingServer } from "../support/recording-server.ts";
import { grantJson } from "../support/resources.ts";
import { screenOf } from "../support/screen.ts";
import { makeStateFolder } from "../support/state-folder.ts";
import { openShell, type Shell } from "../support/shell.ts";
import { noTerminalReason, runOnTerminal, type Screen, type Step } from "../support/terminal.ts";

/** A slow deletion, and a list of a hundred pages. */
const slow: Answer = async ({ method, path }) => {
  await sleep(100);
  if (method !== "GET") return { status: 204 };
  const page = Number(/[?&]page=(\d+)/.exec(path)?.[1] ?? "1");
  const link = [page + 1, 100].map(
    (other, index) => `<http://x.test/?page=${other}>; rel="${index === 0 ? "next" : "last"}"`,
  );
  return { status: 200, body: [grantJson({ id: page })], headers: { link: link.join(", ") } };
};

/** The lines that remain on the screen. */
const linesOf = ({ raw }: Screen): readonly string[] => {
  const lines = screenOf(raw);
  return lines.slice(
    1,
    lines.findIndex((line) => line.startsWith("[ended")),
  );
};

describe.skipIf(noTerminalReason !== null)(`progress${noTerminalReason ?? ""}`, () => {
  let shell: Shell;
  beforeAll(async () => void (shell = await openShell()));
  afterAll(() => shell.close());

  const run = (
    server: RecordingServer,
    line: string,
    steps: readonly Step[] = [],
    more: Readonly<Record<string, string>> = {},
  ): Promise<Screen> => {
    const { PATH = "", HOME = "" } = shell.environment;
    const { environment: state } = makeStateFolder();
    const environment = { ...server.environment, PATH, HOME, ...state, NO_COLOR: "1", ...more };
    return runOnTerminal(line, steps, environment, 80);
  };
  const ids = Array.from({ length: 30 }, (_, index) => String(index + 1));
  /** The last line of a job on a terminal. */
  const totals = "30 deleted";
  const job = `exec grantctl grant delete ${ids.join(" ")} --yes --concurrency 2`;

  test("a job shows its counts and waits below its lines, and only the lines at the end", async () => {
    let refusals = 0;
    const server = await startRecordingServer((request, position) => {
      // Names are read first, and only the deletion must wait.
      if (request.method === "DELETE" && request.path.endsWith("/20") && refusals === 0) {
        refusals += 1;
        return { status: 429, headers: { "retry-after": "2" } };
      }
      return slow(request, position);
    });
    const screen = await run(server, job, [
      { when: /\d+ of 30/ },
      { when: /\d+ of 30 {2}waiting [12] s for the server/ },
    ]);
    expect(screen.code).toBe(0);
    const cells = linesOf(screen).map((line) => line.split(/ {2,}/).slice(0, 2).join("|"));
    expect(cells).toEqual(["STATUS|ID", ...ids.map((id) => `deleted|${id}`), totals]);
  });

  test("a resumed job counts on from what its record has, even if the input is only the rest", async () => {
    let deletions = 0;
    const server = await startRecordingServer((request, position) => {
      if (request.method === "DELETE") deletions += 1;
      return deletions === 11 ? { status: 401 } : slow(request, position);
    });
    const { environment: state } = makeStateFolder();
    const first = await run(server, job, [], state);
    expect(first.code).not.toBe(0);
    const [, id = "none"] = /--resume\s(\d{8}-\d{6}-\w+)/.exec(first.text) ?? [];
    const deleted = new Set(linesOf(first).map((line) => /^deleted +(\d+)/.exec(line)?.[1]));
    const rest = ids.filter((each) => !deleted.has(each));
    const resumed = `exec grantctl grant delete ${rest.join(" ")} --yes --concurrency 1 --resume ${id}`;
    const screen = await run(server, resumed, [{ when: /[12]\d of 30/ }], state);
    expect([rest.length < 25, screen.code]).toEqual([true, 0]);
  });

  test("a list to a file shows the number of pages", async () => {
    const server = await startRecordingServer(slow);
    const screen = await run(server, "exec grantctl grant list --concurrency 2 > out.txt", [
      { when: /page \d+ of 100/, signal: "SIGTERM" },
    ]);
    expect(screen.code).toBe(143);
    expect(linesOf(screen)).toEqual(["Terminated"]);
  });

  test("warnings and errors are on separate lines", async () => {
    let isSignalled = false;
    const server = await startRecordingServer(async (request, position) => {
      if (position < 15) return slow(request, position);
      await expect.poll(() => isSignalled).toBe(true);
      return { status: 401 };
    });
    const screen = await run(server, `${job} > /dev/null`, [
      { when: /\d+ of 30/, act: () => void (isSignalled = true), signal: "SIGINT" },
    ]);
    const [first, ...others] = linesOf(screen);
    expect(first).toMatch(/^warning: waiting for the requests in flight; interrupt again to abandon them/);
    expect(others).toContainEqual(expect.stringMatching(/^grantctl: \d+ deleted, \d+ not tried/));
    expect(screen.code).toBe(130);
  });

  test.each([
    ["--quiet > /dev/null", {}, []],
    ["> /dev/null", { TERM: "dumb" }, [totals]],
    // What reads the pipe may print on the terminal.
    ["| cat > /dev/null", {}, [totals]],
  ])("with %j and %j there is no progress", async (flags, variables, lines) => {
    const server = await startRecordingServer(slow);
    const screen = await run(server, `${job} ${flags}`, [], variables);
    expect(screen.code).toBe(0);
    expect(linesOf(screen)).toEqual(lines);
    expect(screen.text).not.toContain("of 30");
  });
});
