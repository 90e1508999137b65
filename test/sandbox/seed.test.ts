// The contents of a new sandbox, and its description.
import { expect, test } from "vitest";
import { inFull } from "../support/soak.ts";
import { authorizationsOf, grantsOf } from "./resource-shapes.ts";
import { startOfTests, startTestSandbox } from "./sandbox-client.ts";

test("the description has the fields of the contract, in order", async () => {
  const { description } = await startTestSandbox({ otp: "app" });
  expect(Object.keys(description)).toEqual([
    "base_url",
    "username",
    "password",
    "otp",
    "totp_secret",
    "client_id",
    "client_secret",
    "tokens",
    "organizations",
  ]);
  expect(description).toMatchObject({
    password: expect.stringMatching(/^[\w-]{32}$/) as string,
    client_id: expect.stringMatching(/^[0-9a-f]{20}$/) as string,
    client_secret: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
    organizations: [
      { login: "harbourworks", enforces_sso: false },
      { login: "lanternfish", enforces_sso: true },
      { login: "tidewatch", enforces_sso: true },
    ],
  });
  expect((await startTestSandbox({ otp: "sms" })).description).toMatchObject({
    otp: "sms",
    totp_secret: null,
  });
});

test("the described tokens are active tokens of the first application", async () => {
  const sandbox = await startTestSandbox({ grants: 2, authorizations: 9 });
  const { tokens, client_id } = sandbox.description;
  const all = authorizationsOf(await sandbox.asAccount("GET", "/authorizations"));
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
  expect(sandbox.applications).toHaveLength(Math.max(granted, 1));
  const names = sandbox.applications.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test("fewer authorizations than grants are rejected", async () => {
  await expect(startTestSandbox({ grants: 4, authorizations: 3 })).rejects.toThrow(RangeError);
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

const daysSince = (time: string): number => (startOfTests - Date.parse(time)) / 86_400_000;

test("half of the data is healthy", async () => {
  for (const operator of ["service", "github"] as const) {
    const sandbox = await startTestSandbox({ operator, grants: 10, authorizations: 60 });
    const all = authorizationsOf(await sandbox.asAccount("GET", "/authorizations?per_page=100"));
    const healthy = all.filter(
      ({ note, scopes, created_at, updated_at, expires_at }) =>
        all.filter((one) => one.note === note).length === 1 &&
        !scopes.some((scope) => scope.startsWith("admin:")) &&
        daysSince(created_at) < 365 &&
        daysSince(updated_at) < 180 &&
        (operator === "service" || -daysSince(expires_at ?? "") === 200),
    );
    expect(healthy).toHaveLength(30);
  }
});

test("at most ten thousand tokens are described", { tags: "soak" }, async () => {
  const many = inFull(20_000, 100_000);
  const sandbox = await startTestSandbox({ grants: 100, authorizations: many });
  expect(sandbox.description.tokens).toHaveLength(10_000);
  const last = await sandbox.asAccount("GET", `/authorizations?per_page=100&page=${many / 100}`);
  expect(authorizationsOf(last).at(-1)?.id).toBe(many);
});
