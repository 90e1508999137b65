// The single sign-on layer: both forms of its header, and which approval URLs are safe to show.
import { describe, expect, test, vi } from "vitest";
import type { RawResponse } from "../../src/http/request.ts";
import { singleSignOnLayer } from "../../src/http/error-responses.ts";
import { failureOf } from "../support/failure-of.ts";
import { makeAnswer, makeRequest } from "./doubles.ts";

type Report = (ids: readonly string[]) => void;

function run(answer: RawResponse, report: Report = () => undefined, word = "Service"): Promise<RawResponse> {
  return singleSignOnLayer(word, report)(() => Promise.resolve(answer))(makeRequest());
}

function refusal(value: string, status = 403): RawResponse {
  return makeAnswer(status, { message: "Resource protected" }, { "x-service-sso": value });
}

describe("approval required", () => {
  test.each([
    "https://s.test/orgs/acme/sso?authorization_request=AZS",
    "https://s.test:8443/a;b?c=d&e=f#g",
    "http://127.0.0.1:8080/orgs/acme/sso",
    "http://[::1]:8080/sso",
  ])("fails with the approval URL: %s", async (url) => {
    const failure = await failureOf(() => run(refusal(`required; url=${url}`)));
    expect([failure.kind, failure.exitCode, failure.details.status]).toEqual(["sso", 6, 403]);
    expect(failure.details.url).toBe(url);
  });

  test.each([
    "javascript:alert(1)",
    "javascript://s.test/%0aalert(1)",
    "file:///etc/passwd",
    "ssh://s.test/x",
    "http://s.test/x",
    "http://127.0.0.1.evil.test/x",
    "http://127.0.0.1@evil.test/x",
    "/orgs/acme/sso",
    "//s.test/x",
    "https://",
    "",
    "https://s.test/\u0007",
    "https://s.test/\u001b]8;;x",
    "https://s.test/\u007f",
    "https://s.test/\u202ex",
    "https://s.tést/x",
    "https://s.test/a b",
    "https://s.test/x https://evil.test",
    '"https://s.test/x"',
    "<https://s.test/x>",
    `https://s.test/${"x".repeat(4000)}`,
  ])("never shows an unsafe URL: %s", async (url) => {
    const failure = await failureOf(() => run(refusal(`required; url=${url}`)));
    expect(failure.kind).toBe("sso");
    expect(failure.details.url).toBeUndefined();
    const shown = `${failure.message} ${failure.details.hint ?? ""}`;
    expect(shown).toMatch(/^[\x20-\x7e]*$/);
    expect(url === "" || !shown.includes(url)).toBe(true);
  });

  test.each([200, 201, 204])("is ignored on a %i: the response passes", async (status) => {
    const answer = makeAnswer(status, "", { "x-service-sso": "required; url=https://s.test/x" });
    const report = vi.fn<Report>();
    expect(await run(answer, report)).toBe(answer);
    expect(report).not.toHaveBeenCalled();
  });

  test.each(["", "null", "requiredness; url=https://s.test", "not required; url=https://s.test"])(
    "'%s' is ignored",
    async (value) => {
      const answer = refusal(value);
      expect(await run(answer)).toBe(answer);
    },
  );
});

describe("partial results", () => {
  test.each([
    ["partial-results; organizations=21955855,20582480", ["21955855", "20582480"]],
    ["Partial-Results ;organizations= 1 , 2 ", ["1", "2"]],
    ["partial-results; organizations=1,\u001b[31m,<b>,-2,3.0,x,4", ["1", "4"]],
    [`partial-results; organizations=${"9".repeat(21)},18446744073709551615`, ["18446744073709551615"]],
  ])("%s: the ids are reported, and the response passes", async (value, ids) => {
    const answer = makeAnswer(200, [], { "x-service-sso": value });
    const report = vi.fn<Report>();
    expect(await run(answer, report)).toBe(answer);
    expect(report.mock.calls).toEqual([[ids]]);
  });

  test.each([
    "partial-results",
    "partial-results; organizations=",
    "partial-results; organizations=acme",
    "partial-results; organizations=1; more=yes",
  ])("'%s' is reported too, since results are missing even without ids", async (value) => {
    const report = vi.fn<Report>();
    await run(makeAnswer(200, [], { "x-service-sso": value }), report);
    expect(report).toHaveBeenCalledTimes(1);
  });
});
