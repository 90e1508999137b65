// `grantctl audit`: what it reads, tells and writes, and how it ends.
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startRecordingServer, type RecordingServer } from "../../support/recording-server.ts";
import { authorizationJson, grantJson } from "../../support/resources.ts";
import { makeFolder } from "../../support/state-folder.ts";
import { runMain } from "../../support/test-host.ts";

type Fields = Readonly<Record<string, unknown>>;

const now = (): number => Date.parse("2025-03-01T00:00:00Z");

/** A service with these grants and authorizations, which may be changed meanwhile. */
async function serve(world: {
  grants: readonly Fields[];
  authorizations: readonly Fields[];
}): Promise<RecordingServer> {
  return startRecordingServer(({ path }) => ({
    status: 200,
    body: path.includes("/applications/grants") ? world.grants : world.authorizations,
  }));
}

const usual = {
  grants: [
    grantJson(),
    grantJson({
      id: 7,
      scopes: ["admin:org"],
      app: { name: "Quill", client_id: "b".repeat(20), url: "" },
    }),
  ],
  authorizations: [
    authorizationJson({ id: 1 }),
    authorizationJson({
      id: 2,
      note: null,
      created_at: "2025-02-20T00:00:00Z",
      updated_at: "2025-02-20T00:00:00Z",
    }),
  ],
};

async function audit(
  server: RecordingServer,
  ...words: readonly string[]
): Promise<{
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}> {
  return runMain(["audit", ...words], { environment: server.environment, now });
}

interface Document {
  readonly findings: readonly {
    readonly rule: string;
    readonly resource: string;
    readonly id: number;
    readonly measure: string;
    readonly command: string;
  }[];
  readonly changes: readonly {
    readonly change: string;
    readonly resource: string;
    readonly id: number;
  }[];
  readonly summary: Fields;
}

async function auditJson(server: RecordingServer, ...words: readonly string[]): Promise<Document> {
  const run = await audit(server, "--json", ...words);
  return JSON.parse(run.stdout) as Document;
}

test("reads both lists with reads alone, and passes the service's data on as it came", async () => {
  const server = await serve(usual);
  const { code, stdout, stderr } = await audit(server, "--json");
  expect([code, stderr]).toEqual([0, ""]);
  expect(server.lines()).toEqual([
    "GET /applications/grants?per_page=100",
    "GET /authorizations?per_page=100",
  ]);
  const document = JSON.parse(stdout) as Fields;
  expect(document).toMatchObject({
    account: "octavia",
    base_url: server.root,
    operator: "service",
    changes: [],
    grants: usual.grants,
    authorizations: usual.authorizations,
  });
  expect(Object.keys(document)).toEqual(
    expect.arrayContaining([
      "account",
      "base_url",
      "operator",
      "summary",
      "findings",
      "changes",
      "grants",
      "authorizations",
    ]),
  );
});

test("a number beyond 2^53 keeps every digit, in each format", async () => {
  const id = "90071992547409931234";
  const body = JSON.stringify([grantJson({ id: 5, created_at: "2001-01-01T00:00:00Z" })]).replace(
    '"id":5',
    `"id":${id}`,
  );
  const server = await startRecordingServer(({ path }) => ({
    status: 200,
    body: path.includes("grants") ? body : [],
  }));
  const folder = makeFolder();
  for (const format of ["json", "csv", "md", "html", "table"]) {
    const { stdout } = await audit(server, "--format", format, "--save", join(folder, "s.json"));
    expect(stdout).toContain(id);
    expect(stdout).not.toContain("isLosslessNumber");
  }
  expect(readFileSync(join(folder, "s.json"), "utf8")).toContain(`{"id":${id},`);
});

/** What these rules find, as `grant 42`. */
async function found(rules: string, world = usual, ...words: string[]): Promise<readonly string[]> {
  const { findings } = await auditJson(await serve(world), "--fail-on", rules, ...words);
  return findings.map(({ resource, id }) => `${resource} ${id}`).toSorted();
}

