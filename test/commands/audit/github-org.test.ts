// `grantctl audit --github-org`: an organization's credential authorizations, with or without the account's access.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openAccount } from "../../support/account.ts";
import {
  startRecordingServer,
  type ArrangedAnswer,
  type RecordingServer,
} from "../../support/recording-server.ts";
import { authorizationJson, grantJson } from "../../support/resources.ts";
import { makeFolder } from "../../support/state-folder.ts";
import { runMain } from "../../support/test-host.ts";

type Fields = Readonly<Record<string, unknown>>;

const token = "gho_".padEnd(40, "7");
const now = (): number => Date.parse("2025-03-01T00:00:00Z");

function credentialJson(fields: Fields = {}): Fields {
  return {
    login: "rosalind",
    credential_id: 161195,
    credential_type: "personal access token",
    token_last_eight: "71c3fc11",
    credential_authorized_at: "2024-01-26T19:06:43Z",
    credential_accessed_at: "2024-08-26T19:06:43Z",
    authorized_credential_expires_at: null,
    scopes: ["admin:org", "repo"],
    ...fields,
  };
}

const key = credentialJson({
  credential_id: 161196,
  login: "kwame",
  credential_type: "SSH key",
  token_last_eight: undefined,
  authorized_credential_expires_at: undefined,
  scopes: undefined,
  fingerprint: "jklmnop12345678",
  credential_accessed_at: null,
});
const recent = credentialJson({
  credential_id: 161197,
  credential_accessed_at: "2025-02-27T00:00:00Z",
  scopes: ["repo"],
});

const server319 = { verifiable_password_authentication: true, installed_version: "3.19.2" };
const githubCom = { verifiable_password_authentication: false };

/** A GitHub server with this /meta and this response for the organization. */
async function serve(meta: Fields, organization: ArrangedAnswer): Promise<RecordingServer> {
  return startRecordingServer(({ path }) => {
    if (path === "/meta") return { status: 200, body: meta };
    if (path.startsWith("/orgs/")) return organization;
    if (meta === githubCom) return { status: 404, body: { message: "Not Found" } };
    return { status: 200, body: path.includes("grants") ? [grantJson()] : [authorizationJson()] };
  });
}

const rows: ArrangedAnswer = { status: 200, body: [credentialJson(), key, recent] };

async function audit(
  server: { readonly environment: Readonly<Record<string, string>> },
  environment: Readonly<Record<string, string>>,
  ...words: readonly string[]
): ReturnType<typeof runMain> {
  return runMain(["audit", "--operator", "github", ...words], {
    environment: { ...server.environment, ...environment },
    now,
  });
}

const withToken = { GRANTCTL_TOKEN: token };
const org = ["--github-org", "octo-org"];

test("reads the organization with the token and the account with the password", async () => {
  const server = await serve(server319, rows);
  const { code, stdout, stderr } = await audit(server, withToken, ...org, "--json");
  expect([code, stderr]).toEqual([0, ""]);
  expect(server.lines()).toEqual([
    "GET /meta",
    "GET /orgs/octo-org/credential-authorizations?per_page=100",
    "GET /applications/grants?per_page=100",
    "GET /authorizations?per_page=100",
  ]);
  expect(server.requests.map(({ headers }) => headers["authorization"]?.slice(0, 6))).toEqual([
    undefined,
    "token ",
    "Basic ",
    "Basic ",
  ]);
  const document = JSON.parse(stdout) as Fields;
  expect(document).toMatchObject({
    account: "octavia",
    operator: "github",
    organization: "octo-org",
    grants: [grantJson()],
    authorizations: [authorizationJson()],
    summary: { grants: 1, authorizations: 1, credentials: 3 },
  });
  expect(document["credentials"]).toEqual(JSON.parse(JSON.stringify(rows.body)));
  expect(stdout).not.toContain(token);
});

test("sends the account's credentials if there is no token, like `api`", async () => {
  const server = await serve(server319, rows);
  expect((await audit(server, {}, ...org)).code).toBe(0);
  const request = server.requests.find(({ path }) => path.startsWith("/orgs/"));
  expect(request?.headers["authorization"]).toMatch(/^Basic /);
});

