// The pick list on a real terminal: search, selection, confirmation, cancellation, and the requests that are sent.
import displayWidth from "string-width";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { test as base } from "../support/grantctl.ts";
import { grantJson } from "../support/resources.ts";
import { on, plain, type Server } from "../support/serve.ts";
import { openShell, type Shell } from "../support/shell.ts";
import {
  expectGivenBack,
  noTerminalReason,
  runOnTerminal,
  type Screen,
  type Step,
} from "../support/terminal.ts";

const ctrlC = "\u0003";
const ctrlD = "\u0004";
const down = "\u001b[B";
const clearLine = "\u0015";
const up = "\u001b[A";
const home = "\u001b[H";
const end = "\u001b[F";
const list = /ctrl-c quits/;

const app = (name: string): object => ({ url: "https://a.test/", name, client_id: "0123456789abcdef0123" });
const grants = [
  grantJson({ id: 1, app: app("Harbour Deploy"), scopes: ["repo", "user"] }),
  grantJson({ id: 2, app: app("漢字ノート 漢字ノート 漢字ノート 漢字ノート"), scopes: ["gist"] }),
  grantJson({ id: 3, app: app("evil \u001b[2J\u001b]52;c;x\u0007\u202e name\nline"), scopes: ["repo"] }),
  grantJson({ id: "9007199254740993", app: app("Harbour Backup"), scopes: ["gist"] }),
];

/** An ID above 2^53 is a number too. */
const withLongId = (body: unknown): Response =>
  plain(200, JSON.stringify(body).replace('"9007199254740993"', "9007199254740993"), {
    "Content-Type": "application/json",
  });
const deletions = (server: Server): readonly string[] =>
  server.writes().map(({ method, path }) => `${method} ${path}`);

