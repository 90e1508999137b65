// Retries: their number and their waits. Time passes only in the waits.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Failure } from "../../src/errors/errors.ts";
import type { RawResponse } from "../../src/http/request.ts";
import { createWaitBudget, retryLayer, waitLimits } from "../../src/http/waiting.ts";
import { failureOf } from "../support/failure-of.ts";
import { connectTo, makeAnswer, makeRequest, writes } from "./doubles.ts";

const broken = new Failure("network", "the connection broke", { transient: true });
const fine = makeAnswer(200, { id: 1 });

interface Run {
  readonly result: RawResponse | Failure;
  readonly sent: number;
  readonly waits: readonly number[];
}

/** Sends one request to a server that returns these results in order and repeats the last one. */
async function run(
  outcomes: readonly (RawResponse | Error)[],
  options: {
    readonly method?: "GET" | (typeof writes)[number];
    readonly random?: number;
  } = {},
): Promise<Run> {
  const waits: number[] = [];
  let sent = 0;
  const send = retryLayer({
    trace: () => undefined,
    sleep: (milliseconds) => {
      waits.push(milliseconds);
      return Promise.resolve();
    },
    random: () => options.random ?? 0,
  })(() => {
    const outcome = outcomes[Math.min(sent, outcomes.length - 1)];
    sent += 1;
    if (outcome === undefined) throw new Error("no outcome arranged");
    return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
  });
  const request = makeRequest({ method: options.method ?? "GET" });
  try {
    return { result: await send(request), sent, waits };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { result: error, sent, waits };
  }
}

const unavailable = new Failure("rate-limited", "not available", { status: 503, transient: true });