test("not-used-for finds unused and never used credentials", async () => {
  const server = await serve(server319, rows);
  const run = await audit(server, withToken, ...org, "--fail-on", "not-used-for=90d", "--json", "findings");
  expect(run.code).toBe(14);
  const finding = { rule: "not-used-for=90d", resource: "credential" };
  const path = "/orgs/octo-org/credential-authorizations";
  expect(JSON.parse(run.stdout)).toMatchObject({
    findings: [
      {
        ...finding,
        id: 161195,
        name: "rosalind: personal access token",
        measure: "not used for 186 days",
        command: `grantctl --operator github api -X DELETE ${path}/161195`,
      },
      {
        ...finding,
        id: 161196,
        name: "kwame: SSH key",
        measure: "never used",
        command: `grantctl --operator github api -X DELETE ${path}/161196`,
      },
    ],
  });
  expect((await audit(server, withToken, ...org, "--fail-on", "not-used-for=20y")).code).toBe(0);
});

test("not-used-for is a default rule only with --github-org", async () => {
  const server = await serve(server319, rows);
  const usual = await audit(server, withToken, ...org, "--json", "summary.rules");
  expect(usual.stdout).toContain('{"rule":"not-used-for=90d","findings":2,"items":3,"unjudged":0}');
  expect((await audit(server, withToken, "--json", "summary.rules")).stdout).not.toContain("not-used-for");
  const refused = await audit(server, withToken, "--fail-on", "not-used-for=90d");
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toContain("--github-org ORGANIZATION");
});

test.each(["csv", "tsv", "md", "html", "table"])("%s reports credentials", async (format) => {
  const server = await serve(server319, rows);
  const words = ["--format", format, "--fail-on", "not-used-for=90d"];
  const { stdout } = await audit(server, withToken, ...org, ...words);
  expect(stdout).toContain("rosalind: personal access token");
  expect(stdout).toContain("161195");
  expect(stdout).toMatch(/never used/i);
});

test("counts the approval of the account's own token with that token", async () => {
  const { token_last_eight } = authorizationJson() as { readonly token_last_eight: string };
  const approval = credentialJson({ token_last_eight, credential_accessed_at: "2024-06-01T00:00:00Z" });
  const server = await serve(server319, { status: 200, body: [approval, recent] });
  const words = ["--format", "md", "--fail-on", "not-used-for=90d"];
  const { stdout } = await audit(server, withToken, ...org, ...words);
  const [finding = "", ...others] = stdout.split("\n").filter((line) => line.includes("not used for"));
  expect(finding).toContain("Tidewatch CI` (application with 1 token)");
  expect(others).toEqual([]);
});

test("a snapshot includes credentials without their last use; --compare reports their changes", async () => {
  const folder = makeFolder();
  const file = join(folder, "access.json");
  const first = await serve(githubCom, { status: 200, body: [credentialJson(), key] });
  expect((await audit(first, withToken, ...org, "--save", file)).code).toBe(0);
  const text = readFileSync(file, "utf8");
  expect(text).toContain('"organization": "octo-org"');
  expect(text).toContain('"authorizations": null');
  expect(text).not.toContain("2024-08-26");

  const changed = credentialJson({
    credential_accessed_at: "2025-02-28T00:00:00Z",
    scopes: ["admin:org", "delete_repo", "repo"],
  });
  const second = await serve(githubCom, { status: 200, body: [recent, changed] });
  writeFileSync(file, text.replace(first.root, second.root));
  const run = await audit(second, withToken, ...org, "--compare", file, "--json", "changes");
  expect((JSON.parse(run.stdout) as { changes: unknown }).changes).toMatchObject([
    { change: "new", resource: "credential", id: 161197, before: null },
    { change: "widened", resource: "credential", id: 161195 },
    { change: "gone", resource: "credential", id: 161196, name: "kwame: SSH key", after: null },
  ]);
  const other = await audit(second, withToken, "--github-org", "another", "--compare", file);
  expect(other).toMatchObject({ code: 2, stdout: "" });
});

