// The other REST endpoints: responses, pagination, and access.
import { expect, test } from "vitest";
import { failure, notFound, outcomeOf, userFields } from "./resource-shapes.ts";
import { basic, startTestSandbox, type Reply, type TestSandbox } from "./sandbox-client.ts";

type Row = Record<string, unknown>;

function rowsOf(reply: Reply): Row[] {
  expect([reply.status, reply.text]).toEqual([200, expect.any(String)]);
  return reply.json() as Row[];
}

/** Every row of a list, by following `rel="next"`. */
async function readAll(sandbox: TestSandbox, path: string, token?: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const reply: Reply = await sandbox.asToken("GET", next, token);
    rows.push(...rowsOf(reply));
    next = /<([^>]+)>; rel="next"/.exec(reply.headers["link"] ?? "")?.[1];
    next = next?.slice(sandbox.description.base_url.length);
  }
  return rows;
}

const resources = [
  "/user",
  "/user/issues",
  "/orgs/harbourworks/members",
  "/repos/harbourworks/pier/pulls",
  "/repos/harbourworks/pier/pulls/10",
  "/repos/harbourworks/pier/pulls/10/commits",
  "/repos/harbourworks/pier/pulls/10/reviews",
  "/repos/harbourworks/pier/issues/1/comments",
];

test.each(resources)("%s accepts a token in every format, and reports its scopes", async (path) => {
  const sandbox = await startTestSandbox({ otp: "app" });
  const { username } = sandbox.description;
  const { token } = await sandbox.makePersonalToken("matrix", ["repo", "read:org"]);
  for (const headers of [
    { Authorization: `token ${token}` },
    { Authorization: `Bearer ${token}` },
    basic(username, token),
    basic(token, "x-oauth-basic"),
    basic(token, ""),
  ]) {
    const reply = await sandbox.send("GET", path, { headers });
    expect(reply.status).toBe(200);
    expect(reply.headers["x-oauth-scopes"]).toBe("repo, read:org");
  }
});

test.each(resources)(
  "%s rejects missing credentials, and the password if two-factor authentication is on",
  async (path) => {
    const sandbox = await startTestSandbox({ otp: "app" });
    const { username, password, client_id, client_secret } = sandbox.description;
    const get = async (headers: Record<string, string>) =>
      outcomeOf(await sandbox.send("GET", path, { headers }));
    expect(await get({})).toEqual(failure(401, "Requires authentication"));
    for (const headers of [
      basic(username, "wrong"),
      basic(client_id, client_secret),
      { Authorization: `token ${"0".repeat(40)}` },
    ]) {
      expect(await get(headers)).toEqual(failure(401, "Bad credentials"));
    }
    expect(await get(basic(username, password))).toEqual(
      failure(401, expect.stringContaining("a token must be used") as string),
    );
  },
);

test("the password suffices if two-factor authentication is off; no scopes are reported", async () => {
  const sandbox = await startTestSandbox();
  const reply = await sandbox.asAccount("GET", "/repos/octavia/logbook/pulls");
  expect(rowsOf(reply).length).toBeGreaterThan(0);
  expect(reply.headers["x-oauth-scopes"]).toBeUndefined();
});

test("members are users, thirty per page", async () => {
  const sandbox = await startTestSandbox();
  const first = await sandbox.asToken("GET", "/orgs/harbourworks/members");
  expect(rowsOf(first)).toHaveLength(30);
  expect(first.headers["link"]).toContain('/orgs/harbourworks/members?page=2>; rel="next"');
  const all = await readAll(sandbox, "/orgs/harbourworks/members?per_page=25");
  expect(all).toHaveLength(64);
  expect(new Set(all.map(({ login }) => login)).size).toBe(64);
  expect(new Set(all.map(({ node_id }) => node_id)).size).toBe(64);
  for (const member of all) expect(Object.keys(member)).toEqual(userFields);
  expect(all[0]).toEqual((await sandbox.asToken("GET", "/user")).json());
});

