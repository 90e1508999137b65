// Response validation: an unreadable response is a protocol failure for a read and an unknown outcome for a write.
import { describe, expect, test } from "vitest";
import {
  createAuthorization,
  deleteAuthorization,
  getAuthorization,
  getOrCreateAuthorization,
  updateAuthorization,
} from "../../src/api/authorizations.ts";
import { deleteGrant } from "../../src/api/grants.ts";
import { checkToken, resetToken, revokeGrant, revokeToken } from "../../src/api/tokens.ts";
import type { RawResponse, HttpRequest } from "../../src/http/request.ts";
import type { Service } from "../../src/http/service.ts";
import { failureOf } from "../support/failure-of.ts";
import { connectTo, makeAnswer } from "./doubles.ts";

const client = "c".repeat(20);
const token = "0123456789abcdef0123456789abcdef01234567";
const secret = "s".repeat(40);

const authorization = {
  id: 1,
  url: "https://service.test/authorizations/1",
  app: { name: "a", url: "https://a.test", client_id: client },
  token: "",
  hashed_token: "",
  token_last_eight: "01234567",
  note: "n",
  note_url: null,
  created_at: "2024-01-01T00:00:00Z",
  updated_at: "2024-01-01T00:00:00Z",
  scopes: [],
  fingerprint: null,
};
const withValue = { ...authorization, token };
const without = (key: keyof typeof authorization): unknown =>
  Object.fromEntries(Object.entries(withValue).filter(([name]) => name !== key));

function answering(answer: RawResponse, sent: HttpRequest[] = []): Service {
  return connectTo((request) => {
    sent.push(request);
    return Promise.resolve(answer);
  });
}

type Operation = (service: Service) => Promise<unknown>;
const reads: [string, Operation][] = [
  ["get an authorization", (service) => getAuthorization(service, "1")],
  ["check", (service) => checkToken(service, client, token)],
];
const valued: [string, Operation][] = [
  ["create", (service) => createAuthorization(service, { note: "n" })],
  ["reset", (service) => resetToken(service, client, "f".repeat(40))],
];
const bodied: [string, Operation][] = [
  ...valued,
  [
    "get-or-create",
    (service) => getOrCreateAuthorization(service, client, null, { client_secret: secret }, false),
  ],
  ["update", (service) => updateAuthorization(service, "1", { note: "m" })],
];
const empty: [string, Operation][] = [
  ["delete a grant", (service) => deleteGrant(service, "1")],
  ["delete an authorization", (service) => deleteAuthorization(service, "1")],
  ["revoke", (service) => revokeToken(service, client, token)],
  ["revoke-grant", (service) => revokeGrant(service, client, token)],
];

/** What is wrong with the body itself is in test/hostile. */
const unreadable: [string, string | Buffer][] = [
  ["cut off inside the value", '{"id":1,"token":"abc'],
  ["HTML", "<html></html>"],
  ["a text for an id", JSON.stringify({ ...withValue, id: "1" })],
  ["scopes that are no list", JSON.stringify({ ...withValue, scopes: "repo" })],
  ["an id in the prototype", `{"__proto__":${JSON.stringify(withValue)}}`],
];

test.each(reads)("a read that cannot be trusted is a protocol failure: %s", async (_, operation) => {
  const answers = [
    ...unreadable.map(([, body]) => makeAnswer(200, body)),
    ...[201, 204, 206].map((status) => makeAnswer(status, withValue)),
  ];
  for (const answer of answers) {
    const failure = await failureOf(() => operation(answering(answer)));
    expect([failure.kind, failure.exitCode]).toEqual(["protocol", 1]);
    expect(failure.message).not.toContain(token);
  }
});

describe.each(bodied)("a write: %s", (_, operation) => {
  test.each(unreadable)("answered with %s has an unknown outcome, and is sent once", async (_name, body) => {
    for (const status of [200, 201]) {
      const sent: HttpRequest[] = [];
      const failure = await failureOf(() => operation(answering(makeAnswer(status, body), sent)));
      expect([failure.kind, failure.exitCode, sent.length]).toEqual(["unknown", 13, 1]);
      const told = `${failure.message} ${failure.details.hint ?? ""}`;
      for (const value of [token, secret, "abc"]) expect(told).not.toContain(value);
    }
  });
});

describe.each(valued)("a value that is shown only once: %s", (_, operation) => {
  test.each([
    ["missing", without("token")],
    ["empty", authorization],
    ["a number", { ...withValue, token: 1234 }],
    ["two lines", { ...withValue, token: `${token}\n` }],
    ["with a control character", { ...withValue, token: `${token}\u009b` }],
    ["beyond ASCII", { ...withValue, token: `${token}é` }],
    ["a megabyte", { ...withValue, token: "x".repeat(1_000_000) }],
  ])("%s: the outcome is unknown, and no empty value is returned", async (_name, body) => {
    // Without last eight characters, which would contradict the value.
    const shown = { ...(body as object), token_last_eight: "" };
    const failure = await failureOf(() => operation(answering(makeAnswer(201, shown))));
    expect([failure.kind, failure.exitCode]).toEqual(["unknown", 13]);
  });
});

function getOrCreate(answer: RawResponse): Promise<unknown> {
  return getOrCreateAuthorization(answering(answer), client, null, { client_secret: secret }, false);
}

test("get-or-create requires a value for a new authorization, but not for an existing one", async () => {
  expect(await getOrCreate(makeAnswer(201, withValue))).toMatchObject({ token });
  expect(await getOrCreate(makeAnswer(200, authorization))).toMatchObject({ token: "" });
  expect((await failureOf(() => getOrCreate(makeAnswer(201, authorization)))).kind).toBe("unknown");
});

test.each(empty)(
  "a write without a result has an unknown outcome with another status: %s",
  async (_, operation) => {
    for (const status of [200, 202, 205]) {
      const failure = await failureOf(() => operation(answering(makeAnswer(status, "{}"))));
      expect([failure.kind, failure.exitCode]).toEqual(["unknown", 13]);
      expect(failure.message).not.toContain(token);
    }
  },
);