describe("on github.com", () => {
  test("reads only the organization, with the token", async () => {
    const server = await serve(githubCom, rows);
    const { code, stdout, stderr } = await audit(server, withToken, ...org, "--json");
    expect([code, stderr]).toEqual([0, ""]);
    expect(server.lines()).toEqual([
      "GET /meta",
      "GET /orgs/octo-org/credential-authorizations?per_page=100",
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      account: "octo-org",
      organization: "octo-org",
      summary: { grants: null, authorizations: null, credentials: 3 },
      grants: [],
      authorizations: [],
    });
    const page = await audit(server, withToken, ...org, "--format", "html");
    expect(page.stdout).toContain("Who has access to <bdi>octo-org</bdi>");
    expect(page.stdout).not.toContain(">Applications<");
  });

  test("exits with code 4 without a token, and sends no account credentials", async () => {
    const server = await serve(githubCom, rows);
    const run = await audit(server, {}, ...org);
    expect(run).toMatchObject({ code: 4, stdout: "" });
    expect(run.stderr).toContain("no token configured");
    expect(server.lines()).toEqual(["GET /meta"]);
  });

  test.each(["no-note", "no-fingerprint", "duplicate-note", "not-updated-for=180d", "unknown-app"])(
    "rejects the rule %s because its data is not read",
    async (rule) => {
      const server = await serve(githubCom, rows);
      const known = join(makeFolder(), "known.txt");
      writeFileSync(known, "Quill\n");
      const words = ["--github-org", "octo", "--known", known, "--fail-on"];
      const run = await audit(server, withToken, ...words, `older-than=20y,${rule}`);
      expect([run.code, run.stdout, server.lines()]).toEqual([2, "", ["GET /meta"]]);
      expect(run.stderr).toContain(`the rule ${rule} is rejected`);
      expect((await audit(server, withToken, ...words, "older-than=20y")).code).toBe(0);
    },
  );

  test("recognizes its own URL without a request", async () => {
    const run = await runMain(["audit", "--operator", "github", ...org, "--no-input"], { now });
    expect(run).toMatchObject({ code: 4, stdout: "" });
    expect(run.stderr).toContain("no token configured");
  });
});

test.each([
  [3, { status: 404, body: { message: "Not Found" } }],

  [6, { status: 403, body: {}, headers: { "X-GitHub-SSO": "required; url=https://x.test/sso" } }],
  [11, { status: 200, body: [credentialJson({ credential_id: "seven" })] }],
])("exits with code %i if the organization cannot be read, and writes nothing", async (code, answer) => {
  const server = await serve(server319, answer);
  const file = join(makeFolder(), "access.json");
  const run = await audit(server, withToken, ...org, "--save", file);
  expect(run).toMatchObject({ code, stdout: "" });
  expect(existsSync(file)).toBe(false);
  expect(run.stderr).not.toContain(token);
});

test.each([
  [["--operator", "service", ...org], "--github-org is for GitHub, and the operator is service"],
  [["--operator", "github", "--github-org", ".."], "--github-org takes the organization's name"],
  [["--operator", "github", "--github-org", ""], "--github-org takes the organization's name"],
  [["--operator", "github", "--github-org", "a/b"], "--github-org takes the organization's name"],
  [["--operator", "github", "--github-org", "a", "--github-org", "b"], "--github-org is given twice"],
])("%j exits with code 2 and sends nothing", async (words, message) => {
  const server = await serve(server319, rows);
  const run = await runMain(["audit", ...words], { environment: server.environment, now });
  expect(run).toMatchObject({ code: 2, stdout: "" });
  expect(run.stderr).toContain(message);
  expect(server.requests).toEqual([]);
});

test.each(["github", "github.com"] as const)("works with the sandbox of %s", async (operator) => {
  const { sandbox, environment } = await openAccount({ operator, headerWord: "GitHub" });
  onTestFinished(async () => sandbox.close());
  const all = {
    ...environment,
    GRANTCTL_OPERATOR: "github",
    GRANTCTL_TOKEN: sandbox.description.tokens[0]?.token ?? "",
  };
  const words = ["audit", "--github-org", "lanternfish", "--json", "--fail-on", "not-used-for=90d"];
  const run = await runMain(words, { environment: all });
  expect(run.code).toBe(14);
  const document = JSON.parse(run.stdout) as { findings: { command: string }[]; summary: Fields };
  expect(document.summary).toMatchObject({
    credentials: 2,
    grants: operator === "github" ? 3 : null,
    findings: 1,
  });
  // The suggested command works.
  const [, ...command] = (document.findings[0]?.command ?? "").split(" ");
  expect((await runMain([...command, "--yes"], { environment: all })).code).toBe(0);
  expect((await runMain(words, { environment: all })).code).toBe(0);
});