test("pull requests are filtered by state, newest first, and open by default", async () => {
  const sandbox = await startTestSandbox();
  const path = "/repos/harbourworks/pier/pulls";
  const open = await readAll(sandbox, path);
  const closed = await readAll(sandbox, `${path}?state=closed`);
  const all = await readAll(sandbox, `${path}?state=all&per_page=7`);
  expect(open.length).toBeGreaterThan(30);
  expect(open.every(({ state }) => state === "open")).toBe(true);
  expect(closed.every(({ state, merged_at }) => state === "closed" && merged_at !== null)).toBe(true);
  const numbers = all.map(({ number }) => Number(number));
  expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
  expect(numbers).toHaveLength(open.length + closed.length);
  expect(all[0]).toMatchObject({
    url: `${sandbox.description.base_url}${path}/${numbers[0]}`,
    node_id: expect.any(String) as unknown,
    title: expect.any(String) as unknown,
    user: { login: expect.any(String) as unknown, node_id: expect.any(String) as unknown },
    head: { sha: expect.stringMatching(/^[0-9a-f]{40}$/) as unknown },
    base: { ref: "main", repo: { full_name: "harbourworks/pier" } },
  });
});

test("a pull request matches its commits and reviews", async () => {
  const sandbox = await startTestSandbox();
  const path = "/repos/harbourworks/pier/pulls/10";
  const pull = (await sandbox.asToken("GET", path)).json() as Row & { head: Row; base: Row };
  const commits = await readAll(sandbox, `${path}/commits`);
  expect(pull).toMatchObject({ number: 10, merged: false, mergeable: true, commits: commits.length });
  expect(commits.length).toBeGreaterThan(30);
  expect(commits.at(-1)?.["sha"]).toBe(pull.head["sha"]);
  expect(commits[0]?.["parents"]).toMatchObject([{ sha: pull.base["sha"] }]);
  for (const [index, commit] of commits.slice(1).entries()) {
    expect(commit["parents"]).toMatchObject([{ sha: commits[index]?.["sha"] }]);
  }
  const reviews = rowsOf(await sandbox.asToken("GET", "/repos/harbourworks/pier/pulls/6/reviews"));
  expect(reviews.map(({ state }) => state)).toEqual(["COMMENTED", "CHANGES_REQUESTED", "APPROVED"]);
  expect(reviews[0]).toMatchObject({
    node_id: expect.any(String) as unknown,
    pull_request_url: `${sandbox.description.base_url}/repos/harbourworks/pier/pulls/6`,
  });
});

test("issues and pull requests have comments, in pages", async () => {
  const sandbox = await startTestSandbox();
  const comments = await readAll(sandbox, "/repos/octavia/logbook/issues/1/comments");
  expect(comments).toHaveLength(35);
  const times = comments.map(({ created_at }) => String(created_at));
  expect(times).toEqual(times.toSorted());
  const pull = (await sandbox.asToken("GET", "/repos/octavia/logbook/pulls/2")).json() as Row;
  expect(rowsOf(await sandbox.asToken("GET", "/repos/octavia/logbook/issues/2/comments"))).toHaveLength(
    Number(pull["comments"]),
  );
});

test("assigned issues come from the account's and its organizations' repositories", async () => {
  const sandbox = await startTestSandbox();
  const issues = await readAll(sandbox, "/user/issues?state=all");
  const names = new Set(issues.map(({ repository }) => String((repository as Row)["full_name"])));
  expect([...names].toSorted()).toEqual([
    "harbourworks/pier",
    "lanternfish/search",
    "octavia/logbook",
    "tidewatch/ci",
  ]);
  expect(issues.every(({ assignee }) => (assignee as Row)["login"] === "octavia")).toBe(true);
  const open = await readAll(sandbox, "/user/issues");
  expect(open.every(({ state }) => state === "open")).toBe(true);
  expect(open.length).toBeLessThan(issues.length);
});

test.each([
  "/orgs/nobody/members",
  "/repos/nobody/logbook/pulls",
  "/repos/octavia/nothing/pulls",
  "/repos/octavia/pier/pulls",
  "/repos/harbourworks/logbook/pulls",
  "/repos/octavia/logbook/pulls/1",
  "/repos/octavia/logbook/pulls/0",
  "/repos/octavia/logbook/pulls/10",
  "/repos/octavia/logbook/pulls/x",
  "/repos/octavia/logbook/pulls/1/commits",
  "/repos/octavia/logbook/issues/99/comments",
  "/repos/octavia/logbook/issues/-1/comments",
])("%s is not there, and the token's scopes are reported all the same", async (path) => {
  const sandbox = await startTestSandbox();
  const reply = await sandbox.asToken("GET", path);
  expect(outcomeOf(reply)).toEqual(notFound);
  expect(reply.headers["x-oauth-scopes"]).toBe(sandbox.description.tokens[0]?.scopes.join(", "));
});

