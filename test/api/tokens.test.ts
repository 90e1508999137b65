// The operations on an application's tokens in the formats of all server types: requests, retries, and the meaning of
// responses.
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { checkToken, resetToken, revokeGrant, revokeToken } from "../../src/api/tokens.ts";
import type { Failure } from "../../src/errors/errors.ts";
import type { RawResponse, HttpRequest } from "../../src/http/request.ts";
import type { Service } from "../../src/http/service.ts";
import { findServerType, serverTypeNames, type ServerTypeName } from "../../src/server-types.ts";
import { thrownFailure } from "../support/thrown-failure.ts";
import { connectTo, makeAnswer } from "../http/doubles.ts";

const client = "c".repeat(20);
const token = `github_pat_${"aB3_".repeat(20)}`;
const answered = { id: 1, app: null, token: `gho_${"x".repeat(36)}`, scopes: [], user: { login: "octavia" } };

const operations = {
  check: checkToken,
  reset: resetToken,
  revoke: revokeToken,
  "revoke-grant": revokeGrant,
} as const;
type Operation = keyof typeof operations;

/** A server of this type with this response, and its recorded requests. */
function serviceOf(
  name: ServerTypeName,
  answer: (request: HttpRequest) => RawResponse,
): { readonly service: Service; readonly sent: HttpRequest[] } {
  const sent: HttpRequest[] = [];
  const serverType = findServerType(name);
  if (serverType === null) throw new Error(`there is no server type ${name}`);
  const service = connectTo(
    (request) => {
      sent.push(request);
      return Promise.resolve().then(() => answer(request));
    },
    { serverType },
  );
  return { service, sent };
}

/** The response to a check of the token. */
const checked = { ...answered, token: "" };

function success({ method, isRead }: HttpRequest): RawResponse {
  if (method === "DELETE") return makeAnswer(204, "");
  return makeAnswer(200, method === "GET" || isRead === true ? checked : answered);
}

const inBody = `/applications/${client}/token`;

// With the token in the path: test/scripts/tokens.
test.each([
  ["check", "POST", inBody],
  ["reset", "PATCH", inBody],
  ["revoke", "DELETE", inBody],
  ["revoke-grant", "DELETE", `/applications/${client}/grant`],
] as const)("github: %s is %s %s", async (operation, method, path) => {
  const { service, sent } = serviceOf("github", success);
  await operations[operation](service, client, token);
  expect(sent.map((request) => `${request.method} ${request.target.path}`)).toEqual([`${method} ${path}`]);
  expect(sent.map((request) => request.body)).toEqual([JSON.stringify({ access_token: token })]);
  expect(sent[0]?.target.template).not.toContain(token);
  expect(sent[0]?.subject).not.toContain(token);
});

const other = `gho_${"x".repeat(36)}`;
const sha256 = (text: string, form: "hex" | "base64" | "base64url"): string =>
  createHash("sha256").update(text).digest(form);

/** OAuth 2.0 servers have other operations. */
const classicNames = serverTypeNames.filter((name) => findServerType(name)?.isOauth === false);

describe.each(classicNames)("%s", (name) => {
  test.each([
    ["its value", { token: other }],
    ["its last eight characters", { token_last_eight: "12345678" }],
    [
      "its last eight, beside the right hash",
      { token_last_eight: "12345678", hashed_token: sha256(token, "hex") },
    ],
    ["its hash", { hashed_token: sha256(other, "hex") }],
    ["its hash in base64", { hashed_token: sha256(other, "base64") }],
    [
      "its hash, beside the right last eight",
      { hashed_token: sha256(other, "hex"), token_last_eight: token.slice(-8) },
    ],
  ])("a check whose response is about another token, shown by %s, is a protocol error", async (_, fields) => {
    const { service } = serviceOf(name, () => makeAnswer(200, { ...checked, ...fields }));
    const failure = await thrownFailure(() => checkToken(service, client, token));
    expect([failure.kind, failure.exitCode]).toEqual(["protocol", 1]);
    expect(failure.message).toMatch(/belongs to another token|token is another one/);
    expect(failure.message).not.toContain(token.slice(-8));
  });

  test.each([
    { app: { name: "Other", url: "", client_id: "d".repeat(20) } },
    { app: { client_id: "0".repeat(20) } },
  ])("a check that returns the token of another application, %j, is a protocol error", async (fields) => {
    const { service } = serviceOf(name, () => makeAnswer(200, { ...checked, token, ...fields }));
    const failure = await thrownFailure(() => checkToken(service, client, token));
    expect([failure.kind, failure.exitCode]).toEqual(["protocol", 1]);
  });

  test.each([
    {},
    { app: { client_id: client } },
    { app: { client_id: "" } },
    { token, hashed_token: sha256(token, "hex"), token_last_eight: token.slice(-8) },
    { hashed_token: sha256(token, "base64") },
    { token: "", hashed_token: "", token_last_eight: "" },
    { token: null, hashed_token: null, token_last_eight: null },
    { token: "****", token_last_eight: token.slice(-8) },
  ])("a check accepts %j", async (fields) => {
    const { token: _, ...without } = checked;
    const { service } = serviceOf(name, () => makeAnswer(200, { ...without, ...fields }));
    await expect(checkToken(service, client, token)).resolves.toMatchObject({ id: 1 });
  });

  test.each(Object.keys(operations) as readonly Operation[])(
    "422 to %s is a rejection, of this token if the token was in the body",
    async (operation) => {
      const { service } = serviceOf(name, () => makeAnswer(422, { message: "Validation Failed" }));
      const failure = await thrownFailure(() => operations[operation](service, client, token));
      expect(failure.kind).toBe("refused");
      const isInBody = service.serverType.isGithub;
      const refusal = "the server rejected the request: Validation Failed (status 422)";
      expect([failure.details.isAboutItem, failure.message]).toEqual([
        isInBody ? true : undefined,
        isInBody
          ? `the token ending in ${token.slice(-8)} is not a token of this application: ${refusal}`
          : refusal,
      ]);
    },
  );
});

test.each([
  ["another refusal", makeAnswer(403, { message: "no" })],
  ["a web page", makeAnswer(422, "<title>Oh no</title>", { "content-type": "text/html; charset=utf-8" })],
])("%s is not about the token", async (_, answer) => {
  const { service } = serviceOf("github", () => answer);
  const failure: Failure = await thrownFailure(() => checkToken(service, client, token));
  expect(failure.message).toMatch(/^the server rejected the request: (?:no \(status|status 422)/);
  expect(failure.details.isAboutItem).toBeUndefined();
});
