// The settings page: access, contents, and the effect of its forms.
import { expect, test } from "vitest";
import { grantsOf, rowsOf } from "./resource-shapes.ts";
import {
  approve,
  expectGuarded,
  formOf,
  formsOf,
  openPage,
  sendForm,
  titleOf,
  wordsOf,
} from "./page-client.ts";
import { startTestSandbox, type Reply, type TestSandbox } from "./sandbox-client.ts";

function pathOf(reply: Reply): string {
  return reply.headers["location"] ?? "";
}

/** The links of a page, by their text. */
function linksOf(reply: Reply): Map<string, string> {
  const links = reply.text.matchAll(/<a\s([^>]*)>([^<]*)<\/a\s*>/g);
  return new Map(
    [...links].map(([, attributes = "", text = ""]) => [
      /aria-label="([^"]*)"/.exec(attributes)?.[1] ?? text.trim(),
      (/href="([^"]*)"/.exec(attributes)?.[1] ?? "").replaceAll("&amp;", "&"),
    ]),
  );
}

async function openSettings(sandbox: TestSandbox): Promise<Reply> {
  const reply = await openPage(sandbox, sandbox.description.settings_url);
  expect([reply.status, titleOf(reply)]).toEqual([200, "Authorized applications"]);
  expectGuarded(reply);
  return reply;
}

/** The confirmation page of the first application. */
async function openConfirmation(sandbox: TestSandbox): Promise<Reply> {
  const link = linksOf(await openSettings(sandbox)).get("Revoke the access of Harbour Deploy") ?? "";
  const reply = await openPage(sandbox, link);
  expect([reply.status, titleOf(reply)]).toEqual([200, "Revoke the access of Harbour Deploy?"]);
  expectGuarded(reply);
  return reply;
}

test("the page lists the same applications as the list of grants, with scopes and dates", async () => {
  const sandbox = await startTestSandbox();
  const grants = grantsOf(await sandbox.asAccount("GET", "/applications/grants"));
  const page = await openSettings(sandbox);
  const names = [...page.text.matchAll(/<h2>\s*<bdi>([^<]*)<\/bdi>/g)].map((match) => match[1]);
  expect(names).toEqual(grants.map(({ app }) => app.name));
  const words = wordsOf(page);
  expect(words).toContain("3 applications have access to the account octavia.");
  for (const { app, scopes, created_at, updated_at } of grants) {
    for (const word of [app.url, ...scopes]) expect(words).toContain(word);
    expect(page.text).toContain(`datetime="${created_at.slice(0, 10)}"`);
    expect(page.text).toContain(`datetime="${updated_at.slice(0, 10)}"`);
  }
});

test("revoking requires confirmation, then deletes the grant with all its tokens, once", async () => {
  const sandbox = await startTestSandbox();
  const token = sandbox.description.tokens[0]?.token ?? "";
  const confirmation = await openConfirmation(sandbox);
  expect((await sandbox.asToken("GET", "/user", token)).status).toBe(200);
  const form = formOf(confirmation);
  const reply = await sendForm(sandbox, form);
  expect(reply.status).toBe(303);
  const after = await openPage(sandbox, pathOf(reply));
  expect(wordsOf(after)).toMatch(/^The application no longer has access\./);
  expect(wordsOf(after)).not.toContain("Harbour Deploy");
  expect((await sandbox.asToken("GET", "/user", token)).status).toBe(401);
  expect(rowsOf(await sandbox.asAccount("GET", "/applications/grants"))).toHaveLength(2);
  expect((await sendForm(sandbox, form)).status).toBe(403);
  const gone = await openPage(sandbox, linksOf(confirmation).get("Keep it") ?? "");
  expect(linksOf(gone).has("Revoke the access of Harbour Deploy")).toBe(false);
});

test.each<[string, Record<string, string>, Record<string, string>, number]>([
  ["without its nonce", { once: "" }, {}, 403],
  ["with another nonce", { once: "A".repeat(43) }, {}, 403],
  ["without the key", { key: "" }, {}, 404],
  ["with another key", { key: "A".repeat(32) }, {}, 404],
  ["from a foreign page", {}, { Origin: "http://evil.example.com" }, 403],
  ["from a foreign page, according to Sec-Fetch-Site", {}, { "Sec-Fetch-Site": "cross-site" }, 403],
])("a form that is sent %s revokes nothing", async (_, fields, headers, status) => {
  const sandbox = await startTestSandbox();
  const form = formOf(await openConfirmation(sandbox));
  expect((await sendForm(sandbox, form, fields, headers)).status).toBe(status);
  expect(rowsOf(await sandbox.asAccount("GET", "/applications/grants"))).toHaveLength(3);
});

