// What tokens give access to: the other addresses of the specification, single sign-on with its form, and GraphQL.
import { describe, expect, test } from "vitest";
import {
  notFound,
  outcomeOf,
  refused,
  type Reply,
  rowOf,
  startTestSandbox,
  type TestSandbox,
} from "./sandbox-client.ts";

const ofRepository = ["", "/1", "/1/commits", "/1/reviews"]
  .map((rest) => `pulls${rest}`)
  .concat("issues/1/comments");
const pathsOf = (organization: string): readonly string[] => [
  `/orgs/${organization}/members`,
  ...ofRepository.map((rest) => `/repos/${organization}/docs/${rest}`),
];

const makePersonalToken = async (sandbox: TestSandbox, note = "any"): Promise<string> =>
  rowOf(await sandbox.asAccount("POST", "/authorizations", { note, scopes: ["gist"] })).token;

test.each([...pathsOf("HarbourWorks"), "/user/issues"])("GET %s takes a token, or is 401", async (path) => {
  const sandbox = await startTestSandbox();
  const reply = await sandbox.asToken("GET", path);
  expect([reply.status, Array.isArray(reply.json)]).toEqual([200, !path.endsWith("pulls/1")]);
  expect((await sandbox.send("GET", path)).status).toBe(401);
});

describe("single sign-on", () => {
  const message =
    "Resource protected by organization SAML enforcement. You must grant your personal token access to this organization.";

  test("refuses personal tokens and passwords, and reveals nothing", async () => {
    const sandbox = await startTestSandbox();
    const token = await makePersonalToken(sandbox);
    for (const path of [...pathsOf("lanternfish"), "/repos/lanternfish/docs/pulls/999"]) {
      expect(outcomeOf(await sandbox.asToken("GET", path, token))).toEqual(refused(403, message));
      expect((await sandbox.asToken("GET", path)).status).toBe(path.endsWith("999") ? 404 : 200);
      const { status, headers } = await sandbox.asAccount("GET", path);
      expect([status, headers["x-service-sso"]]).toEqual([403, undefined]);
    }
    for (const path of ["/orgs/nobody/members", "/repos/nobody/docs/pulls"])
      expect(outcomeOf(await sandbox.asToken("GET", path, token))).toEqual(notFound);
  });

  test("the form approves one token for one organization, and no web page can use it", async () => {
    const sandbox = await startTestSandbox({ headerWord: "GitHub" });
    const { base_url } = sandbox.description;
    const token = await makePersonalToken(sandbox, `<b>"it's"</b>`);
    const other = await makePersonalToken(sandbox, "another");
    const ask = (organization: string, value = token): Promise<Reply> =>
      sandbox.asToken("GET", `/orgs/${organization}/members`, value);
    const pathOf = async (organization: string, value?: string): Promise<string> =>
      (await ask(organization, value)).headers["x-github-sso"]?.replace(`required; url=${base_url}`, "") ??
      "";
    const path = await pathOf("lanternfish");
    expect(path).toMatch(/^\/orgs\/lanternfish\/sso\?token=7&authorization_request=[0-9a-f]{64}$/);
    expect(await pathOf("lanternfish")).toBe(path);
    const form = await sandbox.send("GET", path);
    expect([form.status, form.headers["content-security-policy"]]).toEqual([
      200,
      expect.stringContaining("frame-ancestors 'none'"),
    ]);
    for (const text of [
      "lanternfish",
      "octavia",
      "gist",
      token.slice(-8),
      "&lt;b&gt;&quot;it&#39;s&quot;&lt;/b&gt;",
    ])
      expect(form.text).toContain(text);
    expect(form.text).not.toContain(token);
    const post = async (to: string, headers = {}): Promise<number> =>
      (await sandbox.send("POST", to, { headers })).status;
    for (const origin of ["https://evil.example.com", "null"])
      expect(await post(path, { Origin: origin })).toBe(403);
    expect(await post(path.replace("token=7", "token=8"))).toBe(404);
    expect(await post(path.replace("lanternfish", "tidewatch"))).toBe(404);
    expect(await post("/orgs/lanternfish/sso")).toBe(404);
    expect((await ask("lanternfish")).status).toBe(403);
    expect(await post(path, { Origin: base_url })).toBe(200);
    const statuses = [await ask("lanternfish"), await ask("tidewatch"), await ask("lanternfish", other)];
    expect(statuses.map(({ status }) => status)).toEqual([200, 403, 403]);
  });
});

const ask = async (sandbox: TestSandbox, query: unknown, variables?: unknown): Promise<unknown> =>
  (await sandbox.asToken("POST", "/graphql", undefined, { query, variables })).json;

describe("GraphQL", () => {
  test("the viewer is the account, and is found by the node ID of REST", async () => {
    const sandbox = await startTestSandbox();
    const { node_id: id } = (await sandbox.asToken("GET", "/user")).json as { node_id: string };
    const viewer = { id, databaseId: 1, login: "octavia" };
    expect(await ask(sandbox, "{ viewer { id databaseId login } }")).toEqual({ data: { viewer } });
    const query = "query($id: ID!) { node(id: $id) { __typename ... on User { login } } }";
    expect(await ask(sandbox, query, { id })).toEqual({
      data: { node: { __typename: "User", login: "octavia" } },
    });
    expect(await ask(sandbox, query, { id: "x" })).toMatchObject({
      data: { node: null },
      errors: [{ message: "Could not resolve to a node with the global id of 'x'", path: ["node"] }],
    });
  });

  test("single sign-on is named, as in lists", async () => {
    const sandbox = await startTestSandbox();
    const body = { query: "{ viewer { login } }" };
    const reply = await sandbox.asToken("POST", "/api/graphql", await makePersonalToken(sandbox), body);
    expect(reply.headers["x-service-sso"]).toMatch(/^partial-results; organizations=/);
  });
});