describe("rules", () => {
  test.each([
    ["older-than=30d", ["authorization 1", "grant 42", "grant 7"]],
    ["older-than=2024-11-20", []],
    ["not-updated-for=20d", ["authorization 1", "grant 42", "grant 7"]],
    ["scope=admin:*", ["grant 7"]],
    ["scope=*", ["authorization 1", "authorization 2", "grant 42", "grant 7"]],
    ["scope=rep", []],
    ["scope=.epo", []],
    ["no-note", ["authorization 2"]],
    ["no-fingerprint", ["authorization 1", "authorization 2"]],
    ["duplicate-note", []],
  ])("%s", async (rule, expected) => {
    expect(await found(rule)).toEqual(expected);
  });

  test("combine, each finding with its item, rule, measure and a command that would fix it", async () => {
    const { findings } = await auditJson(
      await serve(usual),
      "--fail-on",
      "scope=admin:*,no-note",
      "--fail-on",
      "older-than=60d",
    );
    expect(findings).toEqual([
      {
        rule: "scope=admin:*",
        resource: "grant",
        id: 7,
        name: "Quill",
        measure: "admin:org",
        command: "grantctl grant delete 7",
      },
      {
        rule: "older-than=60d",
        resource: "grant",
        id: 7,
        name: "Quill",
        measure: "created 100 days ago",
        command: "grantctl grant delete 7",
      },
      {
        rule: "older-than=60d",
        resource: "authorization",
        id: 1,
        name: "nightly backup",
        measure: "created 100 days ago",
        command: "grantctl authorization delete 1",
      },
      {
        rule: "older-than=60d",
        resource: "grant",
        id: 42,
        name: "Tidewatch CI",
        measure: "created 100 days ago",
        command: "grantctl grant delete 42",
      },
      {
        rule: "no-note",
        resource: "authorization",
        id: 2,
        name: "Tidewatch CI",
        measure: "no note",
        command: "grantctl authorization update 2 --note 'what it is for'",
      },
    ]);
  });

  test("a command goes where the run went", async () => {
    const server = await serve(usual);
    const { findings } = await auditJson(server, "--fail-on", "scope=admin:*", "--base-url", server.root);
    expect(findings[0]?.command).toBe(`grantctl --base-url ${server.root} grant delete 7`);
  });

  test("the same note twice is a duplicate, and no note is none", async () => {
    const [first] = usual.authorizations;
    const world = {
      ...usual,
      authorizations: [
        first,
        { ...first, id: 3 },
        { ...first, id: 4, note: "" },
        { ...first, id: 5, note: null },
      ] as Fields[],
    };
    expect(await found("duplicate-note", world)).toEqual(["authorization 1", "authorization 3"]);
    expect(await found("no-note", world)).toEqual(["authorization 4", "authorization 5"]);
  });

  test("expiry, where the service reports one", async () => {
    const [first] = usual.authorizations;
    const world = {
      grants: usual.grants,
      authorizations: [
        { ...first, id: 1, expires_at: null },
        { ...first, id: 2, expires_at: "2025-03-20T00:00:00Z" },
        { ...first, id: 3, expires_at: "2025-06-01T00:00:00Z" },
      ] as Fields[],
    };
    expect(await found("no-expiry", world)).toEqual(["authorization 1"]);
    expect(await found("expires-within=30d", world)).toEqual(["authorization 2"]);
    expect(await found("expires-within=2025-07-01", world)).toEqual(["authorization 2", "authorization 3"]);
  });

  test.each(["no-expiry", "expires-within=30d"])(
    "%s is refused where the service reports none",
    async (rule) => {
      const run = await audit(await serve(usual), "--fail-on", rule);
      expect([run.code, run.stdout]).toEqual([2, ""]);
      expect(run.stderr).toContain("does not report an expiry");
    },
  );

  test.each([
    ["older-than=1y", { created_at: "2020-01-01 00:00:00 UTC" }],
    ["not-updated-for=180d", { updated_at: null }],
    ["expires-within=30d", { expires_at: "tomorrow" }],
  ])("%s says where it had no date that it could read", async (rule, fields) => {
    const dated = authorizationJson({
      id: 1,
      expires_at: "2031-01-01T00:00:00Z",
    });
    const server = await serve({
      grants: [],
      authorizations: [dated, authorizationJson({ id: 2, ...fields })],
    });
    const run = await audit(server, "--json", "--fail-on", rule);
    expect(run.stderr).toContain("1 item has a date that cannot be read, and no finding by a rule about it");
    const read = await serve({ grants: [], authorizations: [dated] });
    expect((await audit(read, "--json", "--fail-on", rule)).stderr).not.toContain("cannot be read");
  });

  test("unknown-app knows client IDs and names, and comments", async () => {
    const folder = makeFolder();
    const known = join(folder, "known.txt");
    writeFileSync(known, "# ours\n\ntidewatch ci  # the old one\n");
    expect(await found("unknown-app", usual, "--known", known)).toEqual(["grant 7"]);
    writeFileSync(known, `${"b".repeat(20)} # Quill\nTIDEWATCH CI\n`);
    expect(await found("unknown-app", usual, "--known", known)).toEqual([]);
    writeFileSync(known, "");
    expect(await found("unknown-app", usual, "--known", known)).toHaveLength(4);
  });

  test("a personal token belongs to no application", async () => {
    const known = join(makeFolder(), "known.txt");
    writeFileSync(known, "nobody\n");
    const app = { name: "laptop", client_id: "0".repeat(20), url: "" };
    const world = {
      grants: [],
      authorizations: [authorizationJson({ app }), authorizationJson({ id: 3, app: null })],
    };
    expect(await found("unknown-app", world, "--known", known)).toEqual([]);
  });
});

