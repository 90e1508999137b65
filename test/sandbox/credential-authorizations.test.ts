// The credentials that members approved for an organization.
import { expect, test } from "vitest";
import { outcomeOf, noContent, notFound } from "./resource-shapes.ts";
import { approve } from "./page-client.ts";
import { startOfTests, startTestSandbox } from "./sandbox-client.ts";

const path = "/orgs/lanternfish/credential-authorizations";
const day = 24 * 3600 * 1000;

function daysAgo(days: number): string {
  return `${new Date(startOfTests - days * day).toISOString().slice(0, 19)}Z`;
}

test.each(["github", "github.com"] as const)(
  "%s tells of approvals, with their last use",
  async (operator) => {
    const sandbox = await startTestSandbox({ operator });
    const reply = await sandbox.asToken("GET", path);
    expect(reply.status).toBe(200);
    const text = expect.any(String) as string;
    const row = { login: "octavia", credential_type: "personal access token", token_last_eight: text };
    expect(reply.json()).toEqual([
      {
        ...row,
        credential_id: 4,
        credential_authorized_at: text,
        credential_accessed_at: daysAgo(5),
        authorized_credential_expires_at: daysAgo(-10),
        scopes: ["read:org", "user:email"],
      },
      {
        ...row,
        credential_id: 5,
        credential_authorized_at: text,
        credential_accessed_at: daysAgo(120),
        authorized_credential_expires_at: null,
        scopes: ["repo", "workflow", "write:packages"],
      },
    ]);
    const first = await sandbox.asToken("GET", `${path}?per_page=1`);
    expect(first.json()).toHaveLength(1);
    expect(first.headers["link"]).toContain('rel="last"');
  },
);

test("service has no such endpoint", async () => {
  const sandbox = await startTestSandbox();
  expect(outcomeOf(await sandbox.asToken("GET", path))).toEqual(notFound);
});

test("an organization without single sign-on, or that does not exist, is 404", async () => {
  const sandbox = await startTestSandbox({ operator: "github" });
  for (const organization of ["harbourworks", "nobody"]) {
    const reply = await sandbox.asToken("GET", `/orgs/${organization}/credential-authorizations`);
    expect(outcomeOf(reply)).toEqual(notFound);
  }
});

test("an unapproved token and a password are rejected", async () => {
  const sandbox = await startTestSandbox({ operator: "github" });
  const { token } = await sandbox.makePersonalToken("not approved");
  expect((await sandbox.asToken("GET", path, token)).status).toBe(403);
  expect((await sandbox.asAccount("GET", path)).status).toBe(403);
});

test("an approval can be withdrawn once; the token stays active", async () => {
  const sandbox = await startTestSandbox({ operator: "github" });
  expect(outcomeOf(await sandbox.asToken("DELETE", `${path}/4`))).toEqual(noContent);
  expect(outcomeOf(await sandbox.asToken("DELETE", `${path}/4`))).toEqual(notFound);
  expect(outcomeOf(await sandbox.asToken("DELETE", `${path}/1`))).toEqual(notFound);
  expect((await sandbox.asToken("GET", path)).json()).toMatchObject([{ credential_id: 5 }]);
  expect((await sandbox.asAccount("GET", "/authorizations/4")).status).toBe(200);
});

test("each use updates the time of the last use", async () => {
  const sandbox = await startTestSandbox({ operator: "github" });
  const { id, token } = await sandbox.makePersonalToken("laptop again");
  await approve(sandbox, token);
  const lastUse = async (): Promise<string | null | undefined> => {
    const rows = (await sandbox.asToken("GET", path)).json() as {
      credential_id: number;
      credential_accessed_at: string | null;
    }[];
    return rows.find((row) => row.credential_id === id)?.credential_accessed_at;
  };
  expect(await lastUse()).toBeNull();
  sandbox.clock.now += 2 * day;
  expect((await sandbox.asToken("GET", "/orgs/lanternfish/members", token)).status).toBe(200);
  expect(await lastUse()).toBe(daysAgo(-2));
});
