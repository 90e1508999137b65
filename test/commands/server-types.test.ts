// Server types in commands: rejections before any request, and hints after a 404.
import { describe, expect } from "vitest";
import { environmentAt, test } from "../support/grantctl.ts";
import { json, on } from "../support/serve.ts";

const { GRANTCTL_BASE_URL: _, ...account } = environmentAt("");

describe("the host of github.com", () => {
  // A read, a job, and a creation, which makes a record; all of them ask for the service of the account first.
  const commands = ["grant list", "authorization delete 1 --yes", "authorization create --note n"];

  test.for(commands)("%s exits with code 2 and sends nothing", async (words, { grantctl }) => {
    // Uses the default URL, so that any request would fail to connect.
    const run = await grantctl(`${words} --server-type github`, {
      environment: account,
      input: "0a1b2c3d".repeat(5),
    });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain("api.github.com has no operations for grants and authorizations");
    expect(run.stderr).toContain(
      "hint: Review the account's grants at https://github.com/settings/applications",
    );
  });

  test.for([
    ["https://api.github.com", "github.com"],
    ["https://api.github.com:443/", "github.com"],
    ["https://API.GitHub.com", "github.com"],
    ["https://api.octocorp.ghe.com", "octocorp.ghe.com"],
  ])("recognizes %s as its URL", async ([address, pages], { grantctl }) => {
    const run = await grantctl(`grant list --server-type github --base-url ${address}`, {
      environment: account,
    });
    expect([run.code, run.stderr]).toEqual([
      2,
      expect.stringContaining(`https://${pages}/settings/applications`),
    ]);
  });
});

const ofGithub = { "X-GitHub-Request-Id": "1" };
const notFound = (headers: Readonly<Record<string, string>>): Response =>
  json(404, { message: "Not Found" }, headers);

describe("hints after a 404", () => {
  const input = "0a1b2c3d".repeat(5);

  test.for([
    ["an application's read", "token check"],
    ["an account's read", "grant view 1"],
    ["an application's write", "token revoke --yes"],
  ] as const)("suggest --server-type github for its headers: %s", async ([, words], { grantctl, serve }) => {
    const server = await serve(on("ALL /*", notFound(ofGithub)));
    const { code, stderr } = await grantctl(words, { input });
    expect(code).toBe(words.startsWith("token") ? 9 : 3);
    expect(server.lines()).not.toContain("GET /meta");
    expect(stderr).toContain("--server-type github");
  });

  test.for([
    ["without GitHub's headers", {}, "token check"],
    ["if it is github already", ofGithub, "token check --server-type github"],
  ] as const)("suggest no server type %s", async ([, headers, words], { grantctl, serve }) => {
    await serve(on("ALL /*", notFound(headers)));
    expect((await grantctl(words, { input })).stderr).not.toContain("--server-type");
  });
});

test("Enterprise Server to 2.19 is of type service, with the word GitHub", async ({ grantctl, world }) => {
  const { sandbox, textMessages } = await world({ headerWord: "GitHub", otp: "sms" });
  await grantctl("config set header_word GitHub");
  const create = "authorization create --note ci --no-input";
  expect((await grantctl(create)).stderr).toContain("one-time password");
  const created = await grantctl(create, { environment: { GRANTCTL_OTP: textMessages[0] } });
  expect([created.code, created.stdout]).toEqual([0, expect.stringMatching(/^[0-9a-f]{40}\n$/)]);
  const [token] = sandbox.description.tokens;
  expect((await grantctl("token revoke --yes", { input: token?.token ?? "" })).code).toBe(0);
});