test("HTML stays under 5 MB whatever it is that others wrote, and tells how many are left out", async () => {
  // Each character takes several in HTML, and each table has more rows than it shows.
  const hostile = `<&"'>`.repeat(60);
  const app = { name: hostile, client_id: "c".repeat(20), url: "" };
  const many = (make: (changes: Fields) => Fields): readonly Fields[] =>
    Array.from({ length: 1100 }, (_, index) =>
      make({
        id: index + 10,
        app,
        note: `${hostile}${index}`,
        fingerprint: hostile,
        scopes: [hostile],
      }),
    );
  const snapshot = join(makeFolder(), "before.json");
  const before = await serve({ grants: [], authorizations: [] });
  expect((await audit(before, "--save", snapshot, "--quiet")).code).toBe(0);
  const server = await serve({
    grants: many(grantJson),
    authorizations: many(authorizationJson),
  });
  // A snapshot belongs to one service, and this is another.
  writeFileSync(snapshot, readFileSync(snapshot, "utf8").replaceAll(before.root, server.root));
  const { code, stdout } = await audit(server, "--format", "html", "--since", snapshot);
  expect(code).toBe(0);
  expect(Buffer.byteLength(stdout)).toBeLessThan(5_000_000);
  expect(stdout).not.toContain(`<&"'>`);
  expect(stdout).toContain("1,100");
  expect(stdout).toContain("</html>");
});

describe("exit codes", () => {
  test("without --fail-on findings are shown, and it is 0", async () => {
    const server = await serve(usual);
    const { findings } = await auditJson(server);
    expect(findings.length).toBeGreaterThan(0);
    expect((await audit(server)).code).toBe(0);
  });

  test("with it, a finding is 14, and none is 0", async () => {
    const server = await serve(usual);
    const run = await audit(server, "--fail-on", "scope=admin:*", "--json");
    expect(run.code).toBe(14);
    expect(JSON.parse(run.stdout)).toMatchObject({ findings: [{ id: 7 }] });
    expect(JSON.parse(run.stderr)).toMatchObject({
      error: {
        class: "findings",
        exit_code: 14,
        message: "the audit found what it was to fail on: 1 of scope=admin:*",
      },
    });
    expect((await audit(server, "--fail-on", "scope=site_admin")).code).toBe(0);
  });

  test.each([
    [["--fail-on", "nosuch"], "there is no rule nosuch"],
    [["--fail-on", ""], "empty rule"],
    [["--fail-on", "no-note,"], "empty rule"],
    [["--fail-on", "older-than"], "needs a value"],
    [["--fail-on", "older-than=90"], "has no unit"],
    [["--fail-on", "older-than=2030-01-01"], "in the future"],
    [["--fail-on", "no-note=1"], "takes no value"],
    [["--fail-on", "unknown-app"], "which applications are known"],
    [["--fail-on", "new"], "what was there before"],
    [["--fail-on", "not-used-for=90d"], "does not report when a token was last used"],
    [["--fail-on", "unused=90d"], "does not report when a token was last used"],
    [["--known", "/dev/null/nothing"], "cannot be read (ENOTDIR)"],
    [["--since", "/dev/null/nothing"], "cannot be read (ENOTDIR)"],
    [["--output-file", "/dev/null/audit.html"], "cannot be written (ENOTDIR)"],
    [["--output-file", "-", "--format", "csv"], "--output-file names no file"],
    [["--save", "-"], "--save names no file\nhint: without --save"],
    [["--output-file", "audit"], "the format of audit is not given"],
    [["--output-file", "audit.html", "--format", "table"], "no document"],
    [["--format", "html", "--json", "account"], "--format html has none"],
    [["--json", "nosuch"], "there is no field nosuch"],
  ])("%j is 2, with nothing written", async (words, message) => {
    const server = await serve(usual);
    const run = await audit(server, ...words);
    expect([run.code, run.stdout]).toEqual([2, ""]);
    expect(run.stderr).toContain(message);
    expect(server.writes()).toEqual([]);
  });
});

