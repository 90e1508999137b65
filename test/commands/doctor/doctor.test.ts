// `grantctl doctor`: its report on a healthy machine and server, and on each problem it detects.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAccount, type Account } from "../../support/account.ts";
import { startRecordingServer } from "../../support/recording-server.ts";
import { makeFolder } from "../../support/state-folder.ts";
import { runMain, type World } from "../../support/test-host.ts";

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly detail: string;
  readonly fix: string | null;
}

let account: Account;
beforeAll(async () => {
  account = await openAccount({ otp: "app", headerWord: "GitHub" });
});
afterAll(() => account.sandbox.close());

async function examine(
  world: Omit<World, "argv">,
  ...flags: string[]
): Promise<{ readonly code: number; readonly stderr: string; of(check: string): Finding | undefined }> {
  const { code, stdout, stderr } = await runMain(["doctor", "--json", ...flags], world);
  const findings = JSON.parse(stdout) as Finding[];
  return { code, stderr, of: (check) => findings.find((finding) => finding.check === check) };
}

test("reports a healthy server as fine, with nothing on standard error", async () => {
  const run = await examine({ environment: { ...account.environment, GRANTCTL_HEADER_WORD: "GitHub" } });
  expect([run.code, run.stderr]).toEqual([0, ""]);
  for (const check of [
    "Node.js",
    "permissions",
    "address",
    "proxy",
    "connection",
    "clock",
    "account",
    "header word",
  ]) {
    expect(run.of(check)).toMatchObject({ check, status: "fine", fix: null });
  }
});

test("names the header word that the server uses", async () => {
  const run = await examine({ environment: account.environment });
  expect(run.code).toBe(2);
  expect(run.of("header word")).toMatchObject({
    status: "wrong",
    detail: "the server challenges with X-GitHub-OTP, but the header word is Service",
    fix: "Run `grantctl config set header_word GitHub`.",
  });
});

test("derives the header word from other headers if no one-time password is required", async () => {
  const server = await startRecordingServer(() => ({
    status: 200,
    headers: { "X-Acme-Request-Id": "1" },
    body: [],
  }));
  const run = await examine({ environment: server.environment });
  expect(run.code).toBe(0);
  expect(run.of("header word")).toMatchObject({
    status: "note",
    fix: "Run `grantctl config set header_word Acme`.",
  });
});

/** A time in whole seconds, as the Date header has no fractions. */
const second = Date.parse("2026-01-31T12:00:00Z");

test.each([
  [-300_000, "wrong", /^this clock is 300 s behind/, 4],
  [300_000, "wrong", /^this clock is 300 s ahead/, 4],
  [10_000, "note", /^this clock is 10 s ahead/, 0],
  [0, "fine", /in sync/, 0],
])("reports a clock that is off by %i ms as %s", async (offMs, status, message, code) => {
  const server = await startRecordingServer(() => ({
    status: 200,
    headers: { Date: new Date(second).toUTCString() },
    body: [],
  }));
  const run = await examine({ environment: server.environment, now: () => second + offMs });
  expect(run.of("clock")).toMatchObject({ status });
  expect(run.of("clock")?.detail).toMatch(message);
  expect(run.code).toBe(code);
});

test.each([
  [401, "wrong", 4],
  [404, "wrong", 3],
  [200, "fine", 0],
  [503, "note", 0],
])("reports credentials that get status %i as %s", async (status, expected, code) => {
  const server = await startRecordingServer(({ headers }) =>
    headers["authorization"] === undefined ? { status: 404, body: {} } : { status, body: [] },
  );
  const run = await examine({ environment: server.environment });
  expect([run.of("account")?.status, run.code]).toEqual([expected, code]);
});

test.each([
  [
    "a web page",
    { status: 200, headers: { "Content-Type": "text/html" }, body: "<!doctype html><p>Welcome" },
  ],
  ["a web page of a 404", { status: 404, headers: { "Content-Type": "text/html" }, body: "<p>Not found" }],
  ["JSON that is no list", { status: 200, body: { current_user_url: "https://service.example/user" } }],
  ["a redirect", { status: 302, headers: { Location: "https://service.example/login" }, body: "" }],
] as const)("reports a base URL that responds with %s as wrong", async (_, answer) => {
  const server = await startRecordingServer(() => answer);
  const run = await examine({ environment: server.environment });
  expect(run.code).toBe(1);
  expect(run.of("account")).toMatchObject({
    status: "wrong",
    fix: "Set --base-url to the URL of the API.",
  });
  // Users who have not logged in also get this report.
  const { GRANTCTL_USERNAME: _username, ...nobody } = server.environment;
  const before = await examine({ environment: nobody });
  expect([before.of("connection")?.status, before.code]).toEqual(["note", 0]);
});

