// Organizations that enforce single sign-on: rejected callers, the header, and incomplete lists.
import { expect, test } from "vitest";
import { failure, notFound, outcomeOf } from "./resource-shapes.ts";
import { startTestSandbox, type Reply } from "./sandbox-client.ts";

const protectedPaths = [
  "/orgs/lanternfish/members",
  "/repos/lanternfish/search/pulls",
  "/repos/lanternfish/search/pulls/2",
  "/repos/lanternfish/search/pulls/2/commits",
  "/repos/lanternfish/search/pulls/2/reviews",
  "/repos/lanternfish/search/issues/1/comments",
  // Missing resources are not revealed without valid credentials.
  "/repos/lanternfish/nothing/pulls",
  "/repos/lanternfish/search/pulls/999",
];
const refusal = failure(
  403,
  "Resource protected by organization SAML enforcement. You must grant your personal token access to this organization.",
);

function ssoOf(reply: Reply): string | undefined {
  return reply.headers["x-service-sso"];
}

function repositoriesOf(reply: Reply): string[] {
  const rows = reply.json() as { repository: { full_name: string } }[];
  return [...new Set(rows.map(({ repository }) => repository.full_name))].toSorted();
}

test.each(protectedPaths)("%s requires an approved personal token", async (path) => {
  const sandbox = await startTestSandbox();
  const { token } = await sandbox.makePersonalToken("laptop again");
  const reply = await sandbox.asToken("GET", path, token);
  expect(outcomeOf(reply)).toEqual(refusal);
  expect(reply.headerNames).toContain("X-Service-SSO");
  const base = sandbox.description.base_url;
  expect(ssoOf(reply)?.startsWith(`required; url=${base}/orgs/lanternfish/sso?authorization_request=`)).toBe(
    true,
  );
  expect(reply.text + (ssoOf(reply) ?? "")).not.toContain(token);
  expect(reply.headers["x-oauth-scopes"]).toBe("");
});

test("tokens of applications need no approval", async () => {
  const sandbox = await startTestSandbox();
  for (const path of protectedPaths.slice(0, -2)) {
    const reply = await sandbox.asToken("GET", path);
    expect([path, reply.status, ssoOf(reply)]).toEqual([path, 200, undefined]);
  }
  expect(outcomeOf(await sandbox.asToken("GET", protectedPaths.at(-1) ?? ""))).toEqual(notFound);
});

test("a password is rejected and cannot be approved", async () => {
  const sandbox = await startTestSandbox();
  const reply = await sandbox.asAccount("GET", "/orgs/tidewatch/members");
  expect(outcomeOf(reply)).toEqual(failure(403, expect.stringContaining("Use a token") as string));
  expect(ssoOf(reply)).toBeUndefined();
});

test("an organization that does not enforce it requires no approval", async () => {
  const sandbox = await startTestSandbox();
  const { token } = await sandbox.makePersonalToken("any");
  const reply = await sandbox.asToken("GET", "/orgs/harbourworks/members", token);
  expect([reply.status, ssoOf(reply)]).toEqual([200, undefined]);
});

test("a list over organizations leaves out those that require approval, and names them in a header", async () => {
  const sandbox = await startTestSandbox();
  const { token } = await sandbox.makePersonalToken("any");
  const [, lanternfish, tidewatch] = sandbox.description.organizations;
  const path = "/user/issues?per_page=100";
  const partial = await sandbox.asToken("GET", path, token);
  expect(partial.status).toBe(200);
  expect(ssoOf(partial)).toBe(`partial-results; organizations=${lanternfish?.id},${tidewatch?.id}`);
  expect(repositoriesOf(partial)).toEqual(["harbourworks/pier", "octavia/logbook"]);
  const whole = await sandbox.asToken("GET", path);
  expect(ssoOf(whole)).toBeUndefined();
  expect(repositoriesOf(whole)).toHaveLength(4);
  const password = await sandbox.asAccount("GET", path);
  expect(ssoOf(password)).toBe(ssoOf(partial));
});

test("the header has the operator's name", async () => {
  const sandbox = await startTestSandbox({ headerWord: "GitHub" });
  const { token } = await sandbox.makePersonalToken("any");
  const reply = await sandbox.asToken("GET", "/orgs/lanternfish/members", token);
  expect(reply.headerNames).toContain("X-GitHub-SSO");
});

test("repeated rejections contain the same URL while it is open; each organization has its own", async () => {
  const sandbox = await startTestSandbox();
  const { token } = await sandbox.makePersonalToken("any");
  const other = await sandbox.makePersonalToken("another");
  const ask = async (organization: string, value = token) =>
    ssoOf(await sandbox.asToken("GET", `/orgs/${organization}/members`, value));
  const first = await ask("lanternfish");
  sandbox.clock.now += 14 * 60_000;
  expect(await ask("lanternfish")).toBe(first);
  sandbox.clock.now += 14 * 60_000;
  expect(await ask("lanternfish")).toBe(first);
  sandbox.clock.now += 15 * 60_000;
  const second = await ask("lanternfish");
  expect(new Set([first, second, await ask("tidewatch"), await ask("lanternfish", other.token)]).size).toBe(
    4,
  );
});
