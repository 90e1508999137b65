// The page that approves a token for an organization: its states, its contents, and the protection of its form.
import { expect, test } from "vitest";
import {
  approvalAddress,
  approve,
  expectGuarded,
  formOf,
  formsOf,
  openPage,
  sendForm,
  titleOf,
  wordsOf,
} from "./page-client.ts";
import { sendTo, startTestSandbox, type Reply, type TestSandbox } from "./sandbox-client.ts";
import { fault } from "../support/account.ts";

const minute = 60_000;

async function statusOf(sandbox: TestSandbox, token: string, organization = "lanternfish"): Promise<number> {
  return (await sandbox.asToken("GET", `/orgs/${organization}/members`, token)).status;
}

/** Status and heading. */
function seenOf(reply: Reply): [number, string] {
  expect(reply.headers["content-type"]).toBe("text/html; charset=utf-8");
  expectGuarded(reply);
  return [reply.status, titleOf(reply)];
}

test("the page names account, organization and token; approval is for that organization only", async () => {
  const sandbox = await startTestSandbox();
  const { token } = await sandbox.makePersonalToken("release script 2", ["repo", "read:org"]);
  const other = await sandbox.makePersonalToken("another");
  const address = await approvalAddress(sandbox, token);
  const page = await openPage(sandbox, address);
  expect(seenOf(page)).toEqual([200, "Approve a token for lanternfish?"]);
  const words = wordsOf(page);
  for (const word of ["octavia", "release script 2", token.slice(-8), "repo", "read:org"]) {
    expect(words).toContain(word);
  }
  expect(page.text + address).not.toContain(token);
  expect(page.text + address).not.toContain(token.slice(0, 32));
  expect(page.text).toMatch(/^<!doctype html>\s*<html lang="en">/);
  expect(page.text).not.toMatch(/<script|javascript:|\son\w+=|\sstyle=|https?:/i);

  const answer = await sendForm(sandbox, formOf(page), { decision: "approve" });
  expect(seenOf(answer)).toEqual([200, "Approved"]);
  expect(await statusOf(sandbox, token)).toBe(200);
  expect(await statusOf(sandbox, token, "tidewatch")).toBe(403);
  expect(await statusOf(sandbox, other.token)).toBe(403);
  const list = await sandbox.asToken("GET", "/user/issues", token);
  const tidewatch = sandbox.description.organizations[2];
  expect(list.headers["x-service-sso"]).toBe(`partial-results; organizations=${tidewatch?.id}`);
  await approve(sandbox, token, "tidewatch");
  expect((await sandbox.asToken("GET", "/user/issues", token)).headers["x-service-sso"]).toBeUndefined();
});

test("opening or cancelling approves nothing; the next rejection contains a new URL", async () => {
  const sandbox = await startTestSandbox();
  const { token } = await sandbox.makePersonalToken("n");
  const address = await approvalAddress(sandbox, token);
  await openPage(sandbox, address);
  const page = await openPage(sandbox, address);
  expect(await statusOf(sandbox, token)).toBe(403);
  expect(seenOf(await sendForm(sandbox, formOf(page), { decision: "cancel" }))).toEqual([200, "Cancelled"]);
  expect(await statusOf(sandbox, token)).toBe(403);
  expect(seenOf(await openPage(sandbox, address))).toEqual([410, "Already answered"]);
  expect(await approvalAddress(sandbox, token)).not.toBe(address);
  await approve(sandbox, token);
  expect(await statusOf(sandbox, token)).toBe(200);
});

test("a request can be answered once, even from a second window", async () => {
  const sandbox = await startTestSandbox();
  const { token } = await sandbox.makePersonalToken("n");
  const address = await approvalAddress(sandbox, token);
  const first = await openPage(sandbox, address);
  const second = await openPage(sandbox, address);
  await sendForm(sandbox, formOf(first), { decision: "cancel" });
  for (const page of [first, second]) {
    const reply = await sendForm(sandbox, formOf(page), { decision: "approve" });
    expect(seenOf(reply)).toEqual([410, "Already answered"]);
  }
  expect(await statusOf(sandbox, token)).toBe(403);
});

test("a request expires after fifteen minutes", async () => {
  const sandbox = await startTestSandbox();
  const { token } = await sandbox.makePersonalToken("n");
  const address = await approvalAddress(sandbox, token);
  const page = await openPage(sandbox, address);
  sandbox.clock.now += 15 * minute;
  expect(seenOf(await openPage(sandbox, address))).toEqual([410, "Too late"]);
  expect(seenOf(await sendForm(sandbox, formOf(page), { decision: "approve" }))).toEqual([410, "Too late"]);
  expect(await statusOf(sandbox, token)).toBe(403);
});

test("a form expires; reloading the page gives a valid one", async () => {
  const sandbox = await startTestSandbox();
  const { token } = await sandbox.makePersonalToken("n");
  const address = await approvalAddress(sandbox, token);
  const page = await openPage(sandbox, address);
  sandbox.clock.now += 10 * minute;
  expect(await approvalAddress(sandbox, token)).toBe(address);
  sandbox.clock.now += 10 * minute;
  expect(seenOf(await sendForm(sandbox, formOf(page), { decision: "approve" }))).toEqual([
    403,
    "This form cannot be used",
  ]);
  const again = await openPage(sandbox, address);
  expect((await sendForm(sandbox, formOf(again), { decision: "approve" })).status).toBe(200);
});