test("the data is the same in every sandbox", async () => {
  const answers = await Promise.all(
    [1, 2].map(async (seed) => {
      const sandbox = await startTestSandbox({ seed });
      const texts = await Promise.all(
        resources.map(async (path) => (await sandbox.asToken("GET", path)).text),
      );
      return texts.map((text) => text.replaceAll(sandbox.description.base_url, ""));
    }),
  );
  expect(answers[0]).toEqual(answers[1]);
});

test("names of organizations, accounts and repositories are case-insensitive", async () => {
  const sandbox = await startTestSandbox();
  for (const [path, asNamed] of [
    ["/orgs/HarbourWorks/members", "/orgs/harbourworks/members"],
    ["/repos/HARBOURWORKS/Pier/pulls", "/repos/harbourworks/pier/pulls"],
    ["/repos/Octavia/LogBook/issues/1/comments", "/repos/octavia/logbook/issues/1/comments"],
  ] as const) {
    const reply = await sandbox.asToken("GET", path);
    expect(reply.status).toBe(200);
    expect(reply.json()).toEqual((await sandbox.asToken("GET", asNamed)).json());
  }
});

/** Compares numbers by value, and times by text. */
function upwards(values: readonly (string | number)[]): readonly (string | number)[] {
  return values.toSorted((first, second) =>
    typeof first === "number" && typeof second === "number"
      ? first - second
      : String(first).localeCompare(String(second)),
  );
}

test("pull requests and issues are sorted as requested", async () => {
  const sandbox = await startTestSandbox();
  const order = async (path: string, field: string) => {
    const rows = (await sandbox.asToken("GET", `${path}per_page=100`)).json() as Record<string, unknown>[];
    return rows.map((row) => row[field] as string | number);
  };
  for (const path of ["/repos/harbourworks/pier/pulls?state=all&", "/user/issues?state=all&"]) {
    for (const [sort, field] of [
      ["created", "created_at"],
      ["updated", "updated_at"],
    ] as const) {
      const ascending = await order(`${path}sort=${sort}&direction=asc&`, field);
      expect(new Set(ascending).size).toBeGreaterThan(5);
      expect(ascending).toEqual(upwards(ascending));
      const descending = await order(`${path}sort=${sort}&direction=desc&`, field);
      expect(descending).toEqual(ascending.toReversed());
    }
    const usual = await order(path, "created_at");
    expect(await order(`${path}sort=created&`, "created_at")).toEqual(usual);
    expect(usual).toEqual(upwards(usual).toReversed());
    expect(await order(`${path}direction=asc&`, "created_at")).toEqual(upwards(usual));
  }
  const comments = await order("/user/issues?sort=comments&direction=asc&", "comments");
  expect(comments).toEqual(upwards(comments));
  expect(await order("/user/issues?sort=updated&", "updated_at")).toEqual(
    upwards(await order("/user/issues?", "updated_at")).toReversed(),
  );
  // Pull requests only: ascending by default unless sorted by creation.
  expect(await order("/repos/harbourworks/pier/pulls?sort=updated&", "updated_at")).toEqual(
    upwards(await order("/repos/harbourworks/pier/pulls?", "updated_at")),
  );
});

test.each(["service", "github"] as const)(
  "%s says whose token it was given, and which scopes would do",
  async (operator) => {
    const sandbox = await startTestSandbox({ operator });
    const { client_id } = sandbox.description;
    const { token } = await sandbox.makePersonalToken("mine");
    const accepted = "admin:org, read:org, repo, user, write:org";
    for (const [path, scopes] of [
      ["/user", ""],
      ["/orgs/harbourworks/members", accepted],
      ["/repos/harbourworks/pier/pulls", ""],
    ] as const) {
      const ofApplication = await sandbox.asToken("GET", path);
      expect(ofApplication.headers["x-oauth-client-id"]).toBe(client_id);
      expect(ofApplication.headers["x-accepted-oauth-scopes"]).toBe(scopes);
      const personal = await sandbox.asToken("GET", path, token);
      expect(personal.headers).not.toHaveProperty("x-oauth-client-id");
    }
  },
);