test("a form revokes only its own application", async () => {
  const sandbox = await startTestSandbox();
  const form = formOf(await openConfirmation(sandbox));
  const other = { ...form, action: form.action.replace("/1/", "/2/") };
  expect(other.action).not.toBe(form.action);
  expect((await sendForm(sandbox, other)).status).toBe(403);
  expect(rowsOf(await sandbox.asAccount("GET", "/applications/grants"))).toHaveLength(3);
});

test("an application that was already revoked is reported", async () => {
  const sandbox = await startTestSandbox();
  const form = formOf(await openConfirmation(sandbox));
  await sandbox.asAccount("DELETE", "/applications/grants/1");
  const reply = await sendForm(sandbox, form);
  expect([reply.status, titleOf(reply)]).toEqual([404, "No such application"]);
  expectGuarded(reply);
});

test("the page requires the key, which changes at each start", async () => {
  const sandbox = await startTestSandbox();
  const { settings_url } = sandbox.description;
  const { pathname, searchParams } = new URL(settings_url);
  for (const path of [
    pathname,
    `${pathname}?key=`,
    `${pathname}?key=${"A".repeat(32)}`,
    `${pathname}/1/revoke`,
    `${pathname}/1/revoke?key=x`,
  ]) {
    const reply = await openPage(sandbox, path);
    expect([reply.status, titleOf(reply)]).toEqual([404, "This URL is not valid"]);
    expect(reply.text).not.toContain(searchParams.get("key"));
    expect(reply.text).not.toContain("Harbour");
    expectGuarded(reply);
  }
  expect((await openPage(sandbox, `${pathname}/99/revoke?key=${searchParams.get("key")}`)).status).toBe(404);
});

test("approvals are listed and can be withdrawn", async () => {
  const sandbox = await startTestSandbox();
  expect(wordsOf(await openSettings(sandbox))).toContain("No personal token is approved");
  const { token } = await sandbox.makePersonalToken("<i>laptop</i>");
  await approve(sandbox, token, "lanternfish");
  await approve(sandbox, token, "tidewatch");
  const page = await openSettings(sandbox);
  expect(wordsOf(page)).toContain("<i>laptop</i>");
  expect(wordsOf(page)).toContain(token.slice(-8));
  const [first, second] = formsOf(page);
  if (first === undefined || second === undefined) throw new Error("there are no two forms");
  const crossed = { ...second.fields, once: first.fields["once"] ?? "" };
  expect((await sendForm(sandbox, second, crossed)).status).toBe(403);
  const reply = await sendForm(sandbox, second);
  expect(reply.status).toBe(303);
  expect(wordsOf(await openPage(sandbox, pathOf(reply)))).toMatch(/^The approval was withdrawn\./);
  const statuses = await Promise.all(
    ["lanternfish", "tidewatch"].map(
      async (name) => (await sandbox.asToken("GET", `/orgs/${name}/members`, token)).status,
    ),
  );
  expect(statuses).toEqual([200, 403]);
  expect((await sendForm(sandbox, second)).status).toBe(403);
});

test("many applications are listed in pages", async () => {
  const sandbox = await startTestSandbox({ grants: 60, authorizations: 60 });
  const names: string[] = [];
  let page = await openSettings(sandbox);
  for (;;) {
    names.push(...[...page.text.matchAll(/<h2>\s*<bdi>([^<]*)<\/bdi>/g)].map((match) => match[1] ?? ""));
    const next = linksOf(page).get("Next");
    if (next === undefined) break;
    page = await openPage(sandbox, next);
  }
  expect(new Set(names).size).toBe(60);
  expect(wordsOf(page)).toContain("Page 3 of 3");
  const beyond = await openPage(sandbox, `${sandbox.description.settings_url}&page=99`);
  expect(beyond.status).toBe(200);
  expect(linksOf(beyond).has("Previous")).toBe(true);
});

test("an account without applications has an empty list", async () => {
  const sandbox = await startTestSandbox({ grants: 0 });
  expect(wordsOf(await openSettings(sandbox))).toContain("No applications have access");
});
