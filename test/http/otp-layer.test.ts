// The one-time-password layer against a server that requires codes: which responses are challenges, what is sent again,
// and how concurrent requests share a code.
import { describe, expect, test } from "vitest";
import { createOneTimePasswords } from "../../src/credentials/one-time-passwords.ts";
import { oneTimePasswordLayer, type OneTimePasswords } from "../../src/http/otp-layer.ts";
import type { RawResponse, HttpRequest, Send } from "../../src/http/request.ts";
import type { Prompter } from "../../src/prompt/prompter.ts";
import { createRedactor } from "../../src/redaction.ts";
import { thrownFailure } from "../support/thrown-failure.ts";
import { makeAnswer, makeRequest, writes } from "./doubles.ts";

const header = "x-service-otp";
const asking = makeAnswer(
  401,
  { message: "Must specify two-factor authentication OTP code." },
  { "x-service-otp": "required; app" },
);

/** Codes from a list, in order; fails the test if there are more prompts than codes. */
function codesFrom(
  codes: readonly string[],
  given: string | null = null,
): { readonly passwords: OneTimePasswords; readonly questions: string[] } {
  const left = [...codes];
  const questions: string[] = [];
  const passwords = createOneTimePasswords(
    {
      settings: given === null ? {} : { otp: { value: given, source: "flag" } },
      prompter: {
        askText: async (question: string) => {
          questions.push(question);
          await Promise.resolve();
          const code = left.shift();
          if (code === undefined) throw new Error("asked once too often");
          return code;
        },
      } as unknown as Prompter,
      redactor: createRedactor(),
      host: { now: () => 0 },
      waits: { wait: () => Promise.resolve() },
    },
    "octavia",
    () => Promise.reject(new Error("there is no command")),
  );
  return { passwords, questions };
}

/** A server that accepts the codes that pass `isGood`, and records the code of each request. */
function guardedBy(isGood: (code: string) => boolean): {
  readonly send: Send;
  readonly sent: HttpRequest[];
  codes(): (string | null)[];
} {
  const sent: HttpRequest[] = [];
  return {
    sent,
    codes: () => sent.map((request) => request.headers[header] ?? null),
    async send(request) {
      sent.push(request);
      await Promise.resolve();
      const code = request.headers[header];
      return code !== undefined && isGood(code) ? makeAnswer(200, { id: 1 }) : asking;
    },
  };
}

test.each([
  ["required; app", "app"],
  ["REQUIRED; SMS", "sms"],
  ["  required ;  sms  ", "sms"],
  ["required; webauthn", "unknown"],
  ["required", "unknown"],
  ["required; __proto__", "unknown"],
  ["", null],
  ["optional; app", null],
  ["not required", null],
  ["requiredness; app", null],
])("a 401 with '%s' asks for a code by %s", async (value, method) => {
  const ask = async (status: number, name = "x-service-otp"): Promise<string | null> => {
    const asked: string[] = [];
    const passwords: OneTimePasswords = {
      current: () => null,
      next: (_, by) => Promise.resolve(`${asked.push(by)}`),
      accept: () => undefined,
    };
    const send = oneTimePasswordLayer("sERVICE", passwords);
    await send(({ headers }) =>
      Promise.resolve(makeAnswer(header in headers ? 200 : status, {}, { [name]: value })),
    )(makeRequest());
    return asked[0] ?? null;
  };
  expect(await ask(401)).toBe(method);
  for (const status of [200, 204, 403, 404, 422, 503]) expect(await ask(status)).toBeNull();
  expect(await ask(401, "x-other-otp")).toBeNull();
});

describe("a single request", () => {
  test.each(["GET", ...writes] as const)("%s is sent again, changed only by the code", async (method) => {
    const server = guardedBy((code) => code === "111111");
    const { passwords, questions } = codesFrom(["111111"]);
    const request = makeRequest({ method, headers: { "X-Kept": "1" }, body: '{"note":"n"}' });
    const answer = await oneTimePasswordLayer("Service", passwords)(server.send)(request);
    expect(answer.status).toBe(200);
    expect(server.sent).toEqual([request, { ...request, headers: { "X-Kept": "1", [header]: "111111" } }]);
    expect(questions).toEqual(["One-time password of octavia (from your authenticator app):"]);
  });

  test("fails after three rejected codes, without a fourth prompt", async () => {
    const server = guardedBy(() => false);
    const { passwords, questions } = codesFrom(["1", "2", "3", "4"]);
    const send = oneTimePasswordLayer("Service", passwords)(server.send);
    const failure = await thrownFailure(() => send(makeRequest()));
    expect([failure.kind, failure.exitCode]).toEqual(["otp", 4]);
    expect(server.codes()).toEqual([null, "1", "2", "3"]);
    expect(questions.map((question) => question.includes("rejected"))).toEqual([false, true, true]);
    // The next request of the run does not start over either.
    expect((await thrownFailure(() => send(makeRequest()))).kind).toBe("otp");
    expect(server.codes()).toEqual([null, "1", "2", "3", null]);
  });
});

