// Audits of incomplete data: lists shortened by single sign-on, and items that a rule cannot judge.
import { describe, expect, test } from "vitest";
import { startRecordingServer, type RecordingServer } from "../../support/recording-server.ts";
import { authorizationJson, grantJson } from "../../support/resources.ts";
import { audit, auditJson, saveAudit, serve, type Fields } from "./audited.ts";

const formats = ["table", "tsv", "csv", "html", "json", "ndjson"] as const;

/** A server that omits the authorizations of an organization once `world.isPartial` is set. */
async function servePartly(world: { isPartial: boolean }): Promise<RecordingServer> {
  return startRecordingServer(({ path }) => {
    if (path.includes("/applications/grants")) return { status: 200, body: [grantJson()] };
    const all = [authorizationJson({ id: 1 }), authorizationJson({ id: 2, note: "second" })];
    return world.isPartial
      ? {
          status: 200,
          body: all.slice(0, 1),
          headers: { "X-Service-SSO": "partial-results; organizations=4711,4712" },
        }
      : { status: 200, body: all };
  });
}

describe("a partial list", () => {
  test("is reported in every format, reports no deletions, and exits with code 6 with --fail-on", async () => {
    const world = { isPartial: false };
    const server = await servePartly(world);
    const before = await saveAudit(server);
    world.isPartial = true;
    const words = ["--compare", before, "--fail-on", "scope=site_admin"];
    for (const format of formats) {
      const run = await audit(server, "--format", format, ...words);
      expect([format, run.code]).toEqual([format, 6]);
      expect(run.stdout).toMatch(/incomplete/);
      expect(run.stdout).toContain("4711");
      expect(run.stdout).not.toMatch(/\bgone \(|"change":"gone","res|>gone</);
    }
    expect(await auditJson(server, "--compare", before)).toMatchObject({
      changes: [],
      incomplete: { organizations: ["4711", "4712"] },
    });
    // Without --fail-on, the command succeeds with its report. A finding takes precedence over missing data.
    expect((await audit(server)).code).toBe(0);
    expect((await audit(server, "--fail-on", "scope=repo")).code).toBe(14);
    world.isPartial = false;
    expect(await auditJson(server)).toMatchObject({ incomplete: null });
  });

  test("is marked as incomplete if a later audit is compared with it", async () => {
    const world = { isPartial: true };
    const server = await servePartly(world);
    const before = await saveAudit(server);
    world.isPartial = false;
    const run = await audit(server, "--compare", before, "--fail-on", "new");
    expect([run.code, run.stderr]).toEqual([
      14,
      expect.stringContaining("items that it left out count as new"),
    ]);
  });
});

const dated = { expires_at: "2031-01-01T00:00:00Z" };

describe("items with missing data", () => {
  test.each<[string, Fields, Fields]>([
    ["scope=admin:*", { scopes: null }, { scopes: null }],
    ["older-than=1y", { created_at: "2020-01-01 00:00:00 UTC" }, { created_at: null }],
    ["not-updated-for=180d", { updated_at: null }, { updated_at: "yesterday" }],
    ["expires-within=30d", { expires_at: "tomorrow" }, {}],
  ])("%s reports them as findings in every format and exits with code 14", async (rule, token, app) => {
    const server = await serve({
      grants: [grantJson(app)],
      authorizations: [
        authorizationJson({ id: 1, ...dated }),
        authorizationJson({ id: 2, ...dated, ...token }),
      ],
    });
    const words = ["--fail-on", rule];
    const wanted = [
      ...(Object.keys(token).length === 0 ? [] : ["authorization 2"]),
      ...(Object.keys(app).length === 0 ? [] : ["grant 42"]),
    ];
    const { findings, summary } = await auditJson(server, ...words);
    expect(findings.map(({ resource, id }) => `${resource} ${id}`).toSorted()).toEqual(wanted);
    for (const finding of findings) expect(finding).toMatchObject({ rule, judged: false });
    expect(summary).toMatchObject({ rules: [{ rule, findings: wanted.length, unjudged: wanted.length }] });
    for (const format of formats) {
      const run = await audit(server, "--format", format, ...words);
      expect([format, run.code]).toEqual([format, 14]);
      expect(run.stdout.replaceAll(/\s+/g, " ")).toMatch(/cannot be judged/);
    }
  });

  test("are not findings of rules that have their data", async () => {
    const server = await serve({
      grants: [],
      authorizations: [
        authorizationJson({
          id: 2,
          scopes: null,
          updated_at: null,
          app: null,
          created_at: "2025-02-28T00:00:00Z",
        }),
      ],
    });
    expect((await audit(server, "--fail-on", "older-than=1y,no-fingerprint")).code).toBe(14);
    expect((await audit(server, "--fail-on", "older-than=1y")).code).toBe(0);
  });
});
