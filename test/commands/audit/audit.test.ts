// `grantctl audit`: its data and findings, the files it writes, and its exit codes.
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startRecordingServer } from "../../support/recording-server.ts";
import { authorizationJson, grantJson } from "../../support/resources.ts";
import { makeFolder } from "../../support/state-folder.ts";
import { runMain } from "../../support/test-host.ts";
import { audit, auditJson, now, saveAudit, serve, usual, type Fields } from "./audited.ts";

test("sends only reads for both lists, and passes the data through unchanged", async () => {
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
    server_type: "service",
    changes: [],
    grants: usual.grants,
    authorizations: usual.authorizations,
  });
  expect(Object.keys(document)).toEqual(
    expect.arrayContaining([
      "account",
      "base_url",
      "server_type",
      "summary",
      "findings",
      "changes",
      "grants",
      "authorizations",
    ]),
  );
});

test("keeps every digit of numbers beyond 2^53 in each format", async () => {
  const id = "90071992547409931234";
  const body = JSON.stringify([grantJson({ id: 5, created_at: "2001-01-01T00:00:00Z" })]).replace(
    '"id":5',
    `"id":${id}`,
  );
  const server = await startRecordingServer(({ path }) => ({
    status: 200,
    body: path.includes("grants") ? body : [],
  }));
  for (const format of ["json", "csv", "html", "table"]) {
    const { stdout } = await audit(server, "--format", format);
    expect(stdout).toContain(id);
    expect(stdout).not.toContain("isLosslessNumber");
  }
  const before = await saveAudit(server);
  expect((await auditJson(server, "--compare", before)).changes).toEqual([]);
});

