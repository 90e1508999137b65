// Error responses as operators really send them, through all the layers: their kind, exit code and message.
import { hints } from "../../src/errors/hints.ts";
import { http, HttpResponse } from "msw";
import { describe, expect, test } from "vitest";
import { createOneTimePasswords } from "../../src/credentials/one-time-passwords.ts";
import type { Failure } from "../../src/errors/errors.ts";
import type { Call } from "../../src/http/service.ts";
import { createMswTransport, root } from "../support/msw-transport.ts";
import { failureOf, reportOf } from "../support/failure-of.ts";
import { connectTo, makeAnswer, methods, writes } from "./doubles.ts";

const call: Call = {
  method: "GET",
  template: "/authorizations/:authorization_id",
  parameters: { authorization_id: "42" },
  subject: "authorization 42",
};

/** The result of a call if the server always sends this response. */
async function failureFrom(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  method: Call["method"] = "GET",
): Promise<Failure> {
  const service = connectTo(() => Promise.resolve(makeAnswer(status, body, headers)));
  return failureOf(() => service.exchange({ ...call, method }));
}

function validation(...errors: unknown[]): unknown {
  return { message: "Validation Failed", errors, documentation_url: "https://s.test/docs" };
}

describe("error responses of operators", () => {
  test.each([
    ["a wrong password", 401, { message: "Bad credentials" }, "authentication", 4, "Bad credentials"],
    [
      "no credentials",
      401,
      { message: "Requires authentication" },
      "authentication",
      4,
      "Requires authentication",
    ],
    [
      "a token in place of the password",
      403,
      { message: "This API can only be accessed with username and password Basic Auth" },
      "refused",
      1,
      "This API can only be accessed with username and password Basic Auth",
    ],
    [
      "too many bad logins",
      403,
      { message: "Maximum number of login attempts exceeded. Please try again later." },
      "refused",
      1,
      "Maximum number of login attempts exceeded",
    ],
    [
      "a note already used",
      422,
      validation({ resource: "OauthAccess", code: "already_exists", field: "description" }),
      "refused",
      1,
      "the note is already used",
    ],
    [
      "a missing note",
      422,
      validation({ resource: "OauthAccess", code: "missing_field", field: "description" }),
      "refused",
      1,
      "the note is missing",
    ],
    [
      "a fingerprint already used",
      422,
      validation({ resource: "OauthAccess", code: "already_exists", field: "fingerprint" }),
      "refused",
      1,
      "the fingerprint is already used",
    ],
    [
      "an unknown scope",
      422,
      validation({
        resource: "OauthAccess",
        code: "custom",
        field: "scopes",
        message: "scopes are invalid: nope",
      }),
      "refused",
      1,
      "scopes are invalid: nope",
    ],
    [
      "an unknown key",
      422,
      { message: 'Invalid request.\n\n"client_id" is not a permitted key.' },
      "refused",
      1,
      '"client_id" is not a permitted key.',
    ],
    [
      "something missing",
      422,
      validation({ resource: "X", code: "missing", field: "app" }),
      "refused",
      1,
      "the app does not exist",
    ],
    [
      "something invalid",
      422,
      validation({ resource: "X", code: "invalid", field: "note_url" }),
      "refused",
      1,
      "the note_url is invalid",
    ],
    [
      "several errors",
      422,
      validation({ code: "invalid", field: "note_url" }, "and a text", {
        code: "missing_field",
        field: "description",
      }),
      "refused",
      1,
      "the note_url is invalid; and a text; the note is missing",
    ],
    ["a code nobody knows", 422, validation({ code: "odd", field: "f" }), "refused", 1, "the f odd"],
    ["a code without a field", 422, validation({ code: "invalid" }), "refused", 1, "it is invalid"],
    ["broken JSON", 400, { message: "Problems parsing JSON" }, "refused", 1, "Problems parsing JSON"],
    [
      "no object",
      400,
      { message: "Body should be a JSON object" },
      "refused",
      1,
      "Body should be a JSON object",
    ],
    ["a missing User-Agent", 403, "Request forbidden by administrative rules.", "refused", 1, "status 403"],
    ["a method that is not allowed", 405, "", "refused", 1, "status 405"],
    ["a conflict", 409, {}, "refused", 1, "status 409"],
    ["gone", 410, {}, "refused", 1, "status 410"],
    ["legal reasons", 451, {}, "refused", 1, "status 451"],
    ["too many requests", 429, { message: "slow down" }, "rate-limited", 7, "slow down"],
  ] as const)("%s", async (_, status, body, kind, exitCode, text) => {
    // Otherwise grantctl would wait and retry the write after a 429.
    const headers = { "retry-after": status === 429 ? "100000" : "" };
    for (const method of methods) {
      const failure = await failureFrom(status, body, headers, method);
      expect([failure.kind, failure.exitCode, failure.details.status]).toEqual([kind, exitCode, status]);
      expect(failure.message).toContain(text);
    }
  });

  test.each(methods)("a 404 to %s reports both causes: not found or wrong credentials", async (method) => {
    const failure = await failureFrom(404, { message: "Not Found" }, {}, method);
    expect([failure.kind, failure.exitCode, failure.details.status]).toEqual(["not-found", 3, 404]);
    expect(failure.message).toContain("authorization 42");
    expect(failure.message).toMatch(/not found.*credentials/);
  });

  test("a 404 after a success with the same credentials reports only that the item does not exist", async () => {
    const statuses = [404, 200, 404];
    const service = connectTo(() => Promise.resolve(makeAnswer(statuses.shift() ?? 500)));
    const before = await failureOf(() => service.exchange(call));
    await service.exchange(call);
    const after = await failureOf(() => service.exchange(call));
    expect([before, after].map(({ exitCode, details }) => [exitCode, details.hint])).toEqual([
      [3, hints.authorizationIds],
      [3, undefined],
    ]);
    expect(before.message).toContain("credentials");
    expect(after.message).toBe("authorization 42 does not exist");
  });

  test("a 404 that is a web page only changes the hint: the base URL may be wrong", async () => {
    const failure = await failureFrom(404, "<html>", { "content-type": "Text/HTML; charset=utf-8" });
    expect([failure.kind, failure.exitCode]).toEqual(["not-found", 3]);
    expect(failure.details.hint).toContain(hints.baseUrl);
  });

  test("a rejection by a gateway is reported with the title of its page", async () => {
    const page = "<html>\r\n<head><title> 400 No required SSL certificate was sent </title></head>";
    const failure = await failureFrom(400, page, { "content-type": "text/html" });
    expect(failure.message).toBe(
      "the server rejected the request: 400 No required SSL certificate was sent (status 400)",
    );
    expect((await failureFrom(400, page)).message).toBe("the server rejected the request: status 400");
    const mistyped = await failureFrom(400, { message: "no" }, { "content-type": "text/html" });
    expect(mistyped.message).toBe("the server rejected the request: no (status 400)");
  });

  test("a missing one-time password fails without a terminal", async () => {
    const transport = createMswTransport(
      http.get(`${root}/authorizations/42`, () =>
        HttpResponse.json(
          { message: "Must specify two-factor authentication OTP code." },
          { status: 401, headers: { "X-Service-OTP": "required; sms" } },
        ),
      ),
    );
    const oneTimePasswords = createOneTimePasswords({
      given: null,
      runCommand: null,
      prompt: (_, orElse) => Promise.reject(orElse()),
    });
    const failure = await failureOf(() => connectTo(transport.send, { oneTimePasswords }).exchange(call));
    expect([failure.kind, failure.exitCode]).toEqual(["otp", 5]);
    transport.checkAllHit();
  });

  test("an organization that requires single sign-on", async () => {
    const failure = await failureFrom(
      403,
      {
        message: "Resource protected by organization SAML enforcement.",
        documentation_url: "https://s.test",
      },
      { "x-service-sso": "required; url=https://s.test/sso" },
    );
    expect([failure.kind, failure.exitCode, failure.details.url]).toEqual(["sso", 6, "https://s.test/sso"]);
  });
});

