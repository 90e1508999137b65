// `grantctl token inspect`: the facts about a token that the server returns for the token alone.
import { expect, test } from "vitest";
import { startRecordingServer, type Answer, type ArrangedAnswer } from "../../support/recording-server.ts";
import { runMain } from "../../support/test-host.ts";

const now = Date.parse("2026-11-22T00:00:00Z");
const [full, silent, gone, waiting] = ["gho_full", "bare", "ghp_gone", "github_pat_wait"].map((start) =>
  start.padEnd(40, "x1"),
) as [string, string, string, string];

const answer: Answer = ({ headers }) => {
  const token = String(headers.authorization).replace(/^token /i, "");
  if (token === full) {
    return {
      status: 200,
      headers: {
        "X-OAuth-Scopes": "repo, gist",
        "X-OAuth-Client-Id": "0123456789abcdef0123",
        "github-authentication-token-expiration": "2026-12-01 10:00:00 UTC",
      },
      body: { login: "octavia", id: 1 },
    };
  }
  if (token === silent) return { status: 200, body: { login: "octavia", id: 1 } };
  if (token === waiting) {
    return {
      status: 403,
      headers: { "X-Service-SSO": "required; url=https://example.com/approve" },
      body: { message: "approve it" },
    };
  }
  if (token === gone) return { status: 401, body: { message: "Bad credentials" } };
  return { status: 403, body: { message: "too many bad ones" } };
};

async function inspect(
  tokens: readonly string[],
  more: readonly string[] = [],
): Promise<{
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly asked: number;
}> {
  const server = await startRecordingServer(answer);
  const { GRANTCTL_BASE_URL = "" } = server.environment;
  // No application and no account: the token is the only credential.
  const run = await runMain(["token", "inspect", ...more], {
    environment: { GRANTCTL_BASE_URL },
    input: tokens.join("\n"),
    now: () => now,
  });
  for (const token of tokens) expect(run.stdout + run.stderr).not.toContain(token);
  expect(server.lines()).toEqual(server.lines().map(() => "GET /user"));
  return { ...run, asked: server.lines().length };
}

test("prints everything that the server reports about an active token, and null for the rest", async () => {
  const run = await inspect([full], ["--json"]);
  expect([run.code, JSON.parse(run.stdout)]).toEqual([
    0,
    {
      token_last_eight: full.slice(-8),
      state: "alive",
      login: "octavia",
      scopes: ["repo", "gist"],
      client_id: "0123456789abcdef0123",
      expires_at: "2026-12-01T10:00:00Z",
      kind: "application",
    },
  ]);
  const quiet = await inspect([silent], ["--json"]);
  expect(JSON.parse(quiet.stdout)).toMatchObject({
    scopes: null,
    client_id: null,
    expires_at: null,
    kind: null,
  });
});

test("exits with 3 for a revoked token and with 6 for one that requires approval", async () => {
  const dead = await inspect([gone], ["--json"]);
  // The token is the only credential, so a hint about `auth status` would not help.
  expect(dead.stderr).not.toContain("auth status");
  expect([dead.code, JSON.parse(dead.stdout)]).toMatchObject([
    3,
    { state: "dead", login: null, kind: "personal" },
  ]);
  const approval = await inspect([waiting], ["--json"]);
  expect([approval.code, JSON.parse(approval.stdout)]).toMatchObject([
    6,
    { state: "approval-needed", kind: "personal-fine-grained" },
  ]);
  expect(approval.stderr).toContain("https://example.com/approve");
});

test("inspects several tokens sequentially, and exits with the riskiest code", async () => {
  const run = await inspect([full, gone, silent], ["--json", "state"]);
  expect([run.code, JSON.parse(run.stdout)]).toEqual([
    3,
    [{ state: "alive" }, { state: "dead" }, { state: "alive" }],
  ]);
  expect((await inspect([gone, waiting, full])).code).toBe(6);
  expect((await inspect([full, silent])).code).toBe(0);
});

