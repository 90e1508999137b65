// `grantctl audit --save` and `--since`: the contents of a snapshot, and changes since then.
import { execFileSync } from "node:child_process";
import { lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { authorizationJson, grantJson } from "../../support/resources.ts";
import { makeFolder } from "../../support/state-folder.ts";
import { audit, auditJson, now, serve, usual, type Fields } from "./audited.ts";

describe("since a snapshot", () => {
  test("reports new, removed, widened, narrowed, updated and expired access, and nothing without changes", async () => {
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
    // Before the expiry date.
    await server.run(["audit", "--quiet", "--save", save], { now: () => Date.parse("2025-02-27T00:00:00Z") });
    expect(lstatSync(save).mode & 0o777).toBe(0o600);
    expect((await auditJson(server, "--compare", save)).changes).toMatchObject([
      { change: "expired", id: 4 },
    ]);
    world.authorizations = [
      { ...first, id: 7, scopes: ["user"] },
      { ...first, id: 5, updated_at: "2025-02-20T00:00:00Z" },
      { ...first, id: 4, expires_at: "2025-02-28T00:00:00Z" },
      { ...first, id: 3, scopes: ["gist"] },
      { ...first, id: 2, scopes: ["repo", "gist"] },
      { ...first, id: 1, scopes: ["repo"] },
    ] as Fields[];
    const { changes, summary } = await auditJson(server, "--compare", save);
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
      const { stdout } = await audit(server, "--compare", save, "--format", format);
      for (const kind of ["new", "gone", "widened", "narrowed", "touched", "expired"])
        expect(stdout).toContain(kind);
    }
    expect((await audit(server, "--compare", save, "--fail-on", "new")).code).toBe(14);
    // The old name of the flag.
    expect((await audit(server, "--since", save, "--fail-on", "new")).code).toBe(14);
    expect((await audit(server, "--compare", save, "--save", save)).code).toBe(0);
    expect((await auditJson(server, "--compare", save)).changes).toEqual([]);
    expect((await audit(server, "--compare", save, "--fail-on", "new")).code).toBe(0);
  });

  test("a token with added scopes is a finding; a replacement with the same scopes is a minor one", async () => {
    const [first] = usual.authorizations;
    const world = {
      grants: [],
      authorizations: [
        { ...first, id: 1, note: "deploy", scopes: ["gist"] },
        { ...first, id: 2, note: "wiki", scopes: ["gist"] },
        { ...first, id: 3, note: "backup", scopes: ["gist"] },
      ] as Fields[],
    };
    const server = await serve(world);
    const save = join(makeFolder(), "audit.json");
    await audit(server, "--save", save);
    world.authorizations = [
      { ...first, id: 1, note: "deploy", scopes: ["gist", "repo"] },
      { ...first, id: 4, note: "wiki", scopes: ["gist"] },
      { ...first, id: 5, note: "backup", scopes: ["gist", "repo"] },
    ] as Fields[];
    const { findings } = await auditJson(server, "--compare", save, "--fail-on", "new,widened");
    expect(findings.map(({ rule, id, severity }) => [rule, id, severity])).toEqual([
      ["widened", 1, "high"],
      ["new", 5, "high"],
      ["new", 4, "low"],
    ]);
    expect(findings[0]?.command).toBe("grantctl authorization update 1 --remove-scope repo");
    expect(findings[2]?.measure).toBe("replaces authorization 2");
  });

  test("a rule and the list of changes agree on what is a replacement: a token without a note is none", async () => {
    const [first] = usual.authorizations;
    const unnamed = { ...first, note: null };
    const world = {
      grants: [],
      authorizations: [
        { ...first, id: 1 },
        { ...unnamed, id: 2 },
      ] as Fields[],
    };
    const server = await serve(world);
    const save = join(makeFolder(), "audit.json");
    await audit(server, "--save", save);
    world.authorizations = [
      { ...first, id: 3 },
      { ...unnamed, id: 4 },
    ] as Fields[];
    const { findings } = await auditJson(server, "--compare", save, "--fail-on", "new");
    expect(findings.map(({ id, measure }) => [id, measure])).toEqual([
      [4, "not in the snapshot"],
      [3, "replaces authorization 1"],
    ]);
    const { stdout } = await audit(server, "--compare", save, "--format", "md");
    const rows = stdout.match(/^\| (?:new|touched|gone) \|.*$/gm) ?? [];
    expect(rows).toEqual([
      expect.stringMatching(/^\| new \|.*authorization 4/),
      expect.stringMatching(/^\| touched \|.*authorization 3.*replaces authorization 1/),
      expect.stringMatching(/^\| gone \|.*authorization 2/),
    ]);
  });

  test("the page names the rules that lack their input, whichever rules were chosen", async () => {
    const server = await serve(usual);
    const save = join(makeFolder(), "audit.json");
    const rules = ["--fail-on", "no-fingerprint", "--format", "html"];
    expect((await audit(server, ...rules)).stdout).toContain("new and widened (need --compare)");
    await audit(server, "--save", save);
    const { stdout } = await audit(server, "--compare", save, ...rules);
    expect(stdout).not.toContain("need --compare");
    expect(stdout).toContain("unknown-app (needs --known)");
  });

  test("reports a change to a grant and its token once in the document and twice in JSON", async () => {
    const world = {
      grants: [grantJson({ scopes: ["gist"] })],
      authorizations: [authorizationJson({ scopes: ["repo"] })],
    };
    const server = await serve(world);
    const save = join(makeFolder(), "audit.json");
    expect((await audit(server, "--save", save)).stderr).toBe(`saved ${save}\n`);
    const again = await audit(server, "--save", save);
    expect(again.stderr).toBe(`saved ${save}, which replaces the earlier snapshot\n`);
    world.grants = [];
    world.authorizations = [];
    expect((await auditJson(server, "--compare", save)).changes).toHaveLength(2);
    const { stdout } = await audit(server, "--compare", save, "--format", "md");
    expect(stdout.match(/^\| gone \|.*$/gm)).toEqual([expect.stringContaining("grant 42 and authorization")]);
    expect(stdout).toContain("had gist, repo");
  });

  test("writes identical files for the same access, at any time and in any order", async () => {
    const world = { ...usual };
    const server = await serve(world);
    const folder = makeFolder();
    const [one, other] = [join(folder, "one.json"), join(folder, "other.json")];
    await audit(server, "--save", one);
    world.grants = usual.grants.toReversed();
    world.authorizations = usual.authorizations.toReversed();
    await server.run(["audit", "--save", other], { now: () => now() + 86_400_000 });
    expect(readFileSync(other, "utf8")).toBe(readFileSync(one, "utf8"));
    expect(
      readFileSync(one, "utf8")
        .split("\n")
        .filter((line) => line.startsWith('    {"id":')),
    ).toHaveLength(4);
  });

  test("rejects foreign, newer or damaged snapshots, links and FIFOs before any request", async () => {
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
      for (const flag of ["--compare", "--save"]) {
        const run = await audit(server, flag, file);
        expect([name, flag, run.code, run.stdout]).toEqual([name, flag, 2, ""]);
        expect(readFileSync(file, "utf8")).toBe(content);
      }
    }
    const newer = await audit(server, "--compare", join(folder, "newer.json"));
    expect(newer.stderr).toContain("a newer grantctl wrote it, in version 2; this one reads 1");
    const [link, fifo] = [join(folder, "link.json"), join(folder, "fifo.json")];
    symlinkSync(good, link);
    execFileSync("mkfifo", [fifo]);
    for (const path of [link, fifo, folder]) {
      for (const words of [
        ["--compare", path],
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

  test("reads a snapshot reformatted by another program", async () => {
    const server = await serve(usual);
    const file = join(makeFolder(), "audit.json");
    await audit(server, "--save", file);
    writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, "utf8")), null, 4));
    expect((await auditJson(server, "--compare", file)).changes).toEqual([]);
    writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, "utf8"))));
    expect((await auditJson(server, "--compare", file)).changes).toEqual([]);
  });

  test("reads back names with any characters, including line separators", async () => {
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
    expect((await auditJson(server, "--compare", file)).changes).toEqual([]);
    expect((await audit(server, "--save", file)).code).toBe(0);
  });

  test("contains no secrets", async () => {
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
    const code = await server.run(["audit", "--save", file, "--otp", "135791"]);
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

test("treats unreported scopes as unknown, not as empty", async () => {
  const authorizations = [
    authorizationJson({ id: 1, scopes: null }),
    authorizationJson({ id: 2, scopes: [] }),
  ];
  const world = { grants: [grantJson({ id: 3, scopes: null })], authorizations: [] as readonly Fields[] };
  const server = await serve(world);
  const folder = makeFolder();
  await audit(server, "--save", join(folder, "before.json"));
  world.authorizations = authorizations;
  const run = await audit(server, "--format", "csv", "--compare", join(folder, "before.json"));
  const cells = run.stdout
    .trimEnd()
    .split("\r\n")
    .slice(1)
    .map((line) => line.split(","))
    .map((row) => [row[1], row[5], row[14]]);
  expect(cells).toEqual([
    ["3", "unknown", ""],
    ["1", "unknown", "new (with unknown scopes)"],
    ["2", "none", "new (without scopes)"],
  ]);
});
