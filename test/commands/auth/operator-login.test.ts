// Login detects the operator of the server and unsupported operations. It does not prompt for secrets that cannot work,
// and sends no credentials with these requests.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withScheme } from "../../../src/commands/auth/find-server.ts";
import type { ServerType } from "../../../src/sandbox/sandbox.ts";
import { openAccount, type Account } from "../../support/account.ts";
import { makeConfigurationFolder, type ConfigurationFolder } from "../../support/configuration.ts";
import { startRecordingServer, type Answer } from "../../support/recording-server.ts";
import { runMain } from "../../support/test-host.ts";

const accounts = new Map<ServerType, Account>();
beforeAll(async () => {
  for (const operator of ["service", "github", "github.com"] as const) {
    const headerWord = operator === "service" ? "Service" : "GitHub";
    accounts.set(operator, await openAccount({ operator, headerWord }));
  }
});
afterAll(() => Promise.all([...accounts.values()].map(({ sandbox }) => sandbox.close())));

function accountOf(operator: ServerType): Account {
  const account = accounts.get(operator);
  if (account === undefined) throw new Error(`no sandbox is ${operator}`);
  return account;
}

function run(
  words: readonly string[],
  folder: ConfigurationFolder,
  environment: Readonly<Record<string, string>> = {},
  input = "",
): ReturnType<typeof runMain> {
  return runMain(words, { environment: { ...folder.environment, ...environment }, input });
}

const login = ["auth", "login", "--store", "file"];

async function operatorOf(folder: ConfigurationFolder): Promise<unknown> {
  const { stdout } = await run(["config", "get", "server_type"], folder);
  return stdout.trim();
}

describe("an account's login", () => {
  test("at github stores and reports the operator", async () => {
    const folder = makeConfigurationFolder();
    const ended = await run(login, folder, accountOf("github").environment);
    const said = "this is GitHub Enterprise Server 3.19.2: the server type is github";
    expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining(said)]);
    expect(await operatorOf(folder)).toBe("github");
    const listed = await run(["grant", "list", "--json", "id"], folder, {
      GRANTCTL_PASSWORD: accountOf("github").sandbox.description.password,
    });
    expect(listed.code).toBe(0);
  });

  test("stores no operator for a server other than GitHub", async () => {
    const folder = makeConfigurationFolder();
    const ended = await run(login, folder, accountOf("service").environment);
    expect([ended.code, ended.stderr]).toEqual([0, expect.not.stringContaining("operator")]);
    expect(folder.text()).not.toContain("operator");
  });

  test.each([
    ["a flag", ["--server-type", "service"], {}],
    ["a variable", [], { GRANTCTL_SERVER_TYPE: "service" }],
  ] as const)("keeps the operator of %s and warns about a mismatch", async (_, flags, environment) => {
    const folder = makeConfigurationFolder();
    const ended = await run([...login, ...flags], folder, {
      ...accountOf("github").environment,
      ...environment,
    });
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain("whose server type is github; grantctl uses service, as specified");
    expect(await operatorOf(folder)).toBe("service");
  });

  test("corrects the operator of the profile", async () => {
    const folder = makeConfigurationFolder();
    await run(["config", "set", "server_type", "service"], folder);
    expect((await run(login, folder, accountOf("github").environment)).code).toBe(0);
    expect(await operatorOf(folder)).toBe("github");
  });

  test("requests a one-time password with the header of the detected operator", async () => {
    const { sandbox, environment, textMessages } = await openAccount({
      operator: "github",
      headerWord: "GitHub",
      otp: "sms",
    });
    const folder = makeConfigurationFolder();
    const ended = await run(login, folder, { ...environment, GRANTCTL_OTP: "000000" });
    expect([ended.code, textMessages.length]).toEqual([4, 0]);
    await sandbox.close();
  });

  test("exits with code 2 at github.com, which lacks these operations", async () => {
    const folder = makeConfigurationFolder();
    const ended = await run(login, folder, accountOf("github.com").environment);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("github.com removed them in 2020");
    expect(ended.stderr).toContain("https://github.com/settings/applications");
    expect(folder.names()).toEqual([]);
  });
});

test("verifies an application's login at github.com with its token in the body", async () => {
  const folder = makeConfigurationFolder();
  const { environment, sandbox } = accountOf("github.com");
  const ended = await run(
    ["auth", "login", "--app", "--store", "file", "--json"],
    folder,
    environment,
    sandbox.description.tokens[0]?.token,
  );
  expect([ended.code, JSON.parse(ended.stdout)]).toEqual([0, expect.objectContaining({ proven: true })]);
  expect(await operatorOf(folder)).toBe("github");
});