test("reports a failed connection with a hint, skips dependent checks, and exits with the code of a run", async () => {
  const run = await examine({ environment: { GRANTCTL_BASE_URL: "https://127.0.0.1:1" } });
  expect(run.code).toBe(8);
  expect(run.of("connection")?.status).toBe("wrong");
  expect(run.of("connection")?.fix).toBeTruthy();
  expect(run.of("clock")).toBeUndefined();
});

test("reports no problem without any configuration, and prints the next step on each line", async () => {
  const run = await examine({});
  expect(run.code).toBe(0);
  expect(run.of("configuration")).toMatchObject({
    status: "note",
    fix: "Run `grantctl auth login` to create one.",
  });
  expect(run.of("address")?.status).toBe("note");
  expect(run.of("keychain")?.status).toBe("note");
});

describe("files", () => {
  const folder = mkdtempSync(join(tmpdir(), "grantctl-doctor-"));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const environment = { GRANTCTL_CONFIG_DIR: folder, GRANTCTL_STATE_DIR: join(folder, "state") };

  test("reports a broken configuration with its key, and still runs the other checks", async () => {
    writeFileSync(
      join(folder, "config.json"),
      '{\n  "profiles": { "default": {\n    "colour": "canary" } } }\n',
      { mode: 0o600 },
    );
    const run = await examine({ environment });
    expect(run.code).toBe(2);
    expect(run.of("configuration")?.detail).toMatch(
      /config\.json: profiles\.default\.colour is not a setting$/,
    );
    expect(JSON.stringify(run.of("configuration"))).not.toContain("canary");
    expect(run.of("keychain")).toBeDefined();
  });

  test("reports an unwritable state folder, as no token could be created", async () => {
    const state = "/dev/null/state";
    const run = await examine({ environment: { ...account.environment, GRANTCTL_STATE_DIR: state } });
    expect(run.code).toBe(2);
    expect(run.of("permissions")).toMatchObject({
      status: "wrong",
      detail: `the state directory ${state} cannot be written (ENOTDIR)`,
      fix: "Set GRANTCTL_STATE_DIR to a directory of yours.",
    });
  });

  test("reports folders that are symbolic links, as grantctl does not write through them", async () => {
    const links = makeFolder();
    mkdirSync(join(links, "real"), { mode: 0o700 });
    for (const name of ["state", "config"]) symlinkSync("real", join(links, name));
    const real = { GRANTCTL_STATE_DIR: join(links, "real"), GRANTCTL_CONFIG_DIR: join(links, "real") };
    expect((await examine({ environment: real })).code).toBe(0);
    const ofState = await examine({ environment: { ...real, GRANTCTL_STATE_DIR: join(links, "state") } });
    expect(ofState.code).toBe(2);
    expect(ofState.of("permissions")).toMatchObject({
      status: "wrong",
      detail: expect.stringMatching(
        /^the state directory .* is a symbolic link, which is not followed, so grantctl cannot record its changes there$/,
      ) as string,
      fix: "Set GRANTCTL_STATE_DIR to a directory of yours.",
    });
    const configuration = { ...real, GRANTCTL_CONFIG_DIR: join(links, "config") };
    const ofConfiguration = await examine({ environment: configuration });
    expect(ofConfiguration.code).toBe(0);
    expect(ofConfiguration.of("permissions")).toMatchObject({
      status: "note",
      detail: expect.stringMatching(/is a symbolic link, .* nothing can be configured$/) as string,
    });
    const set = await runMain(["config", "set", "format", "csv"], { environment: configuration });
    expect([set.code, set.stderr]).toEqual([2, expect.stringContaining("is a symbolic link")]);
  });

  test("reports a file that others may read or change, with the command that fixes it", async () => {
    writeFileSync(join(folder, "config.json"), "{}");
    writeFileSync(join(folder, "credentials.json"), "[]");
    chmodSync(join(folder, "credentials.json"), 0o640);
    mkdirSync(join(folder, "state"), { recursive: true });
    chmodSync(join(folder, "state"), 0o755);
    chmodSync(folder, 0o777);
    const { stdout, code } = await runMain(["doctor", "--format", "tsv"], { environment });
    expect(code).toBe(2);
    expect(stdout).toContain(
      `other users can change ${folder}\tRun \`chmod 700 ${folder}\` to make it accessible only to you.\n`,
    );
    expect(stdout).toContain(
      `Run \`chmod 600 ${join(folder, "credentials.json")}\` to make it accessible only to you.\n`,
    );
    expect(stdout).toContain(
      `Run \`chmod 700 ${join(folder, "state")}\` to make it accessible only to you.\n`,
    );
  });
});