test("deleting a token ends its requests and its approvals", async () => {
  const sandbox = await startTestSandbox();
  const { id, token } = await sandbox.makePersonalToken("n");
  await approve(sandbox, token);
  const address = await approvalAddress(sandbox, token, "tidewatch");
  const page = await openPage(sandbox, address);
  await sandbox.asAccount("DELETE", `/authorizations/${id}`);
  expect(seenOf(await openPage(sandbox, address))).toEqual([410, "The token no longer exists"]);
  expect((await sendForm(sandbox, formOf(page), { decision: "approve" })).status).toBe(410);
  // A new token with the same note does not inherit the approval.
  const next = await sandbox.makePersonalToken("n");
  expect(await statusOf(sandbox, next.token)).toBe(403);
});

test("updating note or scopes keeps the approval", async () => {
  const sandbox = await startTestSandbox();
  const { id, token } = await sandbox.makePersonalToken("n");
  await approve(sandbox, token);
  await sandbox.asAccount("PATCH", `/authorizations/${id}`, { note: "m", scopes: ["gist"] });
  expect(await statusOf(sandbox, token)).toBe(200);
});

test("a reset token of an application needs no approval", async () => {
  const sandbox = await startTestSandbox();
  const { client_id, tokens } = sandbox.description;
  const reset = await sandbox.asApplication("POST", `/applications/${client_id}/tokens/${tokens[0]?.token}`);
  const { token } = reset.json() as { token: string };
  expect(await statusOf(sandbox, token)).toBe(200);
});

test.each([
  "/orgs/lanternfish/sso",
  "/orgs/lanternfish/sso?authorization_request=",
  "/orgs/lanternfish/sso?authorization_request=AAAA",
  "/orgs/nobody/sso?authorization_request=AAAA",
  "/orgs/%3Cscript%3E/sso?authorization_request=%3Cscript%3E",
])("%s is a 404 page", async (path) => {
  const sandbox = await startTestSandbox();
  const page = await openPage(sandbox, path);
  expect(seenOf(page)).toEqual([404, "This URL is not valid"]);
  expect(page.text).not.toContain("<script>");
});

test("a request is valid only for its organization", async () => {
  const sandbox = await startTestSandbox();
  const { token } = await sandbox.makePersonalToken("n");
  const address = await approvalAddress(sandbox, token);
  const form = formOf(await openPage(sandbox, address));
  expect((await openPage(sandbox, address.replace("lanternfish", "tidewatch"))).status).toBe(404);
  const reply = await sendForm(sandbox, { ...form, action: "/orgs/tidewatch/sso" }, { decision: "approve" });
  expect(reply.status).toBe(404);
  expect(await statusOf(sandbox, token)).toBe(403);
});

test.each<[string, Record<string, string>, Record<string, string>, number]>([
  ["without its nonce", { once: "" }, {}, 403],
  ["with another nonce", { once: "A".repeat(43) }, {}, 403],
  ["from a foreign page", {}, { Origin: "https://evil.example.com" }, 403],
  ["from a page without an origin", {}, { Origin: "null" }, 403],
  ["from another port", {}, { Origin: "http://127.0.0.1:1" }, 403],
  ["from another name of this machine", {}, { Origin: "http://localhost" }, 403],
  ["from a foreign page, according to Sec-Fetch-Site", {}, { "Sec-Fetch-Site": "cross-site" }, 403],
  ["from another port, according to Sec-Fetch-Site", {}, { "Sec-Fetch-Site": "same-site" }, 403],
  ["to another name", {}, { Host: "evil.example.com" }, 403],
  ["without a decision", { decision: "" }, {}, 400],
  ["with another decision", { decision: "approve " }, {}, 400],
  ["with another request", { authorization_request: "AAAA" }, {}, 404],
])("a form that is sent %s changes nothing", async (_, fields, headers, status) => {
  const sandbox = await startTestSandbox();
  const { token } = await sandbox.makePersonalToken("n");
  const form = formOf(await openPage(sandbox, await approvalAddress(sandbox, token)));
  const reply = await sendForm(sandbox, form, { decision: "approve", ...fields }, headers);
  expect(reply.status).toBe(status);
  expect(await statusOf(sandbox, token)).toBe(403);
  await approve(sandbox, token);
});

test("a nonce is valid for one page and one use", async () => {
  const sandbox = await startTestSandbox();
  const first = await sandbox.makePersonalToken("first");
  const second = await sandbox.makePersonalToken("second");
  const formOfFirst = formOf(await openPage(sandbox, await approvalAddress(sandbox, first.token)));
  const formOfSecond = formOf(await openPage(sandbox, await approvalAddress(sandbox, second.token)));
  const { once = "" } = formOfFirst.fields;
  const crossed = await sendForm(sandbox, formOfSecond, { decision: "approve", once });
  expect(crossed.status).toBe(403);
  const used = await sendForm(sandbox, formOfFirst, { decision: "approve" });
  expect(used.status).toBe(403);
  const undecided = formOf(await openPage(sandbox, await approvalAddress(sandbox, first.token)));
  expect((await sendForm(sandbox, undecided)).status).toBe(400);
  expect((await sendForm(sandbox, undecided, { decision: "approve" })).status).toBe(403);
  expect(await statusOf(sandbox, first.token)).toBe(403);
});

