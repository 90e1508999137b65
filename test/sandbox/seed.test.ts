// The contents of a new sandbox, and its description.
import { expect, test } from "vitest";
import { inFull } from "../support/soak.ts";
import { authorizationsOf, grantsOf } from "./resource-shapes.ts";
import { startOfTests, startTestSandbox } from "./sandbox-client.ts";

test("the description has all fields in order, in each mode", async () => {
  const sandbox = await startTestSandbox({ otp: "app" });
  const { description } = sandbox;
  expect(Object.keys(description)).toEqual([
    "base_url",
    "username",
    "password",
    "otp",
    "totp_secret",
    "otp_command",
    "client_id",
    "client_secret",
    "applications",
    "tokens",
    "organizations",
  ]);
  expect(description.password).toMatch(/^[\w-]{20,}$/);
  expect(description.otp_command).toBe(`print-code ${description.base_url}`);
  expect(description.organizations).toEqual([
    { id: expect.any(Number), login: "harbourworks", enforces_sso: false },
    { id: expect.any(Number), login: "lanternfish", enforces_sso: true },
    { id: expect.any(Number), login: "tidewatch", enforces_sso: true },
  ]);
  for (const application of description.applications) {
    expect(Object.keys(application)).toEqual(["name", "url", "client_id", "client_secret"]);
    expect(application.client_id).toMatch(/^[0-9a-f]{20}$/);
    expect(application.client_secret).toMatch(/^[0-9a-f]{40}$/);
  }
  expect(description.applications[0]).toMatchObject({
    client_id: description.client_id,
    client_secret: description.client_secret,
  });
  const sms = await startTestSandbox({ otp: "sms" });
  expect(sms.description).toMatchObject({ otp: "sms", totp_secret: null });
  expect(sms.description.otp_command).not.toBeNull();
  const none = await startTestSandbox();
  expect(none.description).toMatchObject({ otp: "none", totp_secret: null, otp_command: null });
});

test("the described tokens are active tokens of the first application", async () => {
  const sandbox = await startTestSandbox({ grants: 2, authorizations: 9 });
  const { tokens, client_id } = sandbox.description;
  const all = authorizationsOf(await sandbox.asAccount("GET", "/authorizations?per_page=100"));
  const ofFirst = all.filter(({ app }) => app.client_id === client_id);
  expect(ofFirst).toHaveLength(6);
  expect(tokens).toEqual(
    ofFirst.map(({ id, token_last_eight, scopes, fingerprint }) => ({
      id,
      token: expect.stringMatching(new RegExp(`^[0-9a-f]{32}${token_last_eight}$`)) as unknown,
      token_last_eight,
      scopes,
      fingerprint,
    })),
  );
  for (const { token } of tokens) {
    expect((await sandbox.asApplication("GET", `/applications/${client_id}/tokens/${token}`)).status).toBe(
      200,
    );
  }
});

test.each([
  [null, null, 3, 6],
  [0, null, 0, 3],
  [5, null, 5, 8],
  [null, 1, 1, 1],
  [null, 0, 0, 0],
  [null, 12, 3, 12],
  [0, 4, 0, 4],
  [14, 20, 14, 20],
  [2, 2, 2, 2],
])("grants %s and authorizations %s give %i and %i", async (grants, authorizations, granted, authorized) => {
  const sandbox = await startTestSandbox({ grants, authorizations });
  expect(grantsOf(await sandbox.asAccount("GET", "/applications/grants?per_page=100"))).toHaveLength(granted);
  expect(authorizationsOf(await sandbox.asAccount("GET", "/authorizations?per_page=100"))).toHaveLength(
    authorized,
  );
  expect(sandbox.description.applications).toHaveLength(Math.max(granted, 1));
  const names = sandbox.description.applications.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test.each([
  [4, 3],
  [-1, null],
  [null, 1.5],
])("grants %s with authorizations %s are rejected", async (grants, authorizations) => {
  await expect(startTestSandbox({ grants, authorizations })).rejects.toThrow(RangeError);
});

test("the seed is varied: two years, several scopes, wide characters, missing notes", async () => {
  const sandbox = await startTestSandbox({ grants: 10, authorizations: 60 });
  const all = authorizationsOf(await sandbox.asAccount("GET", "/authorizations?per_page=100"));
  const years = all.map(({ created_at }) => (startOfTests - Date.parse(created_at)) / (365 * 86_400_000));
  expect(Math.max(...years)).toBeGreaterThan(1.8);
  expect(Math.max(...years)).toBeLessThanOrEqual(2);
  expect(Math.min(...years)).toBeGreaterThan(0);
  expect(Math.min(...years)).toBeLessThan(0.2);
  expect(years).toEqual(years.toSorted((a, b) => b - a));
  expect(new Set(all.map(({ scopes }) => scopes.join())).size).toBeGreaterThan(4);
  expect(all.some(({ note }) => note === null)).toBe(true);
  expect(all.some(({ note }) => /漢/.test(note ?? ""))).toBe(true);
  expect(all.some(({ note_url }) => note_url !== null)).toBe(true);
  const personal = all.filter(({ app }) => /^0+$/.test(app.client_id));
  expect(personal).toHaveLength(2);
  for (const { created_at, updated_at } of all) {
    expect(Date.parse(updated_at)).toBeGreaterThanOrEqual(Date.parse(created_at));
    expect(Date.parse(updated_at)).toBeLessThanOrEqual(startOfTests);
  }
});

test("at most ten thousand tokens are described", { tags: "soak" }, async () => {
  const many = inFull(20_000, 100_000);
  const sandbox = await startTestSandbox({ grants: 100, authorizations: many });
  expect(sandbox.description.tokens).toHaveLength(10_000);
  const last = await sandbox.asAccount("GET", `/authorizations?per_page=100&page=${many / 100}`);
  expect(authorizationsOf(last).at(-1)?.id).toBe(many);
});
