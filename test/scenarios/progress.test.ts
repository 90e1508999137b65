// Progress on a real terminal: its display during long operations, and that it is removed at the end.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { test as base } from "../support/grantctl.ts";
import { grantJson } from "../support/resources.ts";
import { screenOf } from "../support/screen.ts";
import { json, on, plain, type ServedRequest } from "../support/serve.ts";
import { openShell, type Shell } from "../support/shell.ts";
import { noTerminalReason, runOnTerminal, type Screen, type Step } from "../support/terminal.ts";

/** A slow deletion, and a list of a hundred pages. */
const slow = async ({ method, path }: ServedRequest): Promise<Response> => {
  await sleep(100);
  if (method !== "GET") return plain(204);
  const page = Number(/[?&]page=(\d+)/.exec(path)?.[1] ?? "1");
  const link = [page + 1, 100].map(
    (other, index) => `<http://x.test/?page=${other}>; rel="${index === 0 ? "next" : "last"}"`,
  );
  return json(200, [grantJson({ id: page })], { link: link.join(", ") });
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

  type Variables = Readonly<Record<string, string>>;
  type Run = (line: string, steps?: readonly Step[], more?: Variables) => Promise<Screen>;
  const test = base.extend<{ run: Run }>({
    run: async ({ environment, folder }, use) =>
      use((line, steps = [], more = {}) => {
        const state = { GRANTCTL_STATE_DIR: join(folder, "state"), NO_COLOR: "1" };
        return runOnTerminal(line, steps, { ...shell.environment, ...environment, ...state, ...more }, 80);
      }),
  });
  const ids = Array.from({ length: 30 }, (_, index) => String(index + 1));
  /** The last line of a job on a terminal. */
  const totals = "30 deleted";
  const job = `exec grantctl grant delete ${ids.join(" ")} --yes --concurrency 2`;

  test("a job shows its counts and waits below its lines, and only the lines at the end", async ({
    serve,
    run,
  }) => {
    const wait = plain(429, "", { "retry-after": "2" });
    // Names are read first, and only the deletion must wait.
    await serve(on("DELETE /*/20", wait, slow), on("ALL /*", slow));
    const screen = await run(job, [
      { when: /\d+ of 30/ },
      { when: /\d+ of 30 {2}waiting [12] s for the server/ },
    ]);
    expect(screen.code).toBe(0);
    const cells = linesOf(screen).map((line) => line.split(/ {2,}/).slice(0, 2).join("|"));
    expect(cells).toEqual(["STATUS|ID", ...ids.map((id) => `deleted|${id}`), totals]);
  });

  test("a resumed job counts on from what its record has, even if the input is only the rest", async ({
    serve,
    run,
  }) => {
    await serve(
      on("GET /*", slow),
      on("DELETE /*", (request, position) => (position === 10 ? plain(401) : slow(request))),
    );
    const first = await run(job);
    expect(first.code).not.toBe(0);
    const [, id = "none"] = /--resume\s(\d{8}-\d{6}-\w+)/.exec(first.text) ?? [];
    const deleted = new Set(linesOf(first).map((line) => /^deleted +(\d+)/.exec(line)?.[1]));
    const rest = ids.filter((each) => !deleted.has(each));
    const resumed = `exec grantctl grant delete ${rest.join(" ")} --yes --concurrency 1 --resume ${id}`;
    const screen = await run(resumed, [{ when: /[12]\d of 30/ }]);
    expect([rest.length < 25, screen.code]).toEqual([true, 0]);
  });

  test("a list to a file shows the number of pages", async ({ serve, run }) => {
    await serve(on("ALL /*", slow));
    const screen = await run("exec grantctl grant list --concurrency 2 > out.txt", [
      { when: /page \d+ of 100/, signal: "SIGTERM" },
    ]);
    expect(screen.code).toBe(143);
    expect(linesOf(screen)).toEqual(["Terminated"]);
  });

  test("warnings and errors are on separate lines", async ({ serve, run }) => {
    let isSignalled = false;
    await serve(
      on("ALL /*", async (request, position) => {
        if (position < 15) return slow(request);
        await expect.poll(() => isSignalled).toBe(true);
        return plain(401);
      }),
    );
    const screen = await run(`${job} > /dev/null`, [
      { when: /\d+ of 30/, act: () => void (isSignalled = true), signal: "SIGINT" },
    ]);
    const [first, ...others] = linesOf(screen);
    expect(first).toMatch(/^warning: waiting for the requests in flight; interrupt again to abandon them/);
    expect(others).toContainEqual(expect.stringMatching(/^grantctl: \d+ deleted, \d+ not tried/));
    expect(screen.code).toBe(130);
  });

  test.for([
    ["--quiet > /dev/null", {}, []],
    ["> /dev/null", { TERM: "dumb" }, [totals]],
    // What reads the pipe may print on the terminal.
    ["| cat > /dev/null", {}, [totals]],
  ] as const)("with %j and %j there is no progress", async ([flags, variables, lines], { serve, run }) => {
    await serve(on("ALL /*", slow));
    const screen = await run(`${job} ${flags}`, [], variables);
    expect(screen.code).toBe(0);
    expect(linesOf(screen)).toEqual(lines);
    expect(screen.text).not.toContain("of 30");
  });
});
