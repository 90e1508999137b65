// `grantctl auth status`: shows every source and the one in use, without secrets, commands or requests.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeConfigurationFolder } from "../../support/configuration.ts";
import { credentials, startRecordingServer } from "../../support/recording-server.ts";
import { makeFolder } from "../../support/state-folder.ts";
import { runMain, type World } from "../../support/test-host.ts";

interface StatusRow {
  readonly name: string;
  readonly value: string | null;
  readonly source: string | null;
}

const root = "https://ghe.example.com";
const { clientId } = credentials;

/** Returns the status as JSON, by setting. */
async function statusOf(
  world: Omit<World, "argv">,
  flags: readonly string[] = [],
): Promise<{ code: number; text: string; rows: Record<string, StatusRow> }> {
  const { code, stdout, stderr } = await runMain(["auth", "status", "--json", ...flags], world);
  const rows = JSON.parse(stdout) as StatusRow[];
  return { code, text: stdout + stderr, rows: Object.fromEntries(rows.map((row) => [row.name, row])) };
}

describe("auth status", () => {
  test("shows all sources and the one in use, but no secret", async () => {
    const ran = join(makeFolder(), "ran");
    const command = (name: string): string => `sh -c 'touch ${ran}; echo canary-${name}'`;
    const folder = makeConfigurationFolder({
      profiles: {
        default: {
          base_url: root,
          username: "octavia",
          client_id: clientId,
          password_command: command("password"),
          client_secret_command: command("secret"),
          otp_command: command("otp"),
        },
      },
      stored_secrets: [
        { profile: "default", base_url: root, kind: "password", name: "octavia", store: "file" },
        { profile: "default", base_url: root, kind: "client-secret", name: clientId, store: "file" },
      ],
    });
    writeFileSync(
      join(folder.path, "credentials.json"),
      JSON.stringify([
        { profile: "default", baseUrl: root, kind: "password", name: "octavia", secret: "canary-stored" },
      ]),
      { mode: 0o600 },
    );
    const environment = {
      ...folder.environment,
      GRANTCTL_PASSWORD: "canary-variable",
      GRANTCTL_OTP: "canary-code",
      GRANTCTL_TOKEN: "canary-token",
      GRANTCTL_OTP_COMMAND: command("variable"),
    };
    const { code, text, rows } = await statusOf({ environment, input: "canary-input" }, [
      "--password-stdin",
      "--otp",
      "canary-flag",
    ]);
    expect(code).toBe(0);
    expect(text).not.toContain("canary");
    expect(existsSync(ran)).toBe(false);
    expect(rows["password"]).toMatchObject({ value: null, source: "flag" });
    expect(rows["client_secret"]?.source).toBe("profile");
    expect(rows["otp"]).toMatchObject({ value: null, source: "flag" });
    expect(rows["username"]).toMatchObject({ value: "octavia", source: "profile" });
    expect(rows["profile"]).toMatchObject({ value: "default", source: "default" });

    for (const format of ["table", "tsv", "csv", "ndjson"]) {
      const run = await runMain(["auth", "status", "--format", format], {
        environment,
        columns: format === "table" ? 200 : null,
      });
      expect(run.code).toBe(0);
      expect(run.stdout).toContain("octavia");
      expect(run.stdout + run.stderr).not.toContain("canary");
    }
    expect(existsSync(ran)).toBe(false);
  });

  test.each<[string, Record<string, string>, string[], number]>([
    ["nothing at all", {}, [], 4],
    ["an address alone", { GRANTCTL_BASE_URL: root }, [], 4],
    ["a user name alone", { GRANTCTL_USERNAME: "octavia" }, [], 4],
    ["a password without its user", { GRANTCTL_PASSWORD: "x" }, [], 4],
    ["a client secret without its client ID", { GRANTCTL_CLIENT_SECRET: "x" }, [], 4],
    ["an account, and no address", { GRANTCTL_USERNAME: "octavia", GRANTCTL_PASSWORD: "x" }, [], 0],
    ["an account", { GRANTCTL_BASE_URL: root, GRANTCTL_USERNAME: "octavia", GRANTCTL_PASSWORD: "x" }, [], 0],
    ["an account by flags", { GRANTCTL_PASSWORD: "x" }, ["--username", "octavia"], 0],
    ["an application", { GRANTCTL_CLIENT_ID: clientId, GRANTCTL_CLIENT_SECRET: "x" }, [], 0],
  ])("with %s exits with the same code as a run", async (_, environment, flags, code) => {
    expect((await statusOf({ environment }, flags)).code).toBe(code);
    const quiet = await runMain(["auth", "status", "--quiet", ...flags], { environment });
    expect([quiet.code, quiet.stderr]).toEqual([code, ""]);
    expect(quiet.stdout).toContain("password");
  });

  const elsewhere: [string, readonly string[], Readonly<Record<string, string>>?][] = [
    ["of another address", ["--base-url", "https://other.example.com"]],
    ["of another scheme", ["--base-url", "http://ghe.example.com"], { GRANTCTL_ALLOW_HTTP: "1" }],
    ["of another port", ["--base-url", `${root}:8443`]],
    ["of another path", ["--base-url", `${root}/realms/two`]],
  ];

  test.each(elsewhere)(
    "reports configured credentials as elsewhere for a server %s",
    async (_, flags, variables) => {
      const folder = makeConfigurationFolder({
        profiles: {
          default: { base_url: root, username: "octavia", password_command: "pass x", otp_command: "otp" },
        },
        stored_secrets: [
          { profile: "default", base_url: root, kind: "password", name: "octavia", store: "keychain" },
        ],
      });
      const environment = { ...folder.environment, ...variables };
      const { code, rows } = await statusOf({ environment }, flags);
      expect(code).toBe(4);
      expect(rows["password"]).toMatchObject({ source: "prompt" });
    },
  );

  test("works if a store does not, and reports the reason", async () => {
    const folder = makeConfigurationFolder({
      profiles: { default: { base_url: root, username: "octavia" } },
      stored_secrets: [
        { profile: "default", base_url: root, kind: "password", name: "octavia", store: "keychain" },
      ],
    });
    const { code, rows } = await statusOf({ environment: folder.environment });
    expect(code).toBe(4);
    expect(rows["password"]).toMatchObject({
      source: "keychain",
      value: expect.stringContaining("could not be run"),
    });
  });

  test("sends nothing", async () => {
    const server = await startRecordingServer();
    expect((await statusOf({ environment: server.environment })).code).toBe(0);
    expect(server.requests).toEqual([]);
  });

  test("escapes control characters in names on a terminal", async () => {
    const run = await runMain(["auth", "status"], {
      environment: { GRANTCTL_USERNAME: "\u001b]0;x\u0007o\u202e" },
      columns: 200,
    });
    expect(run.stdout).not.toMatch(/\u001b\]|\u0007|\u202e/);
  });
});