/** What an audit wrote and said whose list `failing` is answered so from its second page on. */
async function breakOff(second: Fields | "cut", failing: string): Promise<Fields> {
  const server = await startRecordingServer(({ path }) => {
    const link = {
      Link: `<http://x${path}&page=2>; rel="next", <http://x${path}&page=3>; rel="last"`,
    };
    if (!path.includes(failing)) return { status: 200, body: [] };
    if (path.includes("page=2")) return second === "cut" ? ("cut" as never) : (second as never);
    return { status: 200, body: [grantJson()], headers: link };
  });
  const folder = makeFolder();
  const [file, save] = [join(folder, "audit.html"), join(folder, "audit.json")];
  const run = await audit(server, "--retries", "0", "--output-file", file, "--save", save);
  return { ...run, written: [existsSync(file), existsSync(save)] };
}

/** How it ends. */
const nothing = {
  stdout: "",
  stderr: expect.stringContaining("the list is incomplete") as string,
  written: [false, false],
};

describe("a list that breaks off is no audit", () => {
  test.each(["grants", "authorizations"])("of %s: it fails, and writes no file", async (failing) => {
    expect(await breakOff({ status: 403, body: { message: "no" } }, failing)).toEqual({
      ...nothing,
      code: 1,
    });
    expect(await breakOff("cut", failing)).toEqual({ ...nothing, code: 8 });
    expect(await breakOff({ status: 200, body: "[{" }, failing)).toEqual({
      ...nothing,
      code: 11,
    });
  });

  test("that ends before the last page which was announced", async () => {
    const second = { status: 200, body: [grantJson({ id: 43 })] };
    expect(await breakOff(second, "grants")).toEqual({ ...nothing, code: 11 });
  });
});

describe("files", () => {
  test.each([
    ["audit.html", "<!doctype html>"],
    ["audit.md", "# Who has access"],
    ["audit.csv", "RESOURCE,ID,NAME"],
    ["audit.json", '{"account"'],
  ])("%s says the format, is private, and leaves standard output empty", async (name, beginning) => {
    const file = join(makeFolder(), name);
    const run = await audit(await serve(usual), "--output-file", file);
    expect(run).toEqual({ code: 0, stdout: "", stderr: `wrote ${file}\n` });
    expect(readFileSync(file, "utf8").startsWith(beginning)).toBe(true);
    expect(lstatSync(file).mode & 0o777).toBe(0o600);
  });

  test("an existing file stays, unless it is forced; a link stays always", async () => {
    const server = await serve(usual);
    const folder = makeFolder();
    const [file, link] = [join(folder, "audit.md"), join(folder, "link.md")];
    writeFileSync(file, "mine");
    symlinkSync(file, link);
    expect((await audit(server, "--output-file", file)).code).toBe(2);
    expect((await audit(server, "--output-file", link, "--force")).code).toBe(2);
    expect(readFileSync(file, "utf8")).toBe("mine");
    expect(server.requests).toEqual([]);
    expect((await audit(server, "--output-file", file, "--force")).code).toBe(0);
    expect(readFileSync(file, "utf8")).not.toBe("mine");
  });

  test("the document and the snapshot are two files", async () => {
    const server = await serve(usual);
    const file = join(makeFolder(), "audit.json");
    const run = await audit(server, "--output-file", file, "--save", file);
    expect([run.code, server.requests.length]).toEqual([2, 0]);
  });

  test("--dry-run reads, tells, and writes nothing", async () => {
    const folder = makeFolder();
    const [file, save] = [join(folder, "audit.md"), join(folder, "audit.json")];
    const run = await audit(
      await serve(usual),
      "--dry-run",
      "--output-file",
      file,
      "--save",
      save,
      "--fail-on",
      "no-note",
    );
    expect(run.code).toBe(14);
    expect([existsSync(file), existsSync(save)]).toEqual([false, false]);
  });
});