describe("concurrent requests", () => {
  test("share one prompt and one code", async () => {
    const server = guardedBy((code) => code === "111111");
    const { passwords, questions } = codesFrom(["111111"]);
    const send = oneTimePasswordLayer("Service", passwords)(server.send);
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(makeRequest())));
    expect(answers.every((answer) => answer.status === 200)).toBe(true);
    expect(questions).toHaveLength(1);
    expect(server.codes().filter((code) => code === null)).toHaveLength(50);
    expect(server.codes().filter((code) => code === "111111")).toHaveLength(50);
  });

  test.each([null, "000000"])("send a wrong code once and count one attempt; given %s", async (given) => {
    const server = guardedBy((code) => code === "333333");
    const { passwords, questions } = codesFrom(["111111", "333333"], given);
    const send = oneTimePasswordLayer("Service", passwords)(server.send);
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(makeRequest())));
    expect(answers.every((answer) => answer.status === 200)).toBe(true);
    expect(questions).toHaveLength(2);
    const wrong = server.codes().filter((code) => code !== null && code !== "333333");
    expect(wrong).toEqual(given === null ? ["111111"] : [given, "111111"]);
    expect(server.codes().filter((code) => code === "333333")).toHaveLength(20);
  });

  test("fail together after three rejected codes, and nothing more is sent", async () => {
    const server = guardedBy(() => false);
    const { passwords, questions } = codesFrom(["1", "2", "3", "4"]);
    const send = oneTimePasswordLayer("Service", passwords)(server.send);
    const failures = await Promise.all(
      Array.from({ length: 20 }, () => thrownFailure(() => send(makeRequest()))),
    );
    expect(failures.every(({ kind }) => kind === "otp")).toBe(true);
    expect(questions).toHaveLength(3);
    expect(server.codes().filter((code) => code !== null)).toEqual(["1", "2", "3"]);
  });

  test("a slow request that is rejected with the old code uses the new one without a prompt", async () => {
    const held: ((answer: RawResponse) => void)[] = [];
    const { passwords, questions } = codesFrom(["222222"], "111111");
    const codes: string[] = [];
    const send = oneTimePasswordLayer(
      "Service",
      passwords,
    )((request) => {
      const code = request.headers[header] ?? "";
      codes.push(code);
      if (request.subject === "first") return Promise.resolve(makeAnswer(200));
      if (request.subject === "slow" && held.length === 0) {
        return new Promise((resolve) => {
          held.push(resolve);
        });
      }
      return Promise.resolve(code === "222222" ? makeAnswer(200) : asking);
    });
    await send(makeRequest({ subject: "first" }));
    const slow = send(makeRequest({ subject: "slow" }));
    await send(makeRequest({ subject: "quick" }));
    for (const release of held) release(asking);
    expect((await slow).status).toBe(200);
    expect(questions).toHaveLength(1);
    expect(codes).toEqual(["111111", "111111", "111111", "222222", "222222"]);
  });
});

describe("a code that expires", () => {
  test("is requested again each time, and never counts as a wrong attempt", async () => {
    let good = "1";
    const server = guardedBy((code) => code === good);
    const { passwords, questions } = codesFrom(["1", "2", "3", "4", "5", "6"]);
    const send = oneTimePasswordLayer("Service", passwords)(server.send);
    for (const code of ["1", "2", "3", "4", "5", "6"]) {
      good = code;
      expect((await send(makeRequest())).status).toBe(200);
    }
    expect(questions.map((question) => question.includes("rejected"))).toEqual(
      Array.from({ length: 6 }, () => false),
    );
    // Rejected requests were not sent again.
    expect(server.codes()).toEqual([null, "1", "1", "2", "2", "3", "3", "4", "4", "5", "5", "6"]);
  });

  test.each([
    ["a 503", makeAnswer(503, "<html>")],
    ["a 502", makeAnswer(502, "")],
    ["a 429", makeAnswer(429, { message: "slow down" })],
    ["a 401 for the password", makeAnswer(401, { message: "Bad credentials" })],
  ])("is not assumed after %s: the code was not accepted and is an attempt", async (_, nothingProven) => {
    const server = guardedBy(() => false);
    const { passwords } = codesFrom(["2", "3", "4", "5"], "1");
    let isFirst = true;
    const send = oneTimePasswordLayer(
      "Service",
      passwords,
    )((request) => {
      if (isFirst) {
        isFirst = false;
        return Promise.resolve(nothingProven);
      }
      return server.send(request);
    });
    await send(makeRequest());
    await thrownFailure(() => send(makeRequest()));
    expect(server.codes()).toEqual(["1", "2", "3"]);
  });
});
