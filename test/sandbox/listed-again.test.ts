// Lists contain later changes, but not those that were rolled back.
import { expect, test } from "vitest";
import { authorizationsOf } from "./resource-shapes.ts";
import { type Reply, startTestSandbox, type TestSandbox } from "./sandbox-client.ts";

type Change = (sandbox: TestSandbox) => Promise<Reply>;

const tokenPath = (
  { description: { client_id: id, tokens } }: TestSandbox,
  kind: "tokens" | "grants",
): string => `/applications/${id}/${kind}/${tokens[0]?.token ?? ""}`;

const changes: readonly (readonly [what: string, change: Change])[] = [
  ["a new token", ({ asAccount }) => asAccount("POST", "/authorizations", { note: "new", scopes: [] })],
  ["a changed note", ({ asAccount }) => asAccount("PATCH", "/authorizations/2", { note: "été" })],
  ["an added scope", ({ asAccount }) => asAccount("PATCH", "/authorizations/2", { add_scopes: ["gist"] })],
  ["a deletion", ({ asAccount }) => asAccount("DELETE", "/authorizations/3")],
  ["a reset", (sandbox) => sandbox.asApplication("POST", tokenPath(sandbox, "tokens"))],
  ["a revoked token", (sandbox) => sandbox.asApplication("DELETE", tokenPath(sandbox, "tokens"))],
  ["a revoked grant", (sandbox) => sandbox.asApplication("DELETE", tokenPath(sandbox, "grants"))],
];

/** The same authorizations, requested one by one. */
async function oneByOne({ asAccount }: TestSandbox): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  for (let id = 1; id <= 8; id += 1) {
    const reply = await asAccount("GET", `/authorizations/${id}`);
    if (reply.status === 200) items.push(reply.json());
  }
  return items;
}

test.each(changes)("the list shows %s, in the same format", async (_, change) => {
  const sandbox = await startTestSandbox();
  const before = await sandbox.asAccount("GET", "/authorizations");
  expect((await change(sandbox)).status).toBeLessThan(300);
  const after = await sandbox.asAccount("GET", "/authorizations");
  expect(after.text).not.toBe(before.text);
  expect(after.text).toBe(`${JSON.stringify(await oneByOne(sandbox), null, 2)}\n`);
  expect(after.headers["content-length"]).toBe(String(Buffer.byteLength(after.text)));
});

test("a rejected change is not in the list", async () => {
  const sandbox = await startTestSandbox();
  const before = await sandbox.asAccount("GET", "/authorizations");
  const taken = authorizationsOf(before)[0]?.note;
  const refused = await sandbox.asAccount("POST", "/authorizations", { note: taken, scopes: [] });
  expect(refused.status).toBe(422);
  const after = await sandbox.asAccount("GET", "/authorizations");
  expect(after.text).toBe(before.text);
});

test("an empty list has the same format", async () => {
  const sandbox = await startTestSandbox();
  const reply = await sandbox.asAccount("GET", "/authorizations?page=99");
  expect(reply.text).toBe("[]\n");
});