test("html and md are formats of an audit alone", async () => {
  const server = await serve(usual);
  const run = await runMain(["grant", "list", "--format", "html"], {
    environment: server.environment,
  });
  expect(run).toMatchObject({ code: 2, stdout: "" });
  expect(run.stderr).toContain("--format is one of table, tsv, csv, json or ndjson");
});

describe("since a snapshot", () => {
  test("tells what is new, gone, widened, narrowed, touched, expired; and a run without changes tells none", async () => {
    const [first] = usual.authorizations;
    const world: {
      grants: readonly Fields[];
      authorizations: readonly Fields[];
    } = {
      grants: usual.grants,
      authorizations: [
        { ...first, id: 1, scopes: ["repo", "user"] },
        { ...first, id: 2, scopes: ["repo"] },
        { ...first, id: 3, scopes: ["repo"] },
        { ...first, id: 4, expires_at: "2025-02-28T00:00:00Z" },
        { ...first, id: 5 },
        { ...first, id: 6 },
      ] as Fields[],
    };
    const server = await serve(world);
    const save = join(makeFolder(), "audit.json");
    // Before the date has passed.
    await runMain(["audit", "--quiet", "--save", save], {
      environment: server.environment,
      now: () => Date.parse("2025-02-27T00:00:00Z"),
    });
    expect(lstatSync(save).mode & 0o777).toBe(0o600);
    expect((await auditJson(server, "--since", save)).changes).toMatchObject([{ change: "expired", id: 4 }]);
    world.authorizations = [
      { ...first, id: 7 },
      { ...first, id: 5, updated_at: "2025-02-20T00:00:00Z" },
      { ...first, id: 4, expires_at: "2025-02-28T00:00:00Z" },
      { ...first, id: 3, scopes: ["gist"] },
      { ...first, id: 2, scopes: ["repo", "gist"] },
      { ...first, id: 1, scopes: ["repo"] },
    ] as Fields[];
    const { changes, summary } = await auditJson(server, "--since", save);
    expect(changes.map(({ change, id }) => `${change} ${id}`)).toEqual([
      "new 7",
      "widened 2",
      "widened 3",
      "narrowed 1",
      "narrowed 3",
      "expired 4",
      "touched 5",
      "gone 6",
    ]);
    expect(summary).toMatchObject({ changes: 8 });
    for (const format of ["csv", "tsv", "md", "html", "table"]) {
      const { stdout } = await audit(server, "--since", save, "--format", format);
      for (const kind of ["new", "gone", "widened", "narrowed", "touched", "expired"])
        expect(stdout).toContain(kind);
    }
    expect((await audit(server, "--since", save, "--fail-on", "new")).code).toBe(14);
    expect((await audit(server, "--since", save, "--save", save)).code).toBe(0);
    expect((await auditJson(server, "--since", save)).changes).toEqual([]);
    expect((await audit(server, "--since", save, "--fail-on", "new")).code).toBe(0);
  });

  test("the same access is the same file, byte for byte, whenever and in whatever order it is read", async () => {
    const world = { ...usual };
    const server = await serve(world);
    const folder = makeFolder();
    const [one, other] = [join(folder, "one.json"), join(folder, "other.json")];
    await audit(server, "--save", one);
    world.grants = usual.grants.toReversed();
    world.authorizations = usual.authorizations.toReversed();
    await runMain(["audit", "--save", other], {
      environment: server.environment,
      now: () => now() + 86_400_000,
    });
    expect(readFileSync(other, "utf8")).toBe(readFileSync(one, "utf8"));
    expect(
      readFileSync(one, "utf8")
        .split("\n")
        .filter((line) => line.startsWith('    {"id":')),
    ).toHaveLength(4);
  });

  test("one of another account, service or newer version, a damaged one, a link, a FIFO are 2, with nothing sent", async () => {
    const server = await serve(usual);
    const folder = makeFolder();
    const good = join(folder, "good.json");
    await audit(server, "--save", good);
    const sent = server.requests.length;
    const text = readFileSync(good, "utf8");
    const bad: Readonly<Record<string, string>> = {
      account: text.replace('"octavia"', '"somebody"'),
      service: text.replace(server.root, "https://elsewhere.test"),
      operator: text.replace('"operator": "service"', '"operator": "github"'),
      newer: text.replace('"grantctl_audit": 1', '"grantctl_audit": 2'),
      cut: text.slice(0, text.length / 2),
      "half a line": text.replace('"expired":false,', ""),
      twice: text.replace('{"id":7,', '{"id":42,'),
      "another file": '{"account":"octavia"}\n',
      empty: "",
      "no JSON": "hello\n",
    };
    for (const [name, content] of Object.entries(bad)) {
      const file = join(folder, `${name}.json`);
      writeFileSync(file, content);
      for (const flag of ["--since", "--save"]) {
        const run = await audit(server, flag, file);
        expect([name, flag, run.code, run.stdout]).toEqual([name, flag, 2, ""]);
        expect(readFileSync(file, "utf8")).toBe(content);
      }
    }
    const newer = await audit(server, "--since", join(folder, "newer.json"));
    expect(newer.stderr).toContain("a newer grantctl wrote it, in version 2; this one reads 1");
    const [link, fifo] = [join(folder, "link.json"), join(folder, "fifo.json")];
    symlinkSync(good, link);
    execFileSync("mkfifo", [fifo]);
    for (const path of [link, fifo, folder]) {
      for (const words of [
        ["--since", path],
        ["--save", path],
        ["--save", path, "--force"],
      ]) {
        expect([words, (await audit(server, ...words)).code]).toEqual([words, 2]);
      }
    }
    expect(server.requests).toHaveLength(sent);
    const forced = join(folder, "another file.json");
    expect((await audit(server, "--save", forced, "--force")).code).toBe(0);
    expect(readFileSync(forced, "utf8")).toBe(text);
  });

  test("one that another program wrote anew is read as well", async () => {
    const server = await serve(usual);
    const file = join(makeFolder(), "audit.json");
    await audit(server, "--save", file);
    writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, "utf8")), null, 4));
    expect((await auditJson(server, "--since", file)).changes).toEqual([]);
    writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, "utf8"))));
    expect((await auditJson(server, "--since", file)).changes).toEqual([]);
  });

  test("names with any characters are read again, those that end a line for other programs, too", async () => {
    const names = ["\u2028", "a\u2029b", "\u0085", "\r", "\n", "\0", "\v", "\ud83d", "},", '{"id":1}', "]"];
    const items = names.map((name, at) => ({ id: 100 + at, name }));
    const server = await serve({
      grants: items.map(({ id, name }) =>
        grantJson({ id, app: { name, client_id: "c".repeat(20), url: "" } }),
      ),
      authorizations: items.map(({ id, name }) => authorizationJson({ id, note: name, scopes: [name] })),
    });
    const file = join(makeFolder(), "audit.json");
    expect((await audit(server, "--save", file)).code).toBe(0);
    expect((await auditJson(server, "--since", file)).changes).toEqual([]);
    expect((await audit(server, "--save", file)).code).toBe(0);
  });

  test("no secret is in it", async () => {
    const token = "canary".padEnd(40, "7");
    const world = {
      grants: usual.grants,
      authorizations: [
        authorizationJson({
          token,
          fingerprint: "canary-machine",
          note_url: "https://canary.test/",
        }),
      ],
    };
    const server = await serve(world);
    const file = join(makeFolder(), "audit.json");
    const code = await runMain(["audit", "--save", file, "--otp", "135791"], {
      environment: server.environment,
    });
    expect(code.code).toBe(0);
    const text = readFileSync(file, "utf8");
    const { environment } = server;
    for (const secret of [
      token,
      "canary",
      "135791",
      environment["GRANTCTL_PASSWORD"] ?? "",
      environment["GRANTCTL_CLIENT_SECRET"] ?? "",
    ]) {
      expect(text).not.toContain(secret);
    }
    for (const format of ["json", "csv", "md", "html", "table"]) {
      expect((await audit(server, "--format", format)).stdout).not.toContain(token);
    }
  });
});