test("a script without Origin can answer with the form's values", async () => {
  const sandbox = await startTestSandbox();
  const { token } = await sandbox.makePersonalToken("n");
  const { action, fields } = formOf(await openPage(sandbox, await approvalAddress(sandbox, token)));
  const body = new URLSearchParams({ ...fields, decision: "approve" }).toString();
  const reply = await sendTo(sandbox.description.base_url, "POST", action, { body });
  expect(reply.status).toBe(200);
  expect(await statusOf(sandbox, token)).toBe(200);
});

test("the sandbox's own Origin is accepted only for pages", async () => {
  const sandbox = await startTestSandbox();
  const Origin = sandbox.description.base_url;
  const token = sandbox.description.tokens[0]?.token ?? "";
  for (const [method, path] of [
    ["GET", "/user"],
    ["GET", "/orgs/lanternfish/members"],
    ["PUT", "/orgs/lanternfish/sso"],
    ["POST", "/orgs/lanternfish/sso/more"],
    ["POST", "/graphql"],
    ["POST", "/sandbox/codes"],
    ["GET", "/authorizations"],
  ] as const) {
    const reply = await sandbox.send(method, path, { headers: { Origin, Authorization: `token ${token}` } });
    expect([path, reply.status, reply.text.includes("Origin header")]).toEqual([path, 403, true]);
  }
});

test("a page requested by another host name redirects to the base URL", async () => {
  const sandbox = await startTestSandbox();
  const { token } = await sandbox.makePersonalToken("n");
  const address = await approvalAddress(sandbox, token);
  const { base_url } = sandbox.description;
  const path = address.replace(base_url, "");
  const reply = await sendTo(base_url, "GET", path, { headers: { Host: "localhost:8080" } });
  expect([reply.status, reply.headers["location"]]).toEqual([307, address]);
  const elsewhere = await sendTo(base_url, "GET", `//evil.example.com/orgs/x/sso`, {
    headers: { Host: "localhost" },
  });
  expect(elsewhere.headers["location"]).toBeUndefined();
});

/** The markup of a page without its text. */
function skeletonOf(reply: Reply): readonly string[] {
  return [...reply.text.matchAll(/<[^>]*>/g)].map(([tag]) => tag.slice(0, 9));
}

test.each([
  `</dd><script>alert(1)</script>`,
  `"><img src=x onerror=alert(1)>`,
  `' onfocus='alert(1)`,
  "&lt;b&gt; &amp; &#39;",
  "\u202e\u2066reversed\u200f",
  "\u0000\u001b]8;;http://evil\u0007\u009b31m",
  "\ud800 alone",
  "<!--",
  "{{7*7}} ${7*7}",
])("a note of %j is only text", async (note) => {
  const sandbox = await startTestSandbox();
  const plain = await sandbox.makePersonalToken("plain");
  const { token } = await sandbox.makePersonalToken(note);
  const page = await openPage(sandbox, await approvalAddress(sandbox, token));
  const expected = await openPage(sandbox, await approvalAddress(sandbox, plain.token));
  expect(skeletonOf(page)).toEqual(skeletonOf(expected));
  const shown = note
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u200f\u202e\u2066]/g, "\ufffd")
    .replace("\ud800", "\ufffd");
  expect(wordsOf(page)).toContain(shown);
});

test("a note of a megabyte is truncated, but not within a character", async () => {
  const sandbox = await startTestSandbox();
  const { token } = await sandbox.makePersonalToken(`x${"😀".repeat(200_000)}`);
  const page = await openPage(sandbox, await approvalAddress(sandbox, token));
  expect(page.text.length).toBeLessThan(12_000);
  expect(page.text).toContain(`😀…`);
  expect(page.text).not.toContain("\ufffd");
});

test("a body that is not a form, or too large, is rejected", async () => {
  const sandbox = await startTestSandbox();
  const post = (body: string) =>
    sendTo(sandbox.description.base_url, "POST", "/orgs/lanternfish/sso", { body });
  expect((await post("{}")).status).toBe(404);
  expect((await post("__proto__=x&constructor=y&authorization_request")).status).toBe(404);
  expect((await post(`a=${"b".repeat(1024 * 1024)}`)).status).toBe(413);
});

test("pages need no User-Agent and get no injected faults", async () => {
  const sandbox = await startTestSandbox({ faults: [fault("status=503:1")] });
  const reply = await sendTo(sandbox.description.base_url, "GET", "/orgs/x/sso", {
    headers: { "User-Agent": "" },
  });
  expect(reply.status).toBe(404);
  expect(formsOf(reply)).toEqual([]);
});