test("cuts nothing on a narrow terminal, and prints hints on their own lines", async () => {
  const { stdout } = await runMain(["doctor", "--no-color"], { columns: 40 });
  expect(stdout).toMatch(
    /^fine {3}Node\.js {8}\d+\.\d+\.\d+\nnote {3}configuration\n {2}none at\n {2}\/.*\n {2}Run `grantctl auth login` to create\n {2}one\.\n/,
  );
});

describe("the operator", () => {
  const metas = {
    enterprise: { installed_version: "3.19.2", verifiable_password_authentication: true },
    old: { installed_version: "2.19.0", verifiable_password_authentication: true },
    saml: { installed_version: "3.19.2", verifiable_password_authentication: false },
    dotcom: { verifiable_password_authentication: false },
    none: {},
  };
  test.each([
    ["enterprise", "github", "fine", "github: GitHub Enterprise Server 3.19.2", null],
    [
      "enterprise",
      "service",
      "wrong",
      "service, but the server is GitHub Enterprise Server 3.19.2",
      "Run `grantctl config set server_type github`.",
    ],
    ["old", "service", "fine", "service", null],
    [
      "saml",
      "github",
      "note",
      "with SAML, CAS or LDAP and does not accept passwords",
      "Run `grantctl auth login --app` or `grantctl auth login --with-token`.",
    ],
    ["dotcom", "github", "note", "without operations for grants and authorizations", null],
    [
      "none",
      "github",
      "note",
      "does not identify itself as github.com or Enterprise Server 3",
      "Run `grantctl auth status --verbose` to see where the server type comes from.",
    ],
    ["none", "service", "fine", "service", null],
  ] as const)("%s server, configured as %s: status %s", async (server, operator, status, message, hint) => {
    const { root, requests } = await startRecordingServer(({ path }) =>
      path === "/meta" ? { status: 200, body: metas[server] } : { status: 404 },
    );
    const run = await examine({ environment: { GRANTCTL_BASE_URL: root, GRANTCTL_SERVER_TYPE: operator } });
    expect(run.of("server type")).toEqual({
      check: "server type",
      status,
      detail: expect.stringContaining(message) as string,
      fix: hint,
    });
    expect(requests.find(({ path }) => path === "/meta")?.headers["authorization"]).toBeUndefined();
  });

  test.each(["service", "github"])(
    "github.com behind another name, configured as %s: does not send the unsupported password or report it as wrong",
    async (operator) => {
      const { requests, environment } = await startRecordingServer(({ path }) =>
        path === "/meta"
          ? { status: 200, body: metas.dotcom }
          : { status: 404, body: { message: "Not Found" } },
      );
      const run = await examine({ environment: { ...environment, GRANTCTL_SERVER_TYPE: operator } });
      expect(run.of("account")).toBeUndefined();
      expect(requests.filter(({ headers }) => headers["authorization"] !== undefined)).toEqual([]);
    },
  );

  test("does not mistake an Enterprise Server with its version only in headers for github.com", async () => {
    const headers = { "X-GitHub-Enterprise-Version": "3.14.2" };
    const { root } = await startRecordingServer(() => ({ status: 200, headers, body: metas.dotcom }));
    const run = await examine({ environment: { GRANTCTL_BASE_URL: root, GRANTCTL_SERVER_TYPE: "github" } });
    expect(run.of("server type")).toMatchObject({
      detail: expect.stringContaining("github: GitHub Enterprise Server 3.14.2") as string,
    });
  });

  // The response of an Enterprise Server in private mode to requests without credentials.
  test.each([
    ["3.14.2", "github", "fine", "github: GitHub Enterprise Server 3.14.2"],
    ["3.14.2", "service", "wrong", "service, but the server is GitHub Enterprise Server 3.14.2"],
    ["2.19.0", "service", "fine", "service; the server does not indicate another one"],
    [null, "service", "fine", "service; the server does not indicate another one"],
  ])("version %s in private mode, configured as %s: %s", async (version, operator, status, message) => {
    const headers: Record<string, string> =
      version === null ? {} : { "X-GitHub-Enterprise-Version": version };
    const body = { message: "Must authenticate to access this API." };
    const { root } = await startRecordingServer(() => ({ status: 401, headers, body }));
    const run = await examine({ environment: { GRANTCTL_BASE_URL: root, GRANTCTL_SERVER_TYPE: operator } });
    expect(run.of("server type")).toMatchObject({ status, detail: message });
  });
});
