// GraphQL: the schema, pagination, the mutation, errors in the specification's format, and limits.
import { getIntrospectionQuery } from "graphql";
import { expect, test } from "vitest";
import { failure, outcomeOf } from "./resource-shapes.ts";
import { basic, startTestSandbox, type Reply, type TestSandbox } from "./sandbox-client.ts";

interface Answer {
  readonly data: unknown;
  readonly errors?: readonly { message: string; locations: readonly { line: number; column: number }[] }[];
}

async function ask(
  sandbox: TestSandbox,
  query: string,
  variables?: unknown,
  token?: string,
): Promise<Answer> {
  return answerOf(await sandbox.asToken("POST", "/graphql", token, { query, variables }));
}

function answerOf(reply: Reply): Answer {
  expect([reply.status, reply.text]).toEqual([200, expect.any(String)]);
  return reply.json() as Answer;
}

test("the viewer is the account, with the same node ID as in REST", async () => {
  const sandbox = await startTestSandbox();
  const user = (await sandbox.asToken("GET", "/user")).json() as Record<string, unknown>;
  const { data, errors } = await ask(sandbox, "{ viewer { __typename id databaseId login url } }");
  expect(errors).toBeUndefined();
  expect(data).toEqual({
    viewer: {
      __typename: "User",
      id: user["node_id"],
      databaseId: user["id"],
      login: user["login"],
      url: user["html_url"],
    },
  });
});

test("grants and authorizations equal those of REST, without token values", async () => {
  const sandbox = await startTestSandbox();
  const authorizations = (await sandbox.asAccount("GET", "/authorizations")).json() as Record<
    string,
    unknown
  >[];
  const grants = (await sandbox.asAccount("GET", "/applications/grants")).json() as Record<string, unknown>[];
  const { data } = await ask(
    sandbox,
    `{ viewer {
      grants { totalCount nodes { databaseId scopes createdAt updatedAt app { name url clientId } } }
      authorizations { totalCount nodes { databaseId note fingerprint scopes tokenLastEight app { clientId } } }
    } }`,
  );
  const viewer = (data as { viewer: Record<string, { totalCount: number; nodes: unknown[] }> }).viewer;
  expect(viewer["grants"]?.totalCount).toBe(grants.length);
  expect(viewer["grants"]?.nodes).toEqual(
    grants.map(({ id, scopes, created_at, updated_at, app }) => {
      const { name, url, client_id } = app as Record<string, string>;
      const shown = { name, url, clientId: client_id };
      return { databaseId: id, scopes, createdAt: created_at, updatedAt: updated_at, app: shown };
    }),
  );
  expect(viewer["authorizations"]?.nodes).toEqual(
    authorizations.map((row) => ({
      databaseId: row["id"],
      note: row["note"],
      fingerprint: row["fingerprint"] === "" ? null : row["fingerprint"],
      scopes: row["scopes"],
      tokenLastEight: row["token_last_eight"],
      app:
        (row["app"] as Record<string, string>)["client_id"] === "0".repeat(20)
          ? null
          : { clientId: (row["app"] as Record<string, string>)["client_id"] },
    })),
  );
});

test("following endCursor returns each row once, for any page size", async () => {
  const sandbox = await startTestSandbox({ grants: 2, authorizations: 23 });
  const query = `query ($first: Int!, $endCursor: String) { viewer {
    authorizations(first: $first, after: $endCursor) {
      totalCount edges { cursor node { databaseId } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
    }
  } }`;
  for (const first of [1, 10, 23, 100]) {
    const ids: number[] = [];
    for (let endCursor: string | null = null, more = true; more;) {
      const { data, errors } = await ask(sandbox, query, { first, endCursor });
      expect(errors).toBeUndefined();
      const page = (data as { viewer: { authorizations: Connection } }).viewer.authorizations;
      expect(page.totalCount).toBe(23);
      expect(page.pageInfo.hasPreviousPage).toBe(endCursor !== null);
      expect(page.pageInfo.startCursor).toBe(page.edges[0]?.cursor);
      expect(page.pageInfo.endCursor).toBe(page.edges.at(-1)?.cursor);
      ids.push(...page.edges.map(({ node }) => node.databaseId));
      endCursor = page.pageInfo.endCursor;
      more = page.pageInfo.hasNextPage;
    }
    expect(ids).toEqual(Array.from({ length: 23 }, (_, index) => index + 1));
  }
});

