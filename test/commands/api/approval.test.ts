// Single sign-on for `grantctl api`: required approvals, and partial responses, which omit data of some organizations.
import { describe, expect, test } from "vitest";
import { approve, startTestSandbox, type TestSandbox } from "../../sandbox/sandbox-client.ts";
import { startRecordingServer, type ArrangedAnswer } from "../../support/recording-server.ts";
import { runMain } from "../../support/test-host.ts";

const address = "https://sso.example.com/approve?x=1";
const wanted: ArrangedAnswer = {
  status: 403,
  headers: { "X-Service-SSO": `required; url=${address}` },
  body: { message: "approve it", documentation_url: "https://docs.example.com/" },
};
const partial: ArrangedAnswer = {
  status: 200,
  headers: { "X-Service-SSO": "partial-results; organizations=21955855,20582480" },
  body: [{ id: 1 }],
};

async function open(): Promise<{ sandbox: TestSandbox; token: string; environment: Record<string, string> }> {
  const sandbox = await startTestSandbox();
  const { token } = await sandbox.makePersonalToken("laptop");
  const environment = { GRANTCTL_BASE_URL: sandbox.description.base_url, GRANTCTL_TOKEN: token };
  return { sandbox, token, environment };
}

const members = ["api", "/orgs/lanternfish/members"];

describe("a required approval", () => {
  test("exits with code 6, prints the URL on its own line and the rejection on standard output", async () => {
    const { sandbox, token, environment } = await open();
    const refused = await runMain(members, { environment });
    expect(refused.code).toBe(6);
    expect(JSON.parse(refused.stdout)).toMatchObject({ documentation_url: expect.any(String) as string });
    expect(refused.stderr).toMatch(/\nhttp:\/\/127\.0\.0\.1:\d+\/\S+\n$/);
    await approve(sandbox, token);
    const answered = await runMain([...members, "--jq", "length > 0"], { environment });
    expect(answered).toEqual({ code: 0, stdout: "true\n", stderr: "" });
  });

  test.each(["http://sso.example.com/", "//sso.example.com/"])("does not print the URL %j", async (bad) => {
    const server = await startRecordingServer(() => ({
      ...wanted,
      headers: { "X-Service-SSO": `required; url=${bad}` },
    }));
    const run = await server.run([...members, "--jq", "."]);
    expect([run.code, run.stdout, server.requests.length]).toEqual([6, "", 1]);
    expect(run.stderr).not.toMatch(/javascript:|sso\.example/);
  });

  test("--json includes it in the error object", async () => {
    const server = await startRecordingServer(() => wanted);
    const run = await server.run([...members, "--json"]);
    expect(run.code).toBe(6);
    expect(JSON.parse(run.stderr)).toMatchObject({
      error: { class: "sso", exit_code: 6, status: 403, url: address },
    });
  });
});

describe("a partial response", () => {
  test.each([
    [["api", "/x"], '[{"id":1}]'],
    [["api", "/x", "--paginate"], '[\n{"id":1}\n]\n'],
    [["api", "/x", "--jq", ".[].id"], "1\n"],
  ])("%j warns with the ids and exits with code 0", async (words, stdout) => {
    const server = await startRecordingServer(() => partial);
    const run = await server.run(words);
    expect([run.code, run.stdout]).toEqual([0, stdout]);
    expect(run.stderr).toMatch(/^warning: [^\n]*: 21955855, 20582480\n$/);
  });
});