async function firstLine(environment: Record<string, string>): Promise<string | undefined> {
  const { stdout } = await runMain(["auth", "status"], { environment, columns: 120 });
  return stdout.split("\n")[0];
}

describe("the first line on a terminal", () => {
  test.each<[string, Record<string, string>, string]>([
    ["nobody", {}, "not logged in"],
    ["nobody at an address", { GRANTCTL_BASE_URL: root }, `not logged in to ${root}`],
    [
      "an account",
      { GRANTCTL_BASE_URL: root, GRANTCTL_USERNAME: "octavia", GRANTCTL_PASSWORD: "x" },
      `credentials for octavia at ${root}, not verified`,
    ],
    [
      "an application",
      { GRANTCTL_BASE_URL: root, GRANTCTL_CLIENT_ID: clientId, GRANTCTL_CLIENT_SECRET: "x" },
      `credentials for the application ${clientId} at ${root}, not verified`,
    ],
    ["a token", { GRANTCTL_BASE_URL: root, GRANTCTL_TOKEN: "x" }, `a token for ${root}, not verified`],
    [
      "an account without an address",
      { GRANTCTL_USERNAME: "octavia", GRANTCTL_PASSWORD: "x" },
      "not logged in: octavia has a secret, but no base URL is set",
    ],
  ])("for %s", async (_, environment, line) => {
    expect(await firstLine(environment)).toBe(line);
  });

  test("leaves the store to the secrets line", async () => {
    const folder = makeConfigurationFolder({
      profiles: { default: { base_url: root, username: "octavia" } },
      stored_secrets: [
        {
          profile: "default",
          base_url: root,
          kind: "password",
          name: "octavia",
          store: "file",
          verified: "2026-11-28T07:30:00.000Z, by listing grants",
        },
      ],
    });
    writeFileSync(
      join(folder.path, "credentials.json"),
      JSON.stringify([
        { profile: "default", baseUrl: root, kind: "password", name: "octavia", secret: "canary-stored" },
      ]),
      { mode: 0o600 },
    );
    const { stdout } = await runMain(["auth", "status"], { environment: folder.environment, columns: 120 });
    expect(stdout).toContain(`logged in to ${root} as octavia\n`);
    expect(stdout).toMatch(/^secrets +the password is kept in a file$/m);
    expect(stdout).toMatch(/^verified +the password 2026-11-28T07:30:00.000Z, by listing grants$/m);
  });
});

test("prints five lines on a terminal; --verbose lists every source", async () => {
  const environment = { GRANTCTL_BASE_URL: "https://ghe.example.com", GRANTCTL_USERNAME: "octavia" };
  const brief = await runMain(["auth", "status"], { environment, columns: 100 });
  expect(brief.code).toBe(4);
  expect(brief.stdout.trimEnd().split("\n")).toHaveLength(5);
  expect(brief.stdout).toContain("the password (commands prompt for it). Run `grantctl auth login`.");
  expect(brief.stdout).not.toContain("GRANTCTL_PASSWORD");
  const whole = await runMain(["auth", "status", "--verbose"], { environment, columns: 100 });
  expect(whole.stdout).toContain("GRANTCTL_PASSWORD");
});

test("shows the application's authentication method and custom paths for an OAuth 2.0 server", async () => {
  const environment = {
    GRANTCTL_SERVER_TYPE: "oauth",
    GRANTCTL_CLIENT_AUTH: "post",
    GRANTCTL_REVOCATION_PATH: "/revoke",
  };
  const run = await runMain(["auth", "status", "--json"], { environment });
  const rows = JSON.parse(run.stdout) as readonly {
    readonly name: string;
    readonly value: string | null;
  }[];
  const valueOf = (setting: string) => rows.find((row) => row.name === setting)?.value;
  expect(["client_auth", "introspection_path", "revocation_path"].map(valueOf)).toEqual([
    "post",
    null,
    "/revoke",
  ]);
  const other = await runMain(["auth", "status", "--json"], { environment: {} });
  expect(other.stdout).not.toContain("client_auth");
});