test("stops at a 403 and reports the number of untried tokens", async () => {
  const run = await inspect([full, "shut-out", silent, gone], ["--format", "ndjson"]);
  expect([run.code, run.asked, run.stdout.trimEnd().split("\n").length]).toEqual([9, 2, 1]);
  expect(run.stderr).toContain("2 not tried");
  expect((await inspect(["shut-out"])).code).toBe(1);
});

/** Inspects one active token with this expiry from the server, or with this response. */
async function inspectAnswered(arranged: ArrangedAnswer): ReturnType<typeof runMain> {
  const server = await startRecordingServer(() => arranged);
  const { GRANTCTL_BASE_URL = "" } = server.environment;
  return runMain(["token", "inspect", "--json"], {
    environment: { GRANTCTL_BASE_URL },
    input: full,
    now: () => now,
  });
}

test.each([
  ["2026-12-01 10:00:00 UTC", "2026-12-01T10:00:00Z"],
  // GitHub's format for some tokens: an offset after a blank.
  ["2026-12-01 12:00:00 +0200", "2026-12-01T10:00:00Z"],
  ["2026-12-01 05:00:00 -05:00", "2026-12-01T10:00:00Z"],
  ["2026-12-01T10:00:00Z", "2026-12-01T10:00:00Z"],
  // A time with a named zone is printed unchanged.
  ["2026-12-01 10:00:00 CEST", "2026-12-01 10:00:00 CEST"],
  ["soon", "soon"],
])("shows a token that expires at %s", async (written, said) => {
  const arranged = {
    status: 200,
    headers: { "github-authentication-token-expiration": written },
    body: { login: "octavia" },
  };
  const run = await inspectAnswered(arranged);
  expect([run.code, JSON.parse(run.stdout)]).toMatchObject([0, { expires_at: said }]);
});

test("ignores empty headers", async () => {
  const headers = { "X-OAuth-Client-Id": "", "github-authentication-token-expiration": " " };
  const arranged = { status: 200, headers, body: { login: "octavia" } };
  const run = await inspectAnswered(arranged);
  expect(JSON.parse(run.stdout)).toMatchObject({ client_id: null, expires_at: null });
});

test.each([
  [
    "a page of a gateway",
    { "WWW-Authenticate": "Negotiate", "Content-Type": "text/html" },
    "\n<html>401</html>",
    4,
  ],
  ["a one-time password", { "X-Service-OTP": "required; app" }, '{"message":"Must specify …"}', 5],
  [
    "the service's own words",
    { "WWW-Authenticate": 'Basic realm="service"' },
    '{"message":"Bad credentials"}',
    3,
  ],
  // The response of nginx with auth_request.
  ["a page without a challenge", { "Content-Type": "text/html" }, "<html>401</html>", 4],
  ["a page that is called JSON", { "Content-Type": "application/json" }, "<html>401</html>", 4],
  // The response of an Enterprise Server in private mode to a revoked token and to requests without one.
  ["private mode", {}, '{"message":"Must authenticate to access this API.","documentation_url":"x"}', 3],
  ["more words", {}, '{"message":"Bad credentials. The API can\'t be accessed using …"}', 3],
  // A proxy that does not pass the Authorization header.
  ["the token lost on the way", {}, '{"message":"Requires authentication"}', 4],
  ["an API gateway's JSON", {}, '{"message":"Unauthorized"}', 4],
  ["another service's JSON", {}, '{"message":"401 Unauthorized"}', 4],
  ["another form of error", {}, '{"error":"invalid_token","error_description":"Bad credentials"}', 4],
  ["nothing", {}, "", 4],
] as const)("classifies a 401 with %s", async (_, headers, body, code) => {
  const run = await inspectAnswered({ status: 401, headers, body });
  expect(run.code).toBe(code);
  expect(run.stdout.includes('"dead"')).toBe(code === 3);
});

test.each([
  ["a web page", { "Content-Type": "text/html; charset=utf-8" }, "<html>404</html>"],
  ["the API's own error", {}, '{"message":"Not Found"}'],
] as const)("treats a 404 with %s as a wrong base URL, not as a revoked token", async (_, headers, body) => {
  const run = await inspectAnswered({ status: 404, headers, body });
  expect([run.code, run.stdout]).toEqual([11, ""]);
  expect(run.stderr).toContain("base URL");
});
