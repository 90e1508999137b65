// Organizations that enforce single sign-on: refusals, the form that approves a token, and incomplete lists.
import { expect, test } from "vitest";
import { failure, notFound, outcomeOf, rowsOf } from "./resource-shapes.ts";
import { approve, startTestSandbox, type Reply } from "./sandbox-client.ts";

const protectedPaths = [
  "/orgs/lanternfish/members",
  "/repos/lanternfish/search/pulls",
  "/repos/lanternfish/search/pulls/1",
  "/repos/lanternfish/search/pulls/1/commits",
  "/repos/lanternfish/search/pulls/1/reviews",
  "/repos/lanternfish/search/issues/1/comments",
  // What is missing is not revealed either.
  "/repos/lanternfish/search/pulls/999",
];
const refusal = failure(
  403,
  "Resource protected by organization SAML enforcement. You must grant your personal token access to this organization.",
);

function ssoOf(reply: Reply): string | undefined {
  return reply.headers["x-service-sso"];
}

test.each(protectedPaths)("%s requires an approved personal token", async (path) => {
  const sandbox = await startTestSandbox();
  const { token } = await sandbox.makePersonalToken("laptop again");
  const reply = await sandbox.asToken("GET", path, token);
  expect(outcomeOf(reply)).toEqual(refusal);
  const start = `required; url=${sandbox.description.base_url}/orgs/lanternfish/sso?authorization_request=`;
  expect(ssoOf(reply)?.startsWith(start)).toBe(true);
  expect(reply.text + (ssoOf(reply) ?? "")).not.toContain(token);
  expect(reply.headers["x-oauth-scopes"]).toBe("");
});

test("tokens of applications need no approval", async () => {
  const sandbox = await startTestSandbox();
  for (const path of protectedPaths.slice(0, -1)) {
    const reply = await sandbox.asToken("GET", path);
    expect([path, reply.status, ssoOf(reply)]).toEqual([path, 200, undefined]);
  }
  for (const path of [protectedPaths.at(-1) ?? "", "/orgs/nobody/members", "/repos/nobody/docs/pulls"])
    expect(outcomeOf(await sandbox.asToken("GET", path))).toEqual(notFound);
});

test("a password is rejected and cannot be approved", async () => {
  const sandbox = await startTestSandbox();
  const reply = await sandbox.asAccount("GET", "/orgs/tidewatch/members");
  expect(outcomeOf(reply)).toEqual(failure(403, expect.stringContaining("Use a token") as string));
  expect(ssoOf(reply)).toBeUndefined();
});

test("a list over organizations leaves out those that require approval, and names them in a header", async () => {
  const sandbox = await startTestSandbox();
  const { token } = await sandbox.makePersonalToken("any");
  const [, lanternfish, tidewatch] = sandbox.description.organizations;
  const partial = await sandbox.asToken("GET", "/user/issues?per_page=100", token);
  expect(rowsOf(partial)).toHaveLength(35);
  expect(ssoOf(partial)).toBe(`partial-results; organizations=${lanternfish?.id},${tidewatch?.id}`);
  await approve(sandbox, token, "tidewatch");
  const more = await sandbox.asToken("GET", "/user/issues?per_page=100", token);
  expect(rowsOf(more)).toHaveLength(38);
  expect(ssoOf(more)).toBe(`partial-results; organizations=${lanternfish?.id}`);
  const whole = await sandbox.asToken("GET", "/user/issues?per_page=100");
  expect([rowsOf(whole).length, ssoOf(whole)]).toEqual([42, undefined]);
});

test("the form names token and organization; it approves one token for one organization, once", async () => {
  const sandbox = await startTestSandbox({ headerWord: "GitHub" });
  const { token } = await sandbox.makePersonalToken(`<b>"it's"</b>`, ["gist"]);
  const other = await sandbox.makePersonalToken("another");
  const ask = (organization: string, value = token): Promise<Reply> =>
    sandbox.asToken("GET", `/orgs/${organization}/members`, value);
  const addressOf = async (organization: string, value = token): Promise<string> =>
    (await ask(organization, value)).headers["x-github-sso"]?.replace(/^.*127\.0\.0\.1:\d+/, "") ?? "";
  const address = await addressOf("lanternfish");
  expect(await addressOf("lanternfish")).toBe(address);
  expect(
    new Set([address, await addressOf("tidewatch"), await addressOf("lanternfish", other.token)]).size,
  ).toBe(3);
  const form = await sandbox.send("GET", address);
  expect([form.status, form.headers["content-type"]]).toEqual([200, "text/html; charset=UTF-8"]);
  expect(form.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
  for (const text of [
    "lanternfish",
    "octavia",
    "gist",
    token.slice(-8),
    "&lt;b&gt;&quot;it&#39;s&quot;&lt;/b&gt;",
  ])
    expect(form.text).toContain(text);
  expect(form.text).not.toContain(token);
  expect((await ask("lanternfish")).status).toBe(403);
  expect((await sandbox.send("POST", address)).status).toBe(200);
  expect((await ask("lanternfish")).status).toBe(200);
  expect((await ask("tidewatch")).status).toBe(403);
  expect((await ask("lanternfish", other.token)).status).toBe(403);
  for (const method of ["GET", "POST"]) expect((await sandbox.send(method, address)).status).toBe(404);
  expect((await sandbox.send("POST", "/orgs/lanternfish/sso")).status).toBe(404);
});
