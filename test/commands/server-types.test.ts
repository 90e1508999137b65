// Server types in commands: rejections before any request, and hints after a 404.
import { describe, expect, test } from "vitest";
import { openAccount } from "../support/account.ts";
import { makeConfigurationFolder } from "../support/configuration.ts";
import { startRecordingServer, type Answer } from "../support/recording-server.ts";
import { runMain } from "../support/test-host.ts";

const account = {
  GRANTCTL_USERNAME: "octavia",
  GRANTCTL_PASSWORD: "correct horse battery",
  GRANTCTL_CLIENT_ID: "0123456789abcdef0123",
  GRANTCTL_CLIENT_SECRET: "c".repeat(40),
};

describe("the host of github.com", () => {
  const commands = [
    ["grant", "list"],
    ["grant", "view", "1"],
    ["grant", "delete", "1", "--yes"],
    ["authorization", "list"],
    ["authorization", "view", "1"],
    ["authorization", "create", "--note", "n"],
    ["authorization", "get-or-create"],
    ["authorization", "update", "1", "--note", "n"],
    ["authorization", "delete", "1", "--yes"],
    ["authorization", "identify"],
  ];

  test.each(commands)("%s %s exits with code 2 and sends nothing", async (...words) => {
    // Uses the default URL, so that any request would fail to connect.
    const run = await runMain([...words, "--server-type", "github"], {
      environment: account,
      input: "0a1b2c3d".repeat(5),
    });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain("api.github.com has no operations for grants and authorizations");
    expect(run.stderr).toContain(
      "hint: Review the account's grants at https://github.com/settings/applications",
    );
  });

  test.each([
    ["https://api.github.com", "github.com"],
    ["https://api.github.com:443/", "github.com"],
    ["https://API.GitHub.com", "github.com"],
    ["https://api.octocorp.ghe.com", "octocorp.ghe.com"],
  ])("recognizes %s as its URL", async (address, pages) => {
    const run = await runMain(["grant", "list", "--server-type", "github", "--base-url", address], {
      environment: account,
    });
    expect([run.code, run.stderr]).toEqual([
      2,
      expect.stringContaining(`https://${pages}/settings/applications`),
    ]);
  });
});

const notFoundWith =
  (meta: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  ({ path }) =>
    path === "/meta" ? { status: 200, body: meta } : { status: 404, body: { message: "Not Found" }, headers };

async function runAt(
  answer: Answer,
  words: readonly string[],
  input = "",
): Promise<readonly [number, string, readonly string[]]> {
  const server = await startRecordingServer(answer);
  const { code, stderr } = await server.run(words, { input });
  const meta = server.requests.filter(({ path }) => path === "/meta");
  for (const { headers } of meta) expect(headers["authorization"]).toBeUndefined();
  return [code, stderr, server.lines()];
}

describe("hints after a 404", () => {
  const enterprise = { verifiable_password_authentication: true, installed_version: "3.19.2" };

  test.each([
    ["an application's read", ["token", "check"], true],
    ["an account's read", ["grant", "view", "1"], true],
    ["an application's write", ["token", "revoke", "--yes"], true],
  ] as const)("suggest --server-type github for GitHub's headers: %s", async (_, words, isHinted) => {
    const headers = { "X-GitHub-Request-Id": "1" };
    const [code, stderr, lines] = await runAt(notFoundWith(enterprise, headers), words, "0a1b2c3d".repeat(5));
    expect(code).toBe(words[0] === "token" ? 9 : 3);
    expect(lines).not.toContain("GET /meta");
    expect(stderr.includes("--server-type github")).toBe(isHinted);
  });

  test("suggest no server type without GitHub's headers or if it is github already", async () => {
    const [, plain] = await runAt(notFoundWith(enterprise), ["token", "check"], "0a1b2c3d".repeat(5));
    expect(plain).not.toContain("--server-type");
    const [, github] = await runAt(
      notFoundWith(enterprise, { "X-GitHub-Request-Id": "1" }),
      ["token", "check", "--server-type", "github"],
      "0a1b2c3d".repeat(5),
    );
    expect(github).not.toContain("--server-type");
  });
});

test("Enterprise Server up to 2.19 is the server type service with the header word GitHub", async () => {
  const { sandbox, environment, textMessages } = await openAccount({ headerWord: "GitHub", otp: "sms" });
  const folder = makeConfigurationFolder();
  const run = (words: readonly string[], more: Readonly<Record<string, string>> = {}, input = "") =>
    runMain(words, { environment: { ...environment, ...folder.environment, ...more }, input });
  await run(["config", "set", "header_word", "GitHub"]);
  const create = ["authorization", "create", "--note", "ci", "--no-input"];
  expect((await run(create)).stderr).toContain("one-time password");
  const created = await run(create, { GRANTCTL_OTP: textMessages[0] ?? "" });
  expect([created.code, created.stdout]).toEqual([0, expect.stringMatching(/^[0-9a-f]{40}\n$/)]);
  const [token] = sandbox.description.tokens;
  expect((await run(["token", "revoke", "--yes"], {}, token?.token)).code).toBe(0);
  await sandbox.close();
});
