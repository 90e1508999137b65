// The documents of `grantctl audit`: untrusted text is escaped in each format, and their size is limited.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { authorizationJson, grantJson } from "../../support/resources.ts";
import { makeFolder } from "../../support/state-folder.ts";
import { audit, now, serve, usual, type Fields } from "./audited.ts";

test("HTML stays under 5 MB for any input and reports how many rows are omitted", async () => {
  // Each character expands when escaped, and each table has more rows than the document shows.
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
  // A snapshot belongs to one server, and this is a different one.
  writeFileSync(snapshot, readFileSync(snapshot, "utf8").replaceAll(before.root, server.root));
  const { code, stdout } = await audit(server, "--format", "html", "--compare", snapshot);
  expect(code).toBe(0);
  expect(Buffer.byteLength(stdout)).toBeLessThan(5_000_000);
  expect(stdout).not.toContain(`<&"'>`);
  expect(stdout).toContain("1,100");
  expect(stdout).toContain("</html>");
});

test("applications that need the same decision share an entry, and each has an anchor", async () => {
  const ids = [11, 12, 13, 14, 15];
  const grants = ids.map((id) => {
    const app = { name: `App ${id}`, client_id: String(id).repeat(10), url: `https://app${id}.example.com` };
    return grantJson({ id, app, scopes: id === 15 ? ["gist"] : ["repo"] });
  });
  const server = await serve({ grants, authorizations: [] });
  const { stdout } = await server.run(["audit", "--format", "html", "--fail-on", "older-than=60d"], {
    environment: { GRANTCTL_CLIENT_ID: "14".repeat(10) },
    now,
  });
  expect(stdout.match(/<li class="group">[^]*?<\/li>/g)).toEqual([
    expect.stringMatching(
      /3 applications[^]*grantctl<\/span> <span>grant[^]*11<\/span> <span>12<\/span> <span>13</,
    ),
  ]);
  expect(stdout).not.toMatch(/<span>13<\/span> <span>14</);
  for (const id of ids) {
    expect(stdout.match(new RegExp(`id="grant-${id}"`, "g"))).toHaveLength(1);
    expect(stdout).toContain(`https://app${id}.example.com`);
  }
  expect(stdout).toMatch(/id="grant-14"[^]*grantctl itself uses grant 14/);
});

test("only audit supports the formats html and md", async () => {
  const server = await serve(usual);
  const run = await server.run(["grant", "list", "--format", "html"]);
  expect(run).toMatchObject({ code: 2, stdout: "" });
  expect(run.stderr).toContain("--format: must be one of table, tsv, csv, json or ndjson");
});

test("escapes formulas in spreadsheets", async () => {
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

test("a backslash before a pipe does not end a Markdown table cell or its code span", async () => {
  const notes = [1, 2, 3, 4].map((count) => `x${"\\".repeat(count)}|[a](https://a.test)`);
  const server = await serve({
    grants: [],
    authorizations: notes.map((note, at) => authorizationJson({ id: 100 + at, note })),
  });
  const { stdout } = await audit(server, "--format", "md");
  const rows = stdout.split("\n").filter((line) => line.includes("[a]"));
  expect(rows).toHaveLength(notes.length);
  for (const row of rows) {
    // Parses like a renderer: a backslash escapes the next character, even another backslash.
    const cells = row.match(/(?:\\.|[^|\\])+/g) ?? [];
    expect(cells.filter((cell) => cell.includes("[a]"))).toEqual([expect.stringMatching(/^ `x.*\[a\].*` /)]);
  }
});

test("escapes untrusted text in Markdown and HTML", async () => {
  const note = "`|</code>@team <script>alert(1)</script> [x](http://x.test) \u202eevil\n# heading";
  const server = await serve({
    grants: [],
    authorizations: [authorizationJson({ note, created_at: note, updated_at: note, expires_at: note })],
  });
  const { stdout: markdown } = await audit(server, "--format", "md");
  expect(markdown).not.toMatch(/\n# heading/);
  expect(markdown).not.toContain("\u202e");
  for (const line of markdown.split("\n").filter((text) => text.includes("@team"))) {
    // From the fence of two backticks to the next.
    expect(line).toMatch(/`` `\\\|<\/code>@team .* ``/);
  }
  const { stdout: page } = await audit(server, "--format", "html");
  expect(page).not.toContain("<script");
  expect(page).not.toContain("\u202e");
  expect(page).toContain("&lt;script&gt;");
});