test("following startCursor backwards returns each row once", async () => {
  const sandbox = await startTestSandbox({ grants: 2, authorizations: 23 });
  const query = `query ($last: Int!, $startCursor: String) { viewer {
    authorizations(last: $last, before: $startCursor) {
      totalCount edges { cursor node { databaseId } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
    }
  } }`;
  for (const last of [1, 10, 23, 100]) {
    const ids: number[] = [];
    for (let startCursor: string | null = null, more = true; more;) {
      const { data, errors } = await ask(sandbox, query, { last, startCursor });
      expect(errors).toBeUndefined();
      const page = (data as { viewer: { authorizations: Connection } }).viewer.authorizations;
      expect(page.pageInfo.hasNextPage).toBe(startCursor !== null);
      ids.unshift(...page.edges.map(({ node }) => node.databaseId));
      startCursor = page.pageInfo.startCursor;
      more = page.pageInfo.hasPreviousPage;
    }
    expect(ids).toEqual(Array.from({ length: 23 }, (_, index) => index + 1));
  }
});

function cursor(position: number): string {
  return Buffer.from(`cursor:${position}`).toString("base64");
}

test("a page can be selected between two cursors, from either end", async () => {
  const sandbox = await startTestSandbox({ grants: 2, authorizations: 20 });
  const between = (size: string) =>
    ask(
      sandbox,
      `{ viewer { authorizations(after: "${cursor(5)}", before: "${cursor(11)}" ${size}) { nodes { databaseId } } } }`,
    );
  for (const [size, ids] of [
    ["", [6, 7, 8, 9, 10]],
    ["first: 2", [6, 7]],
    ["last: 2", [9, 10]],
    ["last: 50", [6, 7, 8, 9, 10]],
  ] as const) {
    const { data } = await between(size);
    expect(data).toEqual({
      viewer: { authorizations: { nodes: ids.map((databaseId) => ({ databaseId })) } },
    });
  }
  const nothing = await ask(
    sandbox,
    `{ viewer { authorizations(after: "${cursor(9)}", before: "${cursor(3)}" last: 3) { nodes { databaseId } } } }`,
  );
  expect(nothing.data).toEqual({ viewer: { authorizations: { nodes: [] } } });
});

test("rateLimit equals the rate limit in the response's headers", async () => {
  const sandbox = await startTestSandbox();
  await sandbox.asToken("GET", "/user");
  const reply = await sandbox.asToken("POST", "/graphql", undefined, {
    query: "{ rateLimit { limit cost remaining used resetAt } }",
  });
  expect(reply.json()).toEqual({
    data: {
      rateLimit: {
        limit: 5000,
        cost: 1,
        remaining: 4998,
        used: 2,
        resetAt: new Date(sandbox.clock.now + 3_600_000).toISOString().replace(".000", ""),
      },
    },
  });
  expect(reply.headers["x-ratelimit-remaining"]).toBe("4998");
});

interface Connection {
  readonly totalCount: number;
  readonly edges: readonly { cursor: string; node: { databaseId: number } }[];
  readonly pageInfo: Record<"startCursor" | "endCursor", string | null> &
    Record<"hasNextPage" | "hasPreviousPage", boolean>;
}