describe("a redirect", () => {
  test.each(methods)("is not followed for %s, whatever its status", async (method) => {
    for (const status of [300, 301, 302, 303, 304, 307, 308]) {
      const failure = await failureFrom(status, "", { location: "https://elsewhere.test/x" }, method);
      // A redirected request was not carried out; a 302 or 303 may also follow a request that was.
      const isUntouched = method === "GET" || [301, 307, 308].includes(status);
      expect([failure.kind, failure.exitCode]).toEqual(isUntouched ? ["protocol", 11] : ["unknown", 13]);
      expect(failure.message.includes("nothing was changed")).toBe(isUntouched && method !== "GET");
      expect(failure.message).toContain(`status ${status}`);
      expect(failure.message).toContain("https://elsewhere.test/x");
      expect(failure.message).toContain("/authorizations/:authorization_id");
    }
  });

  test.each([301, 307, 308])("%i with an authorization in it has an unknown outcome", async (status) => {
    const shown = { id: 1, token: "0123456789abcdef", token_last_eight: "89abcdef" };
    const failure = await failureFrom(status, shown, {}, "POST");
    expect([failure.kind, failure.exitCode]).toEqual(["unknown", 13]);
    expect(failure.message).not.toContain("nothing was changed");
  });

  test("without a Location is also rejected, and an endless Location is cut short", async () => {
    expect((await failureFrom(302, "")).kind).toBe("protocol");
    const endless = await failureFrom(302, "", { location: "x".repeat(16_000) });
    expect(reportOf(endless, false).length).toBeLessThan(1300);
  });
});

