// The documents of `grantctl audit`: untrusted text is escaped in each format, and their size is limited.
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { authorizationJson, grantJson } from "../../support/resources.ts";
import { audit, now, saveAudit, serve, usual, type Fields } from "./audited.ts";

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
  const before = await serve({ grants: [], authorizations: [] });
  const file = await saveAudit(before);
  const server = await serve({
    grants: many(grantJson),
    authorizations: many(authorizationJson),
  });
  // The earlier audit is of another server.
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(before.root, server.root));
  const { code, stdout } = await audit(server, "--format", "html", "--compare", file);
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

test("only audit supports the format html", async () => {
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

test("escapes untrusted text in HTML", async () => {
  const note = "`|</code>@team <script>alert(1)</script> [x](http://x.test) \u202eevil\n# heading";
  const server = await serve({
    grants: [],
    authorizations: [authorizationJson({ note, created_at: note, updated_at: note, expires_at: note })],
  });
  const { stdout: page } = await audit(server, "--format", "html");
  expect(page).not.toContain("<script");
  expect(page).not.toContain("\u202e");
  expect(page).toContain("&lt;script&gt;");
});