test("nodes are found by their IDs, from GraphQL and from REST", async () => {
  const sandbox = await startTestSandbox();
  const { data } = await ask(
    sandbox,
    `{ viewer { id grants { nodes { id } } authorizations { nodes { id } } organizations { nodes { id members { nodes { id } } } } issues { nodes { id } } }
       repository(owner: "harbourworks", name: "pier") { id pullRequests { nodes { id commits(first: 2) { nodes { id } } reviews { nodes { id } } comments { nodes { id } } } } } }`,
  );
  const ids = [...JSON.stringify(data).matchAll(/"id":"([^"]+)"/g)].map((match) => match[1] ?? "");
  for (const path of [
    "/user",
    "/user/issues",
    "/orgs/harbourworks/members",
    "/repos/octavia/logbook/pulls?state=all",
    "/repos/octavia/logbook/pulls/6/commits",
    "/repos/octavia/logbook/pulls/6/reviews",
    "/repos/octavia/logbook/issues/3/comments",
  ]) {
    const reply = await sandbox.asToken("GET", path);
    ids.push(...[...reply.text.matchAll(/"node_id": "([^"]+)"/g)].map((match) => match[1] ?? ""));
  }
  const types = new Map<string, string>();
  for (let left = [...new Set(ids)]; left.length > 0; left = left.slice(40)) {
    const some = left.slice(0, 40);
    const fields = some.map((id, place) => `n${place}: node(id: "${id}") { __typename id }`);
    const { data: found, errors } = await ask(sandbox, `{ ${fields.join(" ")} }`);
    expect(errors).toBeUndefined();
    const nodes = Object.values(found as Record<string, { __typename: string; id: string }>);
    expect(nodes.map(({ id }) => id)).toEqual(some);
    for (const { __typename, id } of nodes) types.set(__typename, id);
  }
  expect([...types.keys()].toSorted()).toEqual([
    "Authorization",
    "Commit",
    "Grant",
    "Issue",
    "IssueComment",
    "Organization",
    "PullRequest",
    "PullRequestReview",
    "Repository",
    "User",
  ]);
});

const nodeId = (text: string): string => Buffer.from(text).toString("base64");

test.each([
  "",
  "nonsense",
  nodeId("04:User0"),
  nodeId("04:User99999"),
  nodeId("04:User01"),
  nodeId("05:User1"),
  nodeId("06:Commit081001:0"),
  nodeId("04:User1 "),
  `${nodeId("04:User1")}=`,
  nodeId("011:constructor1"),
  nodeId("08:toString1"),
  nodeId("05:Issue8100102"),
  nodeId("011:PullRequest8100101"),
  nodeId("05:Issue8100199"),
  nodeId("012:IssueComment1"),
  nodeId("017:PullRequestReview810010103"),
  nodeId("06:Commit81001"),
  nodeId(`06:Commit81001:${"0".repeat(40)}`),
  nodeId(`06:Commit:${"0".repeat(40)}`),
  nodeId("013:Authorization99"),
  nodeId(`013:Authorization${"9".repeat(30)}`),
])("the node id %j names nothing", async (id) => {
  const sandbox = await startTestSandbox();
  const { data, errors } = await ask(sandbox, "query ($id: ID!) { node(id: $id) { id } }", { id });
  expect(data).toEqual({ node: null });
  expect(errors?.[0]?.message).toMatch(/^Could not resolve to a node with the global id of/);
});

test("a missing object is null with an error at its path, beside other data", async () => {
  const sandbox = await startTestSandbox();
  const query = `{
  viewer { login }
  node(id: "nonsense") { id }
  organization(login: "nobody") { id }
  repository(owner: "octavia", name: "logbook") { name issue(number: 2) { id } }
}`;
  const { data, errors } = await ask(sandbox, query);
  expect(data).toEqual({
    viewer: { login: "octavia" },
    node: null,
    organization: null,
    repository: { name: "logbook", issue: null },
  });
  expect(errors).toEqual([
    {
      message: 'Could not resolve to a node with the global id of "nonsense".',
      locations: [{ line: 3, column: 3 }],
      path: ["node"],
    },
    {
      message: 'Could not resolve to an Organization with the login of "nobody".',
      locations: [{ line: 4, column: 3 }],
      path: ["organization"],
    },
    {
      message: "Could not resolve to an Issue with the number of 2.",
      locations: [{ line: 5, column: 56 }],
      path: ["repository", "issue"],
    },
  ]);
});

test.each([
  ["{ organization(login: 42) { id } }", /String cannot represent a non string value: 42/, 1, 23],
  ['{ viewer { grants(first: "3") { totalCount } } }', /Int cannot represent non-integer value: "3"/, 1, 26],
  ["{ node { id } }", /argument "id" of type "ID!" is required/, 1, 3],
  ["{\n  viewer { nothing }\n}", /Cannot query field "nothing" on type "User"/, 2, 12],
  ["{ viewer", /Syntax Error: Expected Name, found <EOF>/, 1, 9],
  ["{ viewer { login } } query B { viewer { id } }", /anonymous operation/, 1, 1],
  ["mutation { addComment(input: { body: 5 }) { clientMutationId } }", /of required type "ID!"/, 1, 30],
])("%s is rejected, with null data and a location", async (query, message, line, column) => {
  const sandbox = await startTestSandbox();
  const { data, errors } = await ask(sandbox, query);
  expect(data).toBeNull();
  expect(errors?.[0]?.message).toMatch(message);
  expect(errors?.[0]?.locations[0]).toEqual({ line, column });
});

test("a variable of the wrong type is rejected with the expected type", async () => {
  const sandbox = await startTestSandbox();
  const query = "query ($login: String!) { organization(login: $login) { login } }";
  const wrong = await ask(sandbox, query, { login: 42 });
  expect(wrong).toEqual({
    data: null,
    errors: [
      {
        message: 'Variable "$login" got invalid value 42; String cannot represent a non string value: 42',
        locations: [{ line: 1, column: 8 }],
      },
    ],
  });
  const missing = await ask(sandbox, query);
  expect(missing.errors?.[0]?.message).toMatch(/"\$login" of required type "String!" was not provided/);
  const right = await ask(sandbox, query, { login: "harbourworks" });
  expect(right).toEqual({ data: { organization: { login: "harbourworks" } } });
});

test("operationName selects one of several operations", async () => {
  const sandbox = await startTestSandbox();
  const query = "query A { viewer { login } } query B { viewer { databaseId } }";
  const send = async (operationName: string | null) =>
    answerOf(await sandbox.asToken("POST", "/graphql", undefined, { query, operationName }));
  expect(await send("B")).toEqual({ data: { viewer: { databaseId: 1 } } });
  for (const name of ["C", null]) expect(await send(name)).toMatchObject({ data: null, errors: [{}] });
});

test("a comment is stored once, unchanged, and visible in REST", async () => {
  const sandbox = await startTestSandbox();
  const { token } = await sandbox.makePersonalToken("commenter", ["repo"]);
  const path = "/repos/octavia/logbook/issues/3/comments";
  const before = (await sandbox.asToken("GET", path)).json() as unknown[];
  const pulls = (await sandbox.asToken("GET", "/user/issues?state=all&per_page=100")).json() as {
    node_id: string;
    number: number;
    repository: { full_name: string };
  }[];
  const subjectId = pulls.find(
    ({ number, repository }) => number === 3 && repository.full_name === "octavia/logbook",
  )?.node_id;
  const mutation = `mutation ($input: AddCommentInput!) {
    addComment(input: $input) { clientMutationId subject { id } commentEdge { cursor node { id body author { login } } } }
  }`;
  const body = "naïve \u0000 漢字 \ud800";
  const { data, errors } = await ask(
    sandbox,
    mutation,
    { input: { subjectId, body, clientMutationId: "once" } },
    token,
  );
  expect(errors).toBeUndefined();
  expect(data).toMatchObject({
    addComment: {
      clientMutationId: "once",
      subject: { id: subjectId },
      commentEdge: { node: { body, author: { login: "octavia" } } },
    },
  });
  const { node } = (data as { addComment: { commentEdge: { node: { id: string } } } }).addComment.commentEdge;
  expect(await ask(sandbox, "query ($id: ID!) { node(id: $id) { id } }", { id: node.id })).toEqual({
    data: { node: { id: node.id } },
  });
  const after = (await sandbox.asToken("GET", path)).json() as { body: string }[];
  expect(after).toHaveLength(before.length + 1);
  expect(after.at(-1)?.body).toBe(body);
  const paged = (await sandbox.asToken("GET", `${path}?per_page=1&page=${after.length}`)).json();
  expect(paged).toEqual(after.slice(-1));
});

test("a comment requires a scope, a valid subject, and text", async () => {
  const sandbox = await startTestSandbox();
  const { token } = await sandbox.makePersonalToken("reader", ["user"]);
  const writer = await sandbox.makePersonalToken("writer", ["public_repo"]);
  const pull = (await sandbox.asToken("GET", "/repos/octavia/logbook/pulls/2")).json() as { node_id: string };
  const user = (await sandbox.asToken("GET", "/user")).json() as { node_id: string };
  const mutation =
    "mutation ($id: ID!, $body: String!) { addComment(input: {subjectId: $id, body: $body}) { clientMutationId } }";
  for (const [value, id, body, message] of [
    [token, pull.node_id, "words", /required scopes/],
    [writer.token, user.node_id, "words", /on an issue or a pull request/],
    [writer.token, "MDA6", "words", /Could not resolve to a node/],
    [writer.token, pull.node_id, " \n", /cannot be blank/],
  ] as const) {
    const { data, errors } = await ask(sandbox, mutation, { id, body }, value);
    expect(data).toEqual({ addComment: null });
    expect(errors?.[0]?.message).toMatch(message);
  }
});

test("other users' grants are an error, beside the remaining data", async () => {
  const sandbox = await startTestSandbox();
  const { data, errors } = await ask(
    sandbox,
    '{ organization(login: "harbourworks") { members(first: 2) { nodes { login authorizations { totalCount } } } } }',
  );
  expect(data).toEqual({
    organization: { members: { nodes: [{ login: "octavia", authorizations: { totalCount: 6 } }, null] } },
  });
  expect(errors).toMatchObject([
    { path: ["organization", "members", "nodes", 1, "authorizations"], locations: [{ line: 1 }] },
  ]);
});

test("single sign-on is enforced", async () => {
  const sandbox = await startTestSandbox();
  const { token } = await sandbox.makePersonalToken("personal", ["repo"]);
  const [, lanternfish, tidewatch] = sandbox.description.organizations;
  const send = (query: string, value?: string) => sandbox.asToken("POST", "/graphql", value, { query });
  const whole = "{ viewer { issues(first: 100) { totalCount } organizations { nodes { login } } } }";
  const partial = await send(whole, token);
  expect(partial.headers["x-service-sso"]).toBe(
    `partial-results; organizations=${lanternfish?.id},${tidewatch?.id}`,
  );
  expect(answerOf(partial)).toMatchObject({
    data: { viewer: { organizations: { nodes: [{ login: "harbourworks" }] } } },
  });
  expect((await send(whole)).headers["x-service-sso"]).toBeUndefined();

  const pull = (await sandbox.asToken("GET", "/repos/lanternfish/search/pulls/6")).json() as {
    node_id: string;
  };
  const parts = await Promise.all(
    ["pulls/6/commits", "pulls/6/reviews", "issues/6/comments"].map(async (path) => {
      const reply = await sandbox.asToken("GET", `/repos/lanternfish/search/${path}`);
      return (reply.json() as { node_id: string }[])[0]?.node_id;
    }),
  );
  for (const query of [
    ...parts.map((id) => `{ node(id: "${id}") { id } }`),
    '{ organization(login: "lanternfish") { login } viewer { login } }',
    '{ repository(owner: "lanternfish", name: "search") { name } viewer { login } }',
    `{ node(id: "${pull.node_id}") { id } viewer { login } }`,
    `mutation { addComment(input: {subjectId: "${pull.node_id}", body: "x"}) { clientMutationId } }`,
  ]) {
    const reply = await send(query, token);
    expect(reply.headers["x-service-sso"]).toMatch(
      /^required; url=http:\/\/127\.0\.0\.1:\d+\/orgs\/lanternfish\/sso\?authorization_request=/,
    );
    expect(answerOf(reply).errors?.[0]?.message).toMatch(/^Resource protected by organization SAML/);
  }
  const comments = await sandbox.asToken("GET", "/repos/lanternfish/search/issues/6/comments");
  expect(comments.text).not.toContain('"body": "x"');
});

test("tokens are accepted in every format, and the password only without two-factor authentication", async () => {
  const sandbox = await startTestSandbox({ otp: "app" });
  const { username, password, tokens } = sandbox.description;
  const token = tokens[0]?.token ?? "";
  const body = { query: "{ viewer { login } }" };
  for (const headers of [
    { Authorization: `bearer ${token}` },
    basic(username, token),
    basic(token, "x-oauth-basic"),
  ]) {
    const reply = await sandbox.send("POST", "/graphql", { headers, body });
    expect(answerOf(reply)).toEqual({ data: { viewer: { login: username } } });
    expect(reply.headers["x-oauth-scopes"]).toBe(tokens[0]?.scopes.join(", "));
  }
  expect(outcomeOf(await sandbox.send("POST", "/graphql", { body }))).toEqual(
    failure(401, "Requires authentication"),
  );
  const refused = await sandbox.send("POST", "/graphql", { headers: basic(username, password), body });
  expect(refused.status).toBe(401);
  const off = await startTestSandbox();
  expect((await off.asAccount("POST", "/graphql", body)).status).toBe(200);
});

test("enterprise paths are accepted", async () => {
  const sandbox = await startTestSandbox();
  for (const path of ["/api/graphql", "/api/v3/graphql", "//graphql"]) {
    const reply = await sandbox.asToken("POST", path, undefined, { query: "{ viewer { login } }" });
    expect(answerOf(reply).data).toEqual({ viewer: { login: "octavia" } });
  }
});

test("anything but POST is 405, after authentication", async () => {
  const sandbox = await startTestSandbox();
  for (const method of ["GET", "PUT", "DELETE", "HEAD"]) {
    const reply = await sandbox.asToken(method, "/graphql?query={viewer{login}}");
    expect([reply.status, reply.headers["allow"]]).toEqual([405, "POST"]);
    expect((await sandbox.send(method, "/graphql")).status).toBe(401);
  }
});

test.each([
  [{}, 400, /query attribute must be specified/],
  [{ query: 5 }, 400, /query attribute must be specified/],
  [{ query: "{ viewer { login } }", variables: [] }, 400, /Variables must be an object/],
  [{ query: "{ viewer { login } }", variables: "{}" }, 400, /Variables must be an object/],
  [{ query: "{ viewer { login } }", operationName: 1 }, 400, /operation's name/],
  [{ query: "" }, 200, /Syntax Error/],
  [{ query: "{ viewer { login } }", variables: null, operationName: "" }, 200, /^none$/],
])("an envelope of %j is %i", async (body, status, message) => {
  const sandbox = await startTestSandbox();
  const reply = await sandbox.asToken("POST", "/graphql", undefined, body);
  expect(reply.status).toBe(status);
  const answer = reply.json() as Answer;
  expect(answer.errors?.[0]?.message ?? "none").toMatch(message);
  expect(answer.data).toEqual(answer.errors === undefined ? { viewer: { login: "octavia" } } : null);
});

test.each(["{", "[]", "viewer"])("a body of %s is 400 in the format of REST", async (body) => {
  const sandbox = await startTestSandbox();
  const reply = await sandbox.asToken("POST", "/graphql", undefined, body);
  expect([reply.status, Object.keys(reply.json() as object)]).toEqual([
    400,
    ["message", "documentation_url"],
  ]);
});

test("the full introspection query works", async () => {
  const sandbox = await startTestSandbox();
  const { data, errors } = await ask(sandbox, getIntrospectionQuery());
  expect(errors).toBeUndefined();
  expect(JSON.stringify(data)).not.toMatch(/"name":"(token|hashedToken|password)"/);
});

/** A query nested through repository and issue so many times. */
function nest(levels: number): string {
  let inner = "id";
  for (let level = 0; level < levels; level += 1) inner = `issue(number: 1) { repository { ${inner} } }`;
  return `{ repository(owner: "octavia", name: "logbook") { ${inner} } }`;
}

const page = "viewer { authorizations(first: 100) { nodes { id note } } }";

test.each([
  ["nine times there and back", nest(9), /^none$/],
  ["ten times", nest(10), /22 levels deep, and may be 20/],
  [
    "lists in lists",
    "{ viewer { issues(first: 100) { nodes { comments(first: 100) { nodes { author { organizations(first: 100) { nodes { id } } } } } } } } }",
    /asks for up to \d+ fields/,
  ],
  [
    "many pages at once",
    `{ ${Array.from({ length: 600 }, (_, index) => `a${index}: ${page}`).join(" ")} }`,
    /5000 tokens/,
  ],
  [
    "fragments that double",
    `${Array.from({ length: 30 }, (_, index) => `fragment F${index} on User { a: organizations { nodes { ...G${index} } } b: organizations { nodes { ...G${index} } } } fragment G${index} on Organization { members { nodes { ...F${index + 1} } } }`).join(" ")} fragment F30 on User { id } { viewer { ...F0 } }`,
    /levels deep|fields/,
  ],
  [
    "a fragment in itself",
    "fragment F on User { issues { nodes { author { ...F } } } } { viewer { ...F } }",
    /Cannot spread fragment "F" within itself/,
  ],
  [
    "a page too large",
    "{ viewer { grants(first: 101) { totalCount } } }",
    /"first" must be from 1 to 100, not 101/,
  ],
  [
    "a page of nothing",
    "{ viewer { grants(first: 0) { totalCount } } }",
    /"first" must be from 1 to 100, not 0/,
  ],
  [
    "a page of too many of the last",
    "{ viewer { grants(last: 101) { totalCount } } }",
    /"last" must be from 1 to 100, not 101/,
  ],
  [
    "both ends of a list",
    "{ viewer { grants(first: 1, last: 1) { totalCount } } }",
    /either its "first" or its "last" rows/,
  ],
  [
    "a page of less than nothing, which pays for nothing",
    "{ viewer { a: issues(first: -1000000) { nodes { comments { nodes { id } } } } b: issues(first: 100) { nodes { comments(first: 100) { nodes { id body author { login } } } } } c: issues(first: 100) { nodes { comments(first: 100) { nodes { id body author { login id } } } } } } }",
    /asks for up to \d+ fields/,
  ],
  ["lists in lists without end", `{ viewer(x: ${"[".repeat(4000)}`, /brackets in one another/],
  ["objects in objects", `{ viewer(x: ${"{x:".repeat(1500)}`, /brackets in one another/],
  ["types in types", `query ($a: ${"[".repeat(4000)}`, /brackets in one another/],
  [
    "lists in lists, as deep as may be",
    `{ viewer(x: ${"[".repeat(198)}${"]".repeat(198)}) { id } }`,
    /Unknown argument "x"/,
  ],
  [
    "a cursor that is none",
    '{ viewer { grants(after: "x") { totalCount } } }',
    /"x" does not appear to be a valid cursor/,
  ],
])("limits: %s", async (_, query, message) => {
  const sandbox = await startTestSandbox();
  const { errors } = await ask(sandbox, query);
  expect(errors?.[0]?.message ?? "none").toMatch(message);
});
