// The other addresses of the specification, and GraphQL.
import { expect, test } from "vitest";
import { failure, outcomeOf, rowsOf, userFields } from "./resource-shapes.ts";
import { startTestSandbox, type TestSandbox } from "./sandbox-client.ts";

test.each([
  ["/orgs/harbourworks/members", "array"],
  ["/orgs/HarbourWorks/members", "array"],
  ["/user/issues", "array"],
  ["/repos/harbourworks/docs/pulls", "array"],
  ["/repos/harbourworks/docs/pulls/1", "object"],
  ["/repos/harbourworks/docs/pulls/1/commits", "array"],
  ["/repos/harbourworks/docs/pulls/1/reviews", "array"],
  ["/repos/harbourworks/docs/issues/1/comments", "array"],
])("GET %s is an %s for a token, and 401 for nobody", async (path, kind) => {
  const sandbox = await startTestSandbox();
  const reply = await sandbox.asToken("GET", path);
  expect([reply.status, Array.isArray(reply.json()) ? "array" : "object"]).toEqual([200, kind]);
  expect(reply.headers["x-oauth-scopes"]).toBe("repo");
  expect((await sandbox.send("GET", path)).status).toBe(401);
});

test("members are users, and more than a page", async () => {
  const sandbox = await startTestSandbox();
  const members = rowsOf(await sandbox.asToken("GET", "/orgs/harbourworks/members"));
  expect(members).toHaveLength(30);
  for (const member of members) expect(Object.keys(member)).toEqual(userFields);
  expect(rowsOf(await sandbox.asToken("GET", "/orgs/harbourworks/members?page=3"))).toHaveLength(4);
});

async function ask(
  sandbox: TestSandbox,
  query: unknown,
  variables?: unknown,
  token?: string,
): Promise<unknown> {
  return (await sandbox.asToken("POST", "/graphql", token, { query, variables })).json();
}

test("the viewer is the account, with the node ID of REST, by which it is found", async () => {
  const sandbox = await startTestSandbox();
  const { node_id } = (await sandbox.asToken("GET", "/user")).json() as { node_id: string };
  const viewer = { id: node_id, databaseId: 1, login: "octavia" };
  expect(await ask(sandbox, "{ viewer { id databaseId login } }")).toEqual({ data: { viewer } });
  const query = "query($id: ID!) { node(id: $id) { __typename id ... on User { login } } }";
  expect(await ask(sandbox, query, { id: node_id })).toEqual({
    data: { node: { __typename: "User", id: node_id, login: "octavia" } },
  });
  expect(await ask(sandbox, query, { id: "x" })).toMatchObject({
    data: { node: null },
    errors: [{ message: "Could not resolve to a node with the global id of 'x'", path: ["node"] }],
  });
});

test("following endCursor returns each member once", async () => {
  const sandbox = await startTestSandbox();
  const query = `query($after: String) { organization(login: "harbourworks") { members(first: 30, after: $after) {
    totalCount nodes { login } pageInfo { hasNextPage endCursor } } } }`;
  interface Answer {
    data: {
      organization: {
        members: {
          totalCount: number;
          nodes: { login: string }[];
          pageInfo: { hasNextPage: boolean; endCursor: string };
        };
      };
    };
  }
  const logins: string[] = [];
  let after: string | null = null;
  do {
    const { members }: Answer["data"]["organization"] = ((await ask(sandbox, query, { after })) as Answer)
      .data.organization;
    logins.push(...members.nodes.map(({ login }) => login));
    after = members.pageInfo.hasNextPage ? members.pageInfo.endCursor : null;
    expect(members.totalCount).toBe(64);
  } while (after !== null);
  expect([logins.length, new Set(logins).size]).toEqual([64, 64]);
});

const change = (message: string): string =>
  `mutation { changeUserStatus(input: {message: ${message}}) { status { message } } }`;

test("a mutation answers; a wrong type is named with the expected one and its place", async () => {
  const sandbox = await startTestSandbox();
  expect(await ask(sandbox, change('"7"'))).toEqual({
    data: { changeUserStatus: { status: { message: "7" } } },
  });
  expect(await ask(sandbox, change("7"))).toEqual({
    data: null,
    errors: [
      {
        message: expect.stringMatching(/String cannot represent a non string value: 7/) as string,
        locations: [{ line: 1, column: 46 }],
      },
    ],
  });
  expect(await ask(sandbox, "{ viewer { logn } }")).toMatchObject({
    data: null,
    errors: [{ locations: [{ line: 1, column: 12 }] }],
  });
});

test("single sign-on holds in GraphQL, too", async () => {
  const sandbox = await startTestSandbox();
  const { token } = await sandbox.makePersonalToken("any");
  const query = '{ organization(login: "lanternfish") { login } }';
  expect(await ask(sandbox, query)).toEqual({ data: { organization: { login: "lanternfish" } } });
  const reply = await sandbox.asToken("POST", "/api/graphql", token, { query });
  expect(reply.json()).toMatchObject({ errors: [{ message: expect.stringMatching(/SAML/) as string }] });
  expect(reply.headers["x-service-sso"]).toMatch(/^partial-results; organizations=/);
});

test("a body without a query is 400, in the format of REST", async () => {
  const sandbox = await startTestSandbox();
  const reply = await sandbox.asToken("POST", "/graphql", undefined, { query: 7 });
  expect(outcomeOf(reply)).toEqual(failure(400, "A query attribute must be a string."));
});