test("scopes that the service does not tell are unknown, and not none", async () => {
  const authorizations = [
    authorizationJson({ id: 1, scopes: null }),
    authorizationJson({ id: 2, scopes: [] }),
  ];
  const world = { grants: [grantJson({ id: 3, scopes: null })], authorizations: [] as readonly Fields[] };
  const server = await serve(world);
  const folder = makeFolder();
  await audit(server, "--save", join(folder, "before.json"));
  world.authorizations = authorizations;
  const run = await audit(server, "--format", "csv", "--since", join(folder, "before.json"));
  const cells = run.stdout
    .trimEnd()
    .split("\r\n")
    .slice(1)
    .map((line) => line.split(",").filter((cell) => /^\d$|none|unknown|scopes/.test(cell)));
  expect(cells).toEqual([
    ["3", "unknown"],
    ["1", "unknown", "new (with unknown scopes)"],
    ["2", "none", "new (without scopes)"],
  ]);
});

test("a spreadsheet gets no formulas", async () => {
  const notes = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "＝1"];
  const world = {
    grants: [],
    authorizations: notes.map((note, index) => authorizationJson({ id: index + 1, note, fingerprint: note })),
  };
  const { stdout } = await audit(await serve(world), "--format", "csv");
  const rows = stdout.trimEnd().split("\r\n").slice(1);
  expect(rows).toHaveLength(notes.length);
  for (const row of rows) for (const cell of row.split(",")) expect(cell).not.toMatch(/^"?[=+\-@\t＝]/);
});

