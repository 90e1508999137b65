// `grantctl audit --compare`: the changes since an earlier audit, whose JSON output is in a file.
import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { authorizationJson, grantJson } from "../../support/resources.ts";
import { makeFolder } from "../../support/state-folder.ts";
import { audit, auditJson, saveAudit, serve, usual, type Fields } from "./audited.ts";

describe("since an earlier audit", () => {
  test("reports new, removed, widened, narrowed and updated access, and nothing without changes", async () => {
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
    const before = await saveAudit(server);
    world.authorizations = [
      { ...first, id: 7, scopes: ["user"] },
      { ...first, id: 5, updated_at: "2025-02-20T00:00:00Z" },
      { ...first, id: 4, expires_at: "2025-02-28T00:00:00Z" },
      { ...first, id: 3, scopes: ["gist"] },
      { ...first, id: 2, scopes: ["repo", "gist"] },
      { ...first, id: 1, scopes: ["repo"] },
    ] as Fields[];
    const { changes, summary } = await auditJson(server, "--compare", before);
    expect(changes.map(({ change, id }) => `${change} ${id}`)).toEqual([
      "new 7",
      "widened 2",
      "widened 3",
      "narrowed 1",
      "narrowed 3",
      "touched 5",
      "gone 6",
    ]);
    expect(summary).toMatchObject({ changes: 7 });
    for (const format of ["csv", "tsv", "html", "table"]) {
      const { stdout } = await audit(server, "--compare", before, "--format", format);
      for (const kind of ["new", "gone", "widened", "narrowed", "touched"]) expect(stdout).toContain(kind);
    }
    expect((await audit(server, "--compare", before, "--fail-on", "new")).code).toBe(14);
    const after = await saveAudit(server);
    expect((await auditJson(server, "--compare", after)).changes).toEqual([]);
    expect((await audit(server, "--compare", after, "--fail-on", "new")).code).toBe(0);
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
    const before = await saveAudit(server);
    world.authorizations = [
      { ...first, id: 1, note: "deploy", scopes: ["gist", "repo"] },
      { ...first, id: 4, note: "wiki", scopes: ["gist"] },
      { ...first, id: 5, note: "backup", scopes: ["gist", "repo"] },
    ] as Fields[];
    const { findings } = await auditJson(server, "--compare", before, "--fail-on", "new,widened");
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
    const before = await saveAudit(server);
    world.authorizations = [
      { ...first, id: 3 },
      { ...unnamed, id: 4 },
    ] as Fields[];
    const { findings } = await auditJson(server, "--compare", before, "--fail-on", "new");
    expect(findings.map(({ id, measure }) => [id, measure])).toEqual([
      [4, "not in the earlier audit"],
      [3, "replaces authorization 1"],
    ]);
    const { stdout } = await audit(server, "--compare", before, "--format", "table");
    const rows = stdout.match(/^(?:new|touched|gone) .*$/gm) ?? [];
    expect(rows).toEqual([
      expect.stringMatching(/^new .*authorization 4/),
      expect.stringMatching(/^touched .*authorization 3.*replaces authorization 1/),
      expect.stringMatching(/^gone .*authorization 2/),
    ]);
  });

  test("the page names the rules that lack their input, whichever rules were chosen", async () => {
    const server = await serve(usual);
    const rules = ["--fail-on", "no-fingerprint", "--format", "html"];
    expect((await audit(server, ...rules)).stdout).toContain("new and widened (need --compare)");
    const before = await saveAudit(server);
    const { stdout } = await audit(server, "--compare", before, ...rules);
    expect(stdout).not.toContain("need --compare");
  });

  test("reports a change to a grant and its token once in the document and twice in JSON", async () => {
    const world = {
      grants: [grantJson({ scopes: ["gist"] })],
      authorizations: [authorizationJson({ scopes: ["repo"] })],
    };
    const server = await serve(world);
    const before = await saveAudit(server);
    world.grants = [];
    world.authorizations = [];
    expect((await auditJson(server, "--compare", before)).changes).toHaveLength(2);
    const { stdout } = await audit(server, "--compare", before, "--format", "table");
    expect(stdout.match(/^gone .*$/gm)).toEqual([expect.stringContaining("grant 42 and authorization")]);
    expect(stdout).toContain("had gist, repo");
  });

  test("rejects a foreign or damaged audit, folders and FIFOs before any request", async () => {
    const server = await serve(usual);
    const good = await saveAudit(server);
    const sent = server.requests.length;
    const text = readFileSync(good, "utf8");
    const bad: Readonly<Record<string, string>> = {
      account: text.replace('"octavia"', '"somebody"'),
      service: text.replace(server.root, "https://elsewhere.test"),
      server_type: text.replace('"server_type":"service"', '"server_type":"github"'),
      cut: text.slice(0, text.length / 2),
      "an ID of letters": text.replaceAll('"id":7,', '"id":"seven",'),
      "selected fields": JSON.stringify({ account: "octavia", grants: [] }),
      empty: "",
      "no JSON": "hello\n",
    };
    const folder = makeFolder();
    for (const [name, content] of Object.entries(bad)) {
      const file = join(folder, `${name}.json`);
      writeFileSync(file, content);
      const run = await audit(server, "--compare", file);
      expect([name, run.code, run.stdout]).toEqual([name, 2, ""]);
    }
    const fifo = join(folder, "fifo.json");
    execFileSync("mkfifo", [fifo]);
    for (const path of [fifo, folder])
      expect([path, (await audit(server, "--compare", path)).code]).toEqual([path, 2]);
    expect(server.requests).toHaveLength(sent);
  });

  test("reads an audit reformatted by another program, also through a link", async () => {
    const server = await serve(usual);
    const file = await saveAudit(server);
    const link = join(makeFolder(), "link.json");
    symlinkSync(file, link);
    writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, "utf8")), null, 4));
    expect((await auditJson(server, "--compare", link)).changes).toEqual([]);
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
    const file = await saveAudit(server);
    expect((await auditJson(server, "--compare", file)).changes).toEqual([]);
  });

  test("no format shows a token's value", async () => {
    const token = "canary".padEnd(40, "7");
    const server = await serve({ grants: usual.grants, authorizations: [authorizationJson({ token })] });
    for (const format of ["json", "csv", "html", "table"]) {
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
  const before = await saveAudit(server);
  world.authorizations = authorizations;
  const run = await audit(server, "--format", "csv", "--compare", before);
  const cells = run.stdout
    .trimEnd()
    .split("\r\n")
    .slice(1)
    .map((line) => line.split(","))
    .map((row) => [row[1], row[5], row[13]]);
  expect(cells).toEqual([
    ["3", "unknown", ""],
    ["1", "unknown", "new (with unknown scopes)"],
    ["2", "none", "new (without scopes)"],
  ]);
});