async function loginAt(
  answer: Answer,
  words: readonly string[] = login,
): Promise<Awaited<ReturnType<typeof run>> & { readonly lines: readonly string[] }> {
  const server = await startRecordingServer(answer);
  const folder = makeConfigurationFolder();
  const ended = await run(words, folder, { ...server.environment, GRANTCTL_STATE_DIR: "" });
  for (const { headers } of server.requests.filter(({ path }) => path.endsWith("/meta"))) {
    expect(headers["authorization"]).toBeUndefined();
  }
  expect(folder.names()).toEqual([]);
  return { ...ended, lines: server.lines() };
}

test("adds /api/v3 to a URL without a path if GET /meta confirms it", async () => {
  const server = await startRecordingServer(({ path }) => {
    if (path === "/api/v3/meta")
      return { status: 200, body: { installed_version: "3.19.2", verifiable_password_authentication: true } };
    return path.startsWith("/api/v3/") ? { status: 200, body: [] } : { status: 200, body: "<html>" };
  });
  const folder = makeConfigurationFolder();
  const ended = await run(login, folder, { ...server.environment, GRANTCTL_STATE_DIR: "" });
  expect(ended.code).toBe(0);
  expect(server.lines().slice(0, 2)).toEqual(["GET /meta", "GET /api/v3/meta"]);
  expect(server.lines().slice(2)).toEqual([expect.stringMatching(/^GET \/api\/v3\/applications\/grants/)]);
  expect(ended.stderr).toMatch(/logged in to http:\/\/127\.0\.0\.1:\d+\/api\/v3 as/);
});

test.each([
  ["ghe.example.com", "https://ghe.example.com"],
  ["ghe.example.com:8443/api", "https://ghe.example.com:8443/api"],
  ["localhost", "https://localhost"],
  ["https://ghe.example.com", "https://ghe.example.com"],
  ["http://127.0.0.1:1", "http://127.0.0.1:1"],
  ["//ghe.example.com", "//ghe.example.com"],
  ["octavia@ghe.example.com", "octavia@ghe.example.com"],
  ["javascript:alert(1)", "javascript:alert(1)"],
  ["../x", "../x"],
  ["", ""],
])("adds https to a bare host: %j becomes %j", (typed, expected) => {
  expect(withScheme(typed)).toBe(expected);
});

describe("settings that cannot work are reported at once", () => {
  test("password login if SAML, CAS or LDAP is required", async () => {
    const ended = await loginAt(() => ({
      status: 200,
      body: { installed_version: "3.19.2", verifiable_password_authentication: false },
    }));
    expect([ended.code, ended.lines]).toEqual([4, ["GET /meta"]]);
    expect(ended.stderr).toContain("with SAML, CAS or LDAP");
    expect(ended.stderr).toContain("grantctl auth login --app");
  });

  test.each(["https://github.com", "https://www.github.com"])("%s, meant for browsers", async (address) => {
    const ended = await run([...login, "--base-url", address], makeConfigurationFolder(), {
      GRANTCTL_USERNAME: "octavia",
      GRANTCTL_PASSWORD: "x",
    });
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining("https://api.github.com")]);
  });
});

test.each([
  ["what is not an object", "[]"],
  ["what is no JSON", "<html>"],
  ["another server's", { installed_version: "1.0" }],
  [
    "the version of Enterprise Server 2",
    { installed_version: "2.19.2", verifiable_password_authentication: true },
  ],
  ["a server that cannot", { verifiable_password_authentication: "yes" }],
])("/meta with %s does not identify the operator github", async (_, body) => {
  const server = await startRecordingServer(({ path }) =>
    path.endsWith("/meta") ? { status: 200, body } : { status: 200, body: [] },
  );
  const folder = makeConfigurationFolder();
  const ended = await run(login, folder, { ...server.environment, GRANTCTL_STATE_DIR: "" });
  expect([ended.code, ended.stderr]).toEqual([0, expect.not.stringContaining("operator")]);
});

test("a truncated /meta response does not reject a working login", async () => {
  const server = await startRecordingServer(async ({ path }) =>
    path.endsWith("/meta") ? "cut" : { status: 200, body: [] },
  );
  const folder = makeConfigurationFolder();
  const environment = { ...server.environment, GRANTCTL_STATE_DIR: "" };
  const ended = await run([...login], folder, environment);
  expect(ended.code).toBe(0);
  expect(ended.stderr).toContain("GET /meta: the connection broke before the response was complete; ");
  expect(server.lines().filter((line) => line.endsWith("/meta"))).toHaveLength(4);
});
