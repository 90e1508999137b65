// When a request is sent again, and after which wait. Time passes only in the waits.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Failure, type FailureKind } from "../../src/errors/errors.ts";
import type { RawResponse } from "../../src/http/request.ts";
import {
  createLimitWaits,
  createWaitBudget,
  readWait,
  longestWaitMs,
  retryLayer,
} from "../../src/http/waiting.ts";
import { makeAnswer, makeRequest, writes } from "./doubles.ts";

const now = Date.UTC(2024, 0, 31, 12, 0, 0);
const second = now / 1000;

describe("the wait that a response asks for", () => {
  const parse = (header: string, status = 429): number | undefined =>
    readWait(makeAnswer(status, {}, { "retry-after": header }), now).retryAfterMs;

  test.each([
    ["0", 0],
    [" 120 ", 120_000],
    ["1.5", 1500],
    ["Wed, 31 Jan 2024 12:00:30 GMT", 30_000],
    ["Thu, 01 Feb 2024 12:00:00 GMT", 86_400_000],
    ["Wed, 31 Jan 2024 11:00:00 GMT", 0],
  ])("Retry-After: %s is %i ms", (header, expected) => {
    for (const status of [403, 429, 502, 503]) expect(parse(header, status)).toBe(expected);
  });

  const none = [..." soon -1 1e3 NaN 1.5.5 Infinity ١٢".split(" "), "1 s", "Wed, 31 Jan 2024 99:99:99 GMT"];
  test.each(none)("Retry-After: %s is none", (header) => {
    expect(parse(header)).toBeUndefined();
  });

  const read = (status: number, headers: Readonly<Record<string, string>>, body: unknown = "") =>
    readWait(makeAnswer(status, body, headers), now);
  const exhausted = { "x-ratelimit-remaining": "0" };

  test.each<[number, Record<string, string>, number | undefined]>([
    [403, { ...exhausted, "retry-after": "7", "x-ratelimit-reset": `${second + 90}` }, 7000],
    [403, { ...exhausted, "x-ratelimit-reset": `${second + 90}` }, 90_000],
    [403, { ...exhausted, "x-ratelimit-reset": `${second - 5}` }, 0],
    [403, { ...exhausted, "x-ratelimit-reset": "soon" }, undefined],
    [403, { "x-ratelimit-remaining": "12", "x-ratelimit-reset": `${second + 90}` }, undefined],
    [403, {}, undefined],
    [422, { ...exhausted, "x-ratelimit-reset": `${second + 90}` }, undefined],
    [429, { "x-ratelimit-reset": `${second + 90}` }, 90_000],
    [429, { "ratelimit-reset": "30" }, 30_000],
    [429, { "x-rate-limit-reset": `${second + 20}` }, 20_000],
    // By the server's clock, which is an hour ahead.
    [429, { "x-ratelimit-reset": `${second + 3690}`, date: new Date(now + 3_600_000).toUTCString() }, 90_000],
    // GitHub's other limits have nothing to do with the number of requests that remain.
    [429, { "x-ratelimit-remaining": "4999", "x-ratelimit-reset": `${second + 3000}` }, undefined],
    [429, {}, undefined],
  ])("status %i with %j: %s ms", (status, headers, expected) => {
    const { retryAfterMs, isLimit } = read(status, headers);
    expect([retryAfterMs, isLimit]).toEqual([expected, status === 429 || expected !== undefined]);
  });

  test.each([
    ["You have exceeded a secondary rate limit. Please wait a few minutes before you try again.", 60_000],
    ["You have triggered an abuse detection mechanism. Please wait a few minutes.", 60_000],
    ["Maximum number of login attempts exceeded. Please try again later.", undefined],
  ])("a limit without a time: %s", (message, wait) => {
    for (const status of [403, 429]) {
      expect(read(status, { "x-ratelimit-remaining": "4999" }, { message }).retryAfterMs).toBe(wait);
      expect(read(status, { "retry-after": "7" }, { message }).retryAfterMs).toBe(7000);
    }
  });
});

const broken = new Failure("network", "the connection broke", { isTransient: true });
const fine = makeAnswer(200, { id: 1 });

function limited(retryAfterMs?: number, details: { readonly isTransient?: boolean } = {}): Failure {
  return new Failure("rate-limited", "slow down", { status: 429, ...details, retryAfterMs });
}

/** Sends one request to a server that returns these results in order and repeats the last one. */
async function run(
  outcomes: readonly (RawResponse | Failure)[],
  method: "GET" | (typeof writes)[number] = "GET",
  patience: "request" | "job" = "request",
) {
  const waits: number[] = [];
  let sent = 0;
  const sleep = (milliseconds: number): Promise<void> => Promise.resolve(void waits.push(milliseconds));
  const limits = createLimitWaits(sleep);
  limits.setPatience(patience);
  const send = retryLayer(
    limits,
    null,
  )(() => {
    const outcome = outcomes[Math.min(sent, outcomes.length - 1)] ?? fine;
    sent += 1;
    return outcome instanceof Failure ? Promise.reject(outcome) : Promise.resolve(outcome);
  });
  const result: unknown = await send(makeRequest({ method })).catch((error: unknown) => error);
  return { result, sent, waits };
}