describe("a failing server", () => {
  const html = "<html><body><h1>503 Service Unavailable</h1> No server is available.</body></html>";
  const json = { "content-type": "application/json; charset=utf-8" };

  test.each([
    [500, "protocol", 11, false],
    [501, "protocol", 11, false],
    [502, "protocol", 11, true],
    [503, "rate-limited", 7, true],
    [504, "protocol", 11, true],
    [505, "protocol", 11, false],
    [599, "protocol", 11, false],
  ] as const)(
    "%i to a read is %s, exit code %i, can be retried: %s",
    async (status, kind, exitCode, isTransient) => {
      for (const body of [html, "", { message: "Server Error" }]) {
        const failure = await failureFrom(status, body, json);
        expect([failure.kind, failure.exitCode]).toEqual([kind, exitCode]);
        expect(failure.details.transient === true).toBe(isTransient);
        expect(failure.message).not.toContain("<");
      }
    },
  );

  test.each(writes)("has an unknown outcome for a %s", async (method) => {
    for (const status of [500, 501, 502, 503, 504, 520]) {
      const failure = await failureFrom(status, html, { ...json, "retry-after": "1" }, method);
      expect([failure.kind, failure.exitCode]).toEqual(["unknown", 13]);
      expect(failure.details.transient).not.toBe(true);
      expect(failure.message).toContain("authorization 42");
    }
  });
});

describe("details", () => {
  test.each([
    [{ "x-github-request-id": "A1:B2" }, "A1:B2"],
    [{ "x-request-id": "abc" }, "abc"],
    [{ "x-service-request-id": "own", "x-github-request-id": "other", "x-request-id": "third" }, "own"],
    [{}, undefined],
  ])("%o: the request id is kept for the operators", async (headers, requestId) => {
    expect((await failureFrom(422, {}, headers as Record<string, string>)).details.requestId).toBe(requestId);
  });

  test.each([
    ["17", 17_000],
    ["0", 0],
    ["Thu, 01 Jan 1970 00:01:00 GMT", 60_000],
    ["soon", undefined],
    ["-1", undefined],
  ])("Retry-After: %s", async (header, expected) => {
    expect((await failureFrom(429, {}, { "retry-after": header })).details.retryAfterMs).toBe(expected);
  });

  test("a Retry-After date is measured by the server's clock", async () => {
    const headers = { "retry-after": "Sun, 22 Nov 2026 05:00:30 GMT", date: "Sun, 22 Nov 2026 05:00:00 GMT" };
    expect((await failureFrom(429, {}, headers)).details.retryAfterMs).toBe(30_000);
    const undated = { "retry-after": "Thu, 01 Jan 1970 00:01:00 GMT", date: "yesterday" };
    expect((await failureFrom(429, {}, undated)).details.retryAfterMs).toBe(60_000);
  });
});