test("a backslash before a pipe does not end a cell of a Markdown table, and with it the code around a name", async () => {
  const notes = [1, 2, 3, 4].map((count) => `x${"\\".repeat(count)}|[a](https://a.test)`);
  const server = await serve({
    grants: [],
    authorizations: notes.map((note, at) => authorizationJson({ id: 100 + at, note })),
  });
  const { stdout } = await audit(server, "--format", "md");
  const rows = stdout.split("\n").filter((line) => line.includes("[a]"));
  expect(rows).toHaveLength(notes.length);
  for (const row of rows) {
    // As renderers read it: a backslash takes the sign behind it, be it another backslash.
    const cells = row.match(/(?:\\.|[^|\\])+/g) ?? [];
    expect(cells.filter((cell) => cell.includes("[a]"))).toEqual([expect.stringMatching(/^ `x.*\[a\].*` /)]);
  }
});

test("Markdown and HTML hold what others chose as text", async () => {
  const note = "`|</code>@team <script>alert(1)</script> [x](http://x.test) \u202eevil\n# heading";
  const server = await serve({
    grants: [],
    authorizations: [authorizationJson({ note })],
  });
  const { stdout: markdown } = await audit(server, "--format", "md");
  expect(markdown).not.toMatch(/\n# heading/);
  expect(markdown).not.toContain("\u202e");
  for (const line of markdown.split("\n").filter((text) => text.includes("@team"))) {
    // Behind the fence of two backticks, up to the next.
    expect(line).toMatch(/`` `\\\|<\/code>@team .* ``/);
  }
  const { stdout: page } = await audit(server, "--format", "html");
  expect(page).not.toContain("<script");
  expect(page).not.toContain("\u202e");
  expect(page).toContain("&lt;script&gt;");
});
