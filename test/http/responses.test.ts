// Error responses as servers really send them, through all the layers: their kind, exit code and message.
import { describe, expect, test } from "vitest";
import type { Failure } from "../../src/errors/errors.ts";
import type { Call } from "../../src/http/service.ts";
import { thrownFailure, reportOf } from "../support/thrown-failure.ts";
import { connectTo, makeAnswer, methods } from "./doubles.ts";

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
  return thrownFailure(() => service.exchange({ ...call, method }));
}

function validation(...errors: unknown[]): unknown {
  return { message: "Validation Failed", errors, documentation_url: "https://s.test/docs" };
}

describe("error responses of servers", () => {
  const tooOften = "Maximum number of login attempts exceeded. Please try again later.";
  const noToken = "This API can only be accessed with username and password Basic Auth";

  test.each([
    [401, { message: "Bad credentials" }, "authentication", 4, "Bad credentials"],
    [401, { message: "Requires authentication" }, "authentication", 4, "Requires authentication"],
    [403, { message: noToken }, "refused", 1, noToken],
    [403, { message: tooOften }, "refused", 1, tooOften],
    [
      422,
      validation({ code: "already_exists", field: "description" }),
      "refused",
      1,
      ": note already exists",
    ],
    [422, validation({ code: "missing_field", field: "description" }), "refused", 1, ": note missing field"],
    [422, validation({ code: "custom", field: "scopes", message: "no: x" }), "refused", 1, "no: x"],
    [422, { message: 'Invalid request.\n\n"x" is not a key.' }, "refused", 1, '"x" is not a key.'],
    [422, validation({ code: "missing", field: "app" }), "refused", 1, ": app missing"],
    [422, validation({ code: "odd", field: "f" }, "text", 1, {}), "refused", 1, ": f odd; text (status"],
    [403, "Request forbidden by administrative rules.", "refused", 1, "status 403"],
    [405, "", "refused", 1, "status 405"],
    [410, {}, "refused", 1, "status 410"],
    [429, { message: "slow down" }, "rate-limited", 8, "slow down"],
  ] as const)("%i, %j", async (status, body, kind, exitCode, text) => {
    // Otherwise grantctl would wait and retry the write after a 429.
    const headers = { "retry-after": status === 429 ? "100000" : "" };
    for (const method of methods) {
      const failure = await failureFrom(status, body, headers, method);
      expect([failure.kind, failure.exitCode, failure.details.status]).toEqual([kind, exitCode, status]);
      expect(failure.message).toContain(text);
    }
  });
});

/** Sends a request to a server that responds with this header. */
async function sendToSso(status: number, header: string) {
  const partial: (readonly string[])[] = [];
  const service = connectTo(() => Promise.resolve(makeAnswer(status, {}, { "x-service-sso": header })), {
    onPartialResults: (ids) => void partial.push(ids),
  });
  const end = await service.exchange(call).then(
    () => null,
    (error: unknown) => error as Failure,
  );
  return { end, partial };
}

describe("single sign-on", () => {
  test.each<[string, string | undefined]>([
    ["required; url=https://s.test/orgs/a?x=1", "https://s.test/orgs/a?x=1"],
    ["Required;url=http://127.0.0.1:1/x", "http://127.0.0.1:1/x"],
    ["required", undefined],
    ...[
      "http://s.test/x",
      "javascript:alert(1)",
      "//s.test/x",
      "https://s.test/\u001b]8;;x",
      "https://s.t\u00e9st/x",
      "https://s.test/x https://evil.test",
      `https://s.test/${"x".repeat(4000)}`,
    ].map((url): [string, undefined] => [`required; url=${url}`, undefined]),
  ])("%s: an sso failure with a safe URL or none", async (header, url) => {
    const { end } = await sendToSso(403, header);
    expect([end?.kind, end?.exitCode, end?.details.url]).toEqual(["sso", 6, url]);
    expect((await sendToSso(200, header)).end).toBeNull();
    expect((await sendToSso(500, header)).end?.kind).toBe("protocol");
    expect((await sendToSso(429, header)).end?.kind).toBe("rate-limited");
  });

  test.each(["", "null", "requiredness; url=https://s.test", "not required; url=https://s.test"])(
    "%j is no challenge",
    async (header) => {
      expect((await sendToSso(403, header)).end?.kind).toBe("refused");
    },
  );

  test.each([
    ["partial-results; organizations=21955855,20582480", ["21955855", "20582480"]],
    ["Partial-Results ;organizations= 1 , 2 ", ["1", "2"]],
    ["partial-results; organizations=1,\u001b[31m,<b>,-2,3.0,x,4; more=yes", ["1", "4"]],
    [`partial-results; organizations=${"9".repeat(21)}`, []],
    ["partial-results", []],
  ])("%s: the ids are reported, and the response passes", async (header, ids) => {
    expect(await sendToSso(200, header)).toEqual({ end: null, partial: [ids] });
  });
});

describe("a hostile body", () => {
  test.each([
    ["<html>"],
    [""],
    ['"Bad credentials"'],
    ['[{"message":"x"}]'],
    ["null"],
    ['{"message":7}'],
    ['{"message":{"a":1}}'],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    [`${"[".repeat(100_000)}1234567890123456789${"]".repeat(100_000)}`],
    ['{"__proto__":{"message":"polluted"}}'],
  ])("is ignored, and the status is reported: %.20s", async (body) => {
    const failure = await failureFrom(422, body);
    expect([failure.kind, failure.message]).toEqual([
      "refused",
      "the server rejected the request: status 422",
    ]);
  });

  test("with nonsense as its errors still provides the message", async () => {
    for (const errors of [{ code: "invalid" }, [null, 1, [], {}, { code: 7 }, { message: "" }]])
      expect((await failureFrom(422, { message: "m", errors })).message).toBe(
        "the server rejected the request: m (status 422)",
      );
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
      { "x-service-sso": "a\u009bb" },
    );
    const told = reportOf(failure, false).trimEnd().split("\n");
    expect(told).toHaveLength(1);
    expect(told.join("")).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u202e]*$/);
  });
});