describe.skipIf(noTerminalReason !== null)(`a pick list${noTerminalReason ?? ""}`, () => {
  let shell: Shell;
  beforeAll(async () => void (shell = await openShell()));
  afterAll(() => shell.close());

  type Run = (line: string, steps: readonly Step[], columns?: number) => Promise<Screen>;
  /** `start` starts a service with grants, on which any ID can be deleted. */
  const test = base.extend<{ start: (served?: typeof grants) => Promise<Server & { readonly run: Run }> }>({
    start: async ({ serve, environment }, use) =>
      use(async (served = grants) => {
        const server = await serve(
          on("GET /applications/grants", withLongId(served)),
          on("GET /applications/grants/:id", ({ path }) =>
            withLongId(served.find(({ id }) => path.endsWith(`/${String(id)}`))),
          ),
          on("DELETE /*", plain(204)),
        );
        const all = { ...shell.environment, ...environment };
        return { ...server, run: (line, steps, columns = 120) => runOnTerminal(line, steps, all, columns) };
      }),
  });

  test("in the sandbox, deletes only the selected items of a search", async () => {
    const listed = ["authorization", "list", "--format", "csv", "--json", "note"];
    for (const note of ["pick-me one", "pick-me two", "pick-me three"])
      await shell.grantctl("authorization", "create", "--note", note, "--scope", "repo");
    const before = await shell.grantctl(...listed);
    const screen = await runOnTerminal(
      "exec grantctl authorization delete",
      [
        { when: list, type: "THREE,pick-me" },
        { when: /0 of \d+ selected: press Tab first, 1 found/, type: `\t${clearLine}` },
        // The current row stays when the search is cleared.
        { when: /\n> \[x\] \d+ +pick-me three[^]*1 of \d+ selected\n/, type: "pick two" },
        { when: /1 of \d+ selected, 1 found/, type: "\t" },
        { when: /2 of \d+ selected, 1 found/, type: "\r" },
        {
          when: /Delete 2 authorizations \(\d+ "pick-me two", \d+ "pick-me three"\) at\s+http.*\s+and\s+revoke\s+their\s+tokens\?/s,
          type: "y\r",
        },
      ],
      shell.environment,
    );
    expect(screen.code).toBe(0);
    expect(screen.text).toMatch(/> \[ \] \d+ +pick-me two +repo +[0-9a-f]{8} +\S+\n/);
    expect(screen.text).toMatch(/\? Select authorizations to delete 2 of \d+ selected\n/);
    expectGivenBack(screen);
    const after = await shell.grantctl(...listed);
    expect(after.stdout).toBe(before.stdout.replace("pick-me two\r\n", "").replace("pick-me three\r\n", ""));
  });

  test("prompts on the terminal if both standard streams are pipes; IDs keep all digits", async ({
    start,
  }) => {
    const server = await start();
    const screen = await server.run("echo 1 | grantctl grant delete | cat > out.txt; cat out.txt; exit", [
      { when: list, type: "harbour\u0001\r" },
      { when: /Delete 2 grants/, type: "y\r" },
    ]);
    expect(deletions(server).toSorted()).toEqual([
      "DELETE /applications/grants/1",
      "DELETE /applications/grants/9007199254740993",
    ]);
    expect(screen.text).toContain("deleted\t1\ndeleted\t9007199254740993\n");
  });

  test.for([ctrlC, ctrlD])("%j closes the list and deletes nothing", async (key, { start }) => {
    const server = await start();
    const screen = await server.run("exec grantctl grant delete", [{ when: list, type: ` har ${key}` }]);
    expect(screen.code).toBe(130);
    expect(screen.text).toContain("grantctl: cancelled: nothing was changed\n");
    expect(deletions(server)).toEqual([]);
    expectGivenBack(screen);
  });

  test("SIGTERM leaves the terminal as it was", async ({ start }) => {
    const server = await start();
    const screen = await server.run("exec grantctl grant delete", [{ when: list, signal: "SIGTERM" }]);
    expect(screen.code).toBe(143);
    expectGivenBack(screen);
    // The rows are cleared, and the shell continues below the question.
    expect(screen.raw).toMatch(/\r\n\u001b\[J(?:Terminated\r\n)?\[ended/);
  });

  test("shows IDs and titles; an ID must be typed in full; titles stay when rows scroll", async ({
    start,
  }) => {
    const server = await start();
    const screen = await server.run(
      "stty rows 6 < /dev/tty; exec grantctl grant delete --dry-run --format tsv",
      [
        {
          when: /\n +ID +APP +SCOPES +CREATED +UPDATED\n> \[ \] 1 +Harbour Deploy +repo,user +\S+ +\S+\n0 of 4/,
          type: `${up} ${end}`,
        },
        { when: /\n +ID +APP.*\n> \[ \] 9007199254740993 +Harbour Backup.*\n1 of 4/, type: ` ${home}` },
        { when: /\n> \[x\] 1 .*\n2 of 4 selected/, type: ` ${down}0071992${home}9` },
        { when: /\n> \[x\] 9007.*\n1 of 4 selected, 1 found\ntab selects/, type: "\r" },
      ],
    );
    expect(screen.text).toContain("would-change\t9007199254740993\n");
    expect(screen.text).not.toContain("would-change\t1\n");
  });

  test("in 60 columns every row fits on one line with its full ID", async ({ start }) => {
    const columns = 60;
    const server = await start();
    const screen = await server.run(
      "exec grantctl grant delete",
      [{ when: /tab selects/, type: `${down}${ctrlC}` }],
      columns,
    );
    const lines = screen.text.split("\n");
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^ {6}ID {16}APP +SCOPES +UPDATED$/),
        expect.stringMatching(/^tab selects, enter continues, ctrl-c quits/),
      ]),
    );
    const rows = lines.filter((line) => /^[> ] \[ \] /.test(line));
    const shown = rows.slice(0, 4).map((row) => /^\d+/.exec(row.slice(6))?.[0]);
    expect(shown).toEqual("1 2 3 9007199254740993".split(" "));
    for (const row of rows) expect(displayWidth(row)).toBeLessThan(columns);
    expect(screen.raw).not.toContain("\u202e");
    expectGivenBack(screen);
  });

  test("a space is part of the search, and all 12 selected items are visible and deleted", async ({
    start,
  }) => {
    const many = Array.from({ length: 40 }, (_, index) =>
      grantJson({ id: 100 + index, app: app(index === 2 ? "Tidewatch CI" : `Application ${index}`) }),
    );
    const server = await start(many);
    const screen = await server.run("exec grantctl grant delete", [
      { when: list, type: `tidewatch ci` },
      { when: /0 of 40 selected.*1 found/, type: `${clearLine}application 3${clearLine}application,3` },
      { when: /0 of 40 selected: press Tab first, \d+ found/, type: "\u0001\r" },
      {
        when: /Delete \d+ grants \(\d+\s"Application 3", .*,\s+and\s+\d\s+more\)[^]*Type\s+13\s+to\s+confirm:/s,
        type: "13\r",
      },
    ]);
    expect(screen.code).toBe(0);
    const meant = [...many.keys()].filter((index) => index !== 2 && `${100 + index}`.includes("3"));
    expect(deletions(server)).toHaveLength(meant.length);
    expect(screen.text).not.toContain("Tidewatch CI is");
  });

  test("a view without an ID offers the list, and enter selects a row", async ({ start }) => {
    const server = await start();
    const screen = await server.run("exec grantctl grant view --json id", [
      { when: /Select a grant to view[^]*type to search/, type: "backup\r" },
    ]);
    expect(screen.code).toBe(0);
    expect(screen.text).toContain('"id": 9007199254740993');
    expect(screen.text).toContain("? Select a grant to view 9007199254740993 Harbour Backup gist\n");
    expectGivenBack(screen);
  });
});