/** Returns the findings of these rules, such as `grant 42`. */
async function found(rules: string, world = usual): Promise<readonly string[]> {
  const { findings } = await auditJson(await serve(world), "--fail-on", rules);
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

  test("the token that grantctl itself uses is named, found by its hash or its last eight characters", async () => {
    const token = "gho_".padEnd(40, "7");
    const hash = createHash("sha256").update(token).digest("hex");
    const [first] = usual.authorizations;
    const named = async (fields: Fields): Promise<boolean> => {
      const server = await serve({ grants: [], authorizations: [{ ...first, id: 9, ...fields }] });
      const environment = { ...server.environment, GRANTCTL_TOKEN: token };
      const run = await runMain(["audit", "--format", "html", "--fail-on", "older-than=60d"], {
        environment,
        now,
      });
      return run.stdout.includes("grantctl itself uses authorization 9");
    };
    expect(await named({ hashed_token: hash, token_last_eight: "77777777" })).toBe(true);
    expect(await named({ hashed_token: hash, token_last_eight: null })).toBe(true);
    expect(await named({ hashed_token: null, token_last_eight: "77777777" })).toBe(true);
    expect(await named({ hashed_token: "0".repeat(64), token_last_eight: "77777777" })).toBe(false);
    expect(await named({ hashed_token: null, token_last_eight: "00000000" })).toBe(false);
  });

  test("can be combined; each finding has an item, rule, severity and a command to fix it", async () => {
    const { findings } = await auditJson(
      await serve(usual),
      "--fail-on",
      "scope=admin:*,no-note",
      "--fail-on",
      "older-than=60d",
    );
    expect(findings).toMatchObject([
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
        // Not the grant, which has another token.
        command: "grantctl authorization delete 1",
        alternatives: ["grantctl grant delete 42"],
      },
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
        rule: "no-note",
        resource: "authorization",
        id: 2,
        name: "Tidewatch CI",
        measure: "no note",
        command: 'grantctl authorization update 2 --note "${NOTE:?describe the token}"',
      },
    ]);
  });

  test("severity of old access grows with its scopes", async () => {
    const [first] = usual.authorizations;
    const scopes = [["repo"], ["delete_repo"], ["admin:org"], ["gist"], ["made-up"], ["read:org"], []];
    const authorizations = scopes.map((own, index) => ({ ...first, id: index + 1, scopes: own }));
    const server = await serve({ grants: [], authorizations });
    const { findings } = await auditJson(server, "--fail-on", "older-than=60d,no-note");
    const severities = findings.map(({ id, severity }) => [id, severity]);
    expect(severities.toSorted(([one], [other]) => Number(one) - Number(other))).toEqual([
      [1, "high"],
      [2, "high"],
      [3, "high"],
      [4, "medium"],
      [5, "medium"],
      [6, "low"],
      [7, "low"],
    ]);
  });

  test("an old grant with newer tokens is a minor finding for its application", async () => {
    const token = authorizationJson({
      created_at: "2025-02-28T00:00:00Z",
      updated_at: "2025-02-28T00:00:00Z",
    });
    const server = await serve({ grants: [grantJson({ scopes: ["repo"] })], authorizations: [token] });
    const { stdout } = await audit(server, "--fail-on", "older-than=60d", "--format", "table");
    expect(stdout).toContain("1 low (");
    expect(stdout).toContain("(the grant)");
    const { findings } = await auditJson(server, "--fail-on", "older-than=60d");
    const expected = { severity: "low", command: "grantctl grant view 42" };
    expect(findings).toEqual([expect.objectContaining(expected)]);
  });

  test.each(["delete_repo", "delete:packages"])("%s is a finding by default", async (scope) => {
    const recent = { created_at: "2025-02-28T00:00:00Z", updated_at: "2025-02-28T00:00:00Z" };
    const token = authorizationJson({ id: 3, scopes: [scope, "gist"], ...recent });
    const server = await serve({ grants: [], authorizations: [token] });
    expect((await auditJson(server)).findings).toEqual([
      expect.objectContaining({
        rule: "scope=delete*",
        severity: "high",
        command: `grantctl authorization update 3 --remove-scope ${scope}`,
      }),
    ]);
  });

  test("suggests rotating an old personal token into a file, and viewing one that expires soon", async () => {
    const personal = authorizationJson({ id: 1, app: null });
    const expiring = authorizationJson({ id: 2, expires_at: "2025-03-10T00:00:00Z" });
    const server = await serve({ grants: [], authorizations: [personal, expiring] });
    const { findings } = await auditJson(server, "--fail-on", "older-than=60d,expires-within=30d");
    const commands = Object.fromEntries(findings.map(({ rule, id, command }) => [`${rule} ${id}`, command]));
    expect(commands).toMatchObject({
      "older-than=60d 1": "grantctl authorization rotate 1 --output-file token-1.txt",
      "expires-within=30d 2": "grantctl authorization view 2",
    });
  });

  test("suggested commands keep the --base-url of the run", async () => {
    const server = await serve(usual);
    const { findings } = await auditJson(server, "--fail-on", "scope=admin:*", "--base-url", server.root);
    expect(findings[0]?.command).toBe(`grantctl --base-url ${server.root} grant delete 7`);
  });

  test("reports repeated notes as duplicates, but not missing notes", async () => {
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

  test("reports expiry if the server provides it", async () => {
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
    "rejects %s if the server does not report expiry",
    async (rule) => {
      const run = await audit(await serve(usual), "--fail-on", rule);
      expect([run.code, run.stdout]).toEqual([2, ""]);
      expect(run.stderr).toContain("reports no expiration dates");
    },
  );
});

describe("exit codes", () => {
  test("exits with code 0 despite findings without --fail-on", async () => {
    const server = await serve(usual);
    const { findings } = await auditJson(server);
    expect(findings.length).toBeGreaterThan(0);
    expect((await audit(server)).code).toBe(0);
  });

  test("exits with code 14 if --fail-on has findings, else with 0", async () => {
    const server = await serve(usual);
    const run = await audit(server, "--fail-on", "scope=admin:*", "--json");
    expect(run.code).toBe(14);
    expect(JSON.parse(run.stdout)).toMatchObject({ findings: [{ id: 7 }] });
    expect(JSON.parse(run.stderr)).toMatchObject({
      error: {
        class: "findings",
        exit_code: 14,
        message: expect.stringContaining("the audit has findings: scope=admin:* (1 of ") as string,
      },
    });
    expect((await audit(server, "--fail-on", "scope=site_admin")).code).toBe(0);
  });

  test.each([
    [["--fail-on", "nosuch"], "unknown rule nosuch"],
    [["--fail-on", ""], "empty rule"],
    [["--fail-on", "no-note,"], "empty rule"],
    [["--fail-on", "older-than"], "needs a value"],
    [["--fail-on", "older-than=90"], "has no unit"],
    [["--fail-on", "older-than=90"], "hint: Use older-than=90d for days."],
    [["--fail-on", "older-than=x"], "or a date: older-than=2026-01-31"],
    [["--fail-on", "older-than=2030-01-01"], "in the future"],
    [["--fail-on", "no-note=1"], "takes no value"],
    [["--fail-on", "new"], "an earlier audit"],
    [["--fail-on", "widened"], "an earlier audit"],
    [["--fail-on", "not-used-for=90d"], "does not report when a token was last used"],
    [["--fail-on", "unused=90d"], "does not report when a token was last used"],
    [["--compare", "/dev/null/nothing"], "cannot be read (a part of its path is not a directory)"],
    [["--output-file", "/dev/null/audit.html"], "cannot be written (a part of its path is not a directory)"],
    [["--output-file", "-", "--format", "csv"], "--output-file names no file"],
    [["--output-file", "audit"], "the format of audit"],
    [["--output-file", "audit.html", "--format", "table"], "only for terminals"],
    [["--format", "html", "--json", "account"], "--format html has none"],
    [["--json", "nosuch"], "unknown field: nosuch"],
  ])("%j exits with code 2 and writes nothing", async (words, message) => {
    const server = await serve(usual);
    const run = await audit(server, ...words);
    expect([run.code, run.stdout]).toEqual([2, ""]);
    expect(run.stderr).toContain(message);
    expect(server.writes()).toEqual([]);
  });
});

/** Runs an audit; the `failing` list returns this response from its second page on. */
async function breakOff(second: Fields | "cut", failing: string): Promise<Fields> {
  const server = await startRecordingServer(({ path }) => {
    const link = {
      Link: `<http://x${path}&page=2>; rel="next", <http://x${path}&page=3>; rel="last"`,
    };
    if (!path.includes(failing)) return { status: 200, body: [] };
    if (path.includes("page=2")) return second === "cut" ? ("cut" as never) : (second as never);
    return { status: 200, body: [grantJson()], headers: link };
  });
  const file = join(makeFolder(), "audit.html");
  const run = await audit(server, "--output-file", file);
  return { ...run, isWritten: existsSync(file) };
}

const nothing = {
  stdout: "",
  stderr: expect.stringContaining("the list is incomplete") as string,
  isWritten: false,
};

describe("an incomplete list", () => {
  test.each(["grants", "authorizations"])("fails and writes no file: %s", async (failing) => {
    expect(await breakOff({ status: 403, body: { message: "no" } }, failing)).toEqual({
      ...nothing,
      code: 1,
    });
    expect(await breakOff("cut", failing)).toEqual({ ...nothing, code: 8 });
    expect(await breakOff({ status: 200, body: "[{" }, failing)).toEqual({
      ...nothing,
      code: 1,
    });
  });

  test("fails if the list ends before the announced last page", async () => {
    const second = { status: 200, body: [grantJson({ id: 43 })] };
    expect(await breakOff(second, "grants")).toEqual({ ...nothing, code: 1 });
  });
});

describe("files", () => {
  test.each([
    ["audit.html", "<!doctype html>"],
    ["audit.csv", "RESOURCE,ID,NAME"],
    ["audit.json", '{"account"'],
  ])("%s selects the format, is private, and leaves standard output empty", async (name, beginning) => {
    const file = join(makeFolder(), name);
    const run = await audit(await serve(usual), "--output-file", file);
    expect(run).toEqual({ code: 0, stdout: "", stderr: `wrote ${file}\n` });
    expect(readFileSync(file, "utf8").startsWith(beginning)).toBe(true);
    expect(lstatSync(file).mode & 0o777).toBe(0o600);
  });

  test("replaces an existing file only with --force, and never a link", async () => {
    const server = await serve(usual);
    const folder = makeFolder();
    const [file, link] = [join(folder, "audit.csv"), join(folder, "link.csv")];
    writeFileSync(file, "mine");
    symlinkSync(file, link);
    expect((await audit(server, "--output-file", file)).code).toBe(2);
    expect((await audit(server, "--output-file", link, "--force")).code).toBe(2);
    expect(readFileSync(file, "utf8")).toBe("mine");
    expect(server.requests).toEqual([]);
    expect((await audit(server, "--output-file", file, "--force")).code).toBe(0);
    expect(readFileSync(file, "utf8")).not.toBe("mine");
  });

  test("rejects the earlier audit as the output file", async () => {
    const server = await serve(usual);
    const file = await saveAudit(server);
    const sent = server.requests.length;
    const run = await audit(server, "--output-file", file, "--compare", file, "--force");
    expect([run.code, server.requests.length]).toEqual([2, sent]);
  });
});