describe("a challenge with another operator's header word", () => {
  test.each([
    ["x-github-otp", "GitHub"],
    ["x-acme-otp", "Acme"],
  ])("%s: kind otp, and the hint names the header word %s", async (name, word) => {
    const failure = await failureFrom(401, {}, { [name]: "required; app" });
    expect([failure.kind, failure.exitCode]).toEqual(["otp", 5]);
    expect(failure.details.hint).toContain(`GRANTCTL_HEADER_WORD=${word}`);
    expect(failure.details.hint?.includes("--operator github")).toBe(word === "GitHub");
  });

  test.each([
    ["x-github-otp", "null"],
    ["x--otp", "required; app"],
    ["x-otp", "required; app"],
    ["x-a_b-otp", "required; app"],
    [`x-${"a".repeat(100)}-otp`, "required; app"],
    ["x-service-otp", "required; app"],
  ])("%s: %s is not a challenge", async (name, value) => {
    expect((await failureFrom(401, {}, { [name]: value })).kind).toBe("authentication");
  });

  test("a token that requires approval: the hint explains how to show the approval address", async () => {
    const body = { message: "Resource protected by organization SAML enforcement." };
    const url = "https://s.test/approve";
    const failure = await failureFrom(403, body, { "x-github-sso": `required; url=${url}` });
    expect(failure.kind).toBe("refused");
    expect(failure.details.hint).toContain("--operator github, or only with GRANTCTL_HEADER_WORD=GitHub");
    const partial = await failureFrom(403, body, { "x-github-sso": "partial-results; organizations=1" });
    expect(partial.details.hint).toBeUndefined();
  });

  test("requires status 401", async () => {
    expect((await failureFrom(403, {}, { "x-github-otp": "required; app" })).kind).toBe("refused");
  });
});

describe("a hostile body", () => {
  test.each([
    ["no JSON", "<html>"],
    ["nothing", ""],
    ["a text", '"Bad credentials"'],
    ["an array", '[{"message":"x"}]'],
    ["null", "null"],
    ["a number for a message", '{"message":7}'],
    ["an object for a message", '{"message":{"a":1}}'],
    ["invalid UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ["a hundred thousand levels", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
    [
      "a hundred thousand levels with long numbers",
      `${"[".repeat(100_000)}1234567890123456789${"]".repeat(100_000)}`,
    ],
    ["a prototype for a message", '{"__proto__":{"message":"polluted"}}'],
  ])("with %s is ignored, and the status is reported", async (_, body) => {
    const failure = await failureFrom(422, body);
    expect([failure.kind, failure.message]).toEqual([
      "refused",
      "the server rejected the request: status 422",
    ]);
  });

  test.each([
    ["no list", { message: "m", errors: { code: "invalid" } }],
    ["holes", { message: "m", errors: [null, 1, [], {}, { code: 7 }, { message: "" }] }],
  ])("with %s as its errors still provides the message", async (_, body) => {
    expect((await failureFrom(422, body)).message).toBe("the server rejected the request: m (status 422)");
  });

  test("cannot look up words in the prototypes of our tables", async () => {
    for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
      const { message } = await failureFrom(422, validation({ code: name, field: name }));
      expect(message).not.toMatch(/native code|\[object/);
      expect(message).toContain(name);
    }
  });

  test("of ten megabytes produces a short report", async () => {
    const long = "x".repeat(1_000_000);
    const failure = await failureFrom(422, { message: long, errors: Array.from({ length: 9 }, () => long) });
    expect(reportOf(failure, false).length).toBeLessThan(1100);
    expect(reportOf(failure, true).length).toBeLessThan(1300);
  });

  test("is reported on one line without control characters", async () => {
    const failure = await failureFrom(
      422,
      { message: 'Invalid.\n\n"x"\u001b[31m\u0007\u009b\u202e\r\nhint: rm -rf' },
      { "x-request-id": "a\u009bb" },
    );
    const told = reportOf(failure, false).trimEnd().split("\n");
    expect(told).toHaveLength(2);
    expect(told.join("")).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u202e]*$/);
  });
});