describe("a request is sent again", () => {
  test("as a read, three times after transient failures", async () => {
    expect(await run([broken])).toEqual({ result: broken, sent: 4, waits: [200, 400, 800] });
    const named = new Failure("protocol", "502", { isTransient: true, retryAfterMs: 5000 });
    expect((await run([named, fine])).waits).toEqual([5000]);
    const unavailable = limited(5000, { isTransient: true });
    expect(await run([unavailable])).toMatchObject({ sent: 4, waits: [5000, 5000, 5000] });
    for (const method of writes)
      expect(await run([broken, fine], method)).toEqual({ result: broken, sent: 1, waits: [] });
  });

  test.each(["GET", ...writes] as const)("as a %s, after a limit, for a minute in all", async (method) => {
    expect(await run([limited(1000), limited(0), fine], method)).toEqual({
      result: fine,
      sent: 3,
      waits: [1000, 2000],
    });
    expect(await run([limited(40_000), limited(30_000), fine], method)).toMatchObject({
      result: { kind: "rate-limited" },
      waits: [40_000],
    });
    expect(await run([limited()], method)).toMatchObject({
      result: { kind: "rate-limited", exitCode: 8, message: "still rate limited after 31 s: slow down" },
      waits: [1000, 2000, 4000, 8000, 16_000],
    });
    expect(await run([limited(60_001)], method)).toMatchObject({ result: { message: "slow down" }, sent: 1 });
  });

  test.each(["GET", ...writes] as const)("as a %s of a job of many, for over an hour", async (method) => {
    expect(await run([limited(3_600_000), limited(999), fine], method, "job")).toMatchObject({
      result: fine,
      sent: 3,
      waits: [3_600_000, 60_000],
    });
    expect(await run([limited(3_600_000), limited(400_000)], method, "job")).toMatchObject({
      result: { message: "still rate limited after 3600 s: slow down" },
    });
    const unavailable = Array.from({ length: 9 }, () => limited(5000, { isTransient: true }));
    expect(await run([...unavailable, fine], "GET", "job")).toMatchObject({ result: fine, sent: 10 });
    expect(await run([broken], "GET", "job")).toMatchObject({ result: broken, sent: 4 });
  });

  const final = "not-found refused authentication otp sso usage network protocol".split(" ");
  test.each(final as readonly FailureKind[])("but not after a failure that is final: %s", async (kind) => {
    const failure = new Failure(kind, "x", { retryAfterMs: 1000 });
    expect(await run([failure, fine])).toEqual({ result: failure, sent: 1, waits: [] });
  });
});

test("while one request waits for a limit, the others wait with it", async () => {
  const ends: (() => void)[] = [];
  const sent: string[] = [];
  const sleep = (): Promise<void> => new Promise((resolve) => void ends.push(resolve));
  const limits = createLimitWaits(sleep);
  const send = retryLayer(
    limits,
    null,
  )(({ subject }) => {
    sent.push(subject);
    return sent.length === 1 ? Promise.reject(limited(1000)) : Promise.resolve(fine);
  });
  const all = [send(makeRequest({ subject: "one" }))];
  await expect.poll(() => ends.length).toBe(1);
  all.push(send(makeRequest({ subject: "two", method: "DELETE" })));
  await new Promise(setImmediate);
  expect(sent).toEqual(["one"]);
  ends[0]?.();
  await Promise.all(all);
  expect(sent.toSorted((one, other) => one.localeCompare(other))).toEqual(["one", "one", "two"]);
});

test("a job that stops ends all waits, and sends nothing again", async () => {
  const limits = createLimitWaits(() => new Promise(() => undefined));
  let sent = 0;
  const send = retryLayer(
    limits,
    null,
  )(() => {
    sent += 1;
    return Promise.reject(limited(60_000));
  });
  const all = [send(makeRequest({})), send(makeRequest({ method: "DELETE" }))];
  await new Promise(setImmediate);
  limits.stop();
  for (const each of all) await expect(each).rejects.toMatchObject({ kind: "rate-limited" });
  expect(sent).toBe(2);
});

test("a limit that comes after the stop is neither waited for nor announced", async () => {
  const waits: number[] = [];
  const limits = createLimitWaits(async (milliseconds) => void waits.push(milliseconds));
  const refusals: ((failure: Failure) => void)[] = [];
  const transport = (): Promise<RawResponse> => new Promise((_, reject) => void refusals.push(reject));
  const sent = retryLayer(limits, null)(transport)(makeRequest({}));
  await new Promise(setImmediate);
  limits.stop();
  refusals[0]?.(limited(60_000));
  await expect(sent).rejects.toMatchObject({ kind: "rate-limited" });
  expect(waits).toEqual([]);
});

describe("a budget", () => {
  const asked = fc.option(fc.oneof(fc.nat(1500), fc.nat(4_000_000), fc.nat()), { nil: undefined });

  test("never allows a busy loop or a wait beyond its limit, for any waits that are asked for", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("request" as const, "job" as const),
        fc.array(asked, { maxLength: 60 }),
        (name, waits) => {
          const budget = createWaitBudget(longestWaitMs[name]);
          let total = 0;
          for (const retryAfterMs of waits) {
            const wait = budget.next(limited(retryAfterMs));
            if (wait === null) break;
            expect(wait).toBeGreaterThanOrEqual(Math.max(1000, retryAfterMs ?? 0));
            total += wait;
          }
          expect(total).toBeLessThanOrEqual(longestWaitMs[name]);
        },
      ),
    );
  });
});