function limited(retryAfterMs?: number, details: { readonly transient?: boolean } = {}): Failure {
  return new Failure("rate-limited", "slow down", {
    status: 429,
    ...details,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

describe("attempts", () => {
  test("a failing read is sent again three times, then returns that failure", async () => {
    const { result, sent, waits } = await run([broken]);
    expect(result).toBe(broken);
    expect(sent).toBe(4);
    expect(waits).toHaveLength(3);
  });
});

describe("retries", () => {
  const repeatable: [string, Failure][] = [
    ["a broken connection", broken],
    ["429 with Retry-After", limited(1000)],
    ["503", limited(undefined, { transient: true })],
    ["502 and 504", new Failure("protocol", "502", { transient: true })],
  ];
  test.each(repeatable)("%s is retried", async (_, failure) => {
    expect((await run([failure, fine])).result).toBe(fine);
  });

  const final: [string, Failure][] = [
    ["429 without Retry-After", limited()],
    ["not found", new Failure("not-found", "x")],
    ["not found with Retry-After", new Failure("not-found", "x", { retryAfterMs: 0 })],
    ["refused with Retry-After", new Failure("refused", "x", { retryAfterMs: 0 })],
    ["bad credentials", new Failure("authentication", "x")],
    ["one-time password", new Failure("otp", "x")],
    ["single sign-on", new Failure("sso", "x")],
    ["usage", new Failure("usage", "x")],
    ["a timeout", new Failure("network", "x")],
    ["a broken answer", new Failure("protocol", "x")],
  ];
  test.each(final)("%s is not retried", async (_, failure) => {
    expect(await run([failure, fine])).toEqual({ result: failure, sent: 1, waits: [] });
  });

  test.each(writes)("a %s is not retried unless it was rate limited", async (method) => {
    for (const failure of [broken, unavailable]) {
      expect(await run([failure, fine], { method })).toEqual({ result: failure, sent: 1, waits: [] });
    }
  });

  test.each(writes)("a rate-limited %s is retried, because the server did not process it", async (method) => {
    expect(await run([limited(1000), limited(2000), fine], { method })).toEqual({
      result: fine,
      sent: 3,
      waits: [1000, 2000],
    });
    const tooLong = await run([limited(40_000), limited(30_000), fine], { method });
    expect(tooLong).toMatchObject({ sent: 2, waits: [40_000] });
    expect(tooLong.result).toMatchObject({ kind: "rate-limited" });
  });

  test.each(writes)("a rate-limited %s without Retry-After backs off", async (method) => {
    expect(await run([limited(), limited(), fine], { method })).toEqual({
      result: fine,
      sent: 3,
      waits: [1000, 2000],
    });
    const { result, sent, waits } = await run([limited()], { method });
    expect([sent, waits]).toEqual([6, [1000, 2000, 4000, 8000, 16_000]]);
    expect(result).toMatchObject({
      kind: "rate-limited",
      exitCode: 8,
      message: "still rate limited after 31 s: slow down",
    });
  });

  test.each(writes)("a user's own %s is not retried, unless the server sends Retry-After", async (method) => {
    let sent = 0;
    const answers = [
      makeAnswer(429, {}, { "retry-after": "2" }),
      makeAnswer(429, { message: "slow" }),
      makeAnswer(200, {}),
    ];
    const service = connectTo(() => Promise.resolve(answers[sent++] ?? fine));
    const call = { method, path: "/a", query: [], headers: {}, body: null, subject: "a" };
    const failure = await failureOf(() => service.exchangeRaw(call));
    expect([failure.kind, failure.details.status, sent]).toEqual(["rate-limited", 429, 2]);
  });

  test.each([
    [200, 1, 1],
    [404, 1, 1],
    [429, 1, 6],
    [500, 1, 1],
    [501, 1, 1],
    [502, 4, 1],
    [503, 4, 1],
    [504, 4, 1],
  ])(
    "status %i through all the layers: a read is sent %i times, a write %i",
    async (status, times, timesOfWrite) => {
      let sent = 0;
      const service = connectTo(() => {
        sent += 1;
        return Promise.resolve(makeAnswer(status, {}));
      });
      await service.exchange({ method: "GET", template: "/a", subject: "a" }).catch(() => undefined);
      expect(sent).toBe(times);
      sent = 0;
      await service.exchange({ method: "PUT", template: "/a", subject: "a" }).catch(() => undefined);
      expect(sent).toBe(timesOfWrite);
    },
  );
});

describe("Retry-After", () => {
  test("is the time to wait", async () => {
    expect((await run([limited(7000), limited(0), fine])).waits).toEqual([7000, 1000]);
    expect(
      (await run([new Failure("protocol", "502", { transient: true, retryAfterMs: 5000 }), fine])).waits,
    ).toEqual([5000]);
  });

  test.each([60_001, 3_600_000, 9_999_999_999_000])("of %i ms is too long to wait", async (wait) => {
    for (const failure of [
      limited(wait),
      new Failure("protocol", "502", { transient: true, retryAfterMs: wait }),
    ]) {
      const { result, sent, waits } = await run([failure, fine]);
      expect(result).toMatchObject({ kind: "rate-limited", exitCode: 8 });
      expect([sent, waits]).toEqual([1, []]);
    }
  });

  test("can be a date; past and invalid dates use the default waits", async () => {
    const waits: number[] = [];
    const dates = ["Thu, 01 Jan 1970 00:01:00 GMT", "Thu, 01 Jan 1970 00:00:10 GMT", "whenever"];
    let sent = 0;
    const service = connectTo(
      () => {
        const date = dates[sent];
        sent += 1;
        return Promise.resolve(date === undefined ? fine : makeAnswer(503, "", { "retry-after": date }));
      },
      {
        now: () => 30_000,
        sleep: (milliseconds) => {
          waits.push(milliseconds);
          return Promise.resolve();
        },
      },
    );
    await service.exchange({ method: "GET", template: "/a", subject: "a" });
    expect(waits.slice(0, 2)).toEqual([30_000, 1000]);
    expect(waits[2]).toBeGreaterThan(0);
    expect(waits[2]).toBeLessThan(5000);
  });
});

describe("a budget", () => {
  /** The wait that the server requests, in milliseconds; undefined if it names none. */
  const asked = fc.option(fc.oneof(fc.nat(1500), fc.nat(4_000_000), fc.nat()), { nil: undefined });

  test("never allows a busy loop or a wait beyond its limits, for any requested wait", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("request" as const, "job" as const),
        fc.array(asked, { maxLength: 60 }),
        (name, waits) => {
          const { longestMs, totalMs } = waitLimits[name];
          const budget = createWaitBudget(waitLimits[name]);
          let total = 0;
          for (const retryAfterMs of waits) {
            const wait = budget.next(limited(retryAfterMs));
            if (wait === null) break;
            expect(wait).toBeGreaterThanOrEqual(Math.max(1000, retryAfterMs ?? 0));
            expect(wait).toBeLessThanOrEqual(longestMs);
            total += wait;
          }
          expect(total).toBeLessThanOrEqual(totalMs);
        },
      ),
    );
  });

  test.each([0, 999, undefined])(
    "of a job ends after five minutes of default waits (%s ms)",
    (retryAfterMs) => {
      const budget = createWaitBudget(waitLimits.job);
      const waits: (number | null)[] = [];
      do waits.push(budget.next(limited(retryAfterMs)));
      while (waits.at(-1) !== null);
      expect(waits.map((wait) => wait && wait / 1000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60, null]);
      expect(budget.exhausted(limited(retryAfterMs)).message).toBe(
        "still rate limited after 303 s: slow down",
      );
    },
  );

  test("of a job has no limit on the sum of requested waits, and one hour for each", () => {
    const budget = createWaitBudget(waitLimits.job);
    for (let wait = 0; wait < 100; wait += 1) expect(budget.next(limited(3_600_000))).toBe(3_600_000);
    expect(budget.next(limited(3_600_001))).toBeNull();
    expect(budget.exhausted(limited(3_600_001)).message).toBe(
      "slow down, which is longer than grantctl waits",
    );
  });
});
