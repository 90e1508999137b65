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

const sum = (waits: readonly number[]): number => waits.reduce((total, wait) => total + wait, 0);

describe("attempts", () => {
  test("a successful read is sent once", async () => {
    expect(await run([fine])).toEqual({ result: fine, sent: 1, waits: [] });
  });

  test("a failing read is sent again three times, then returns that failure", async () => {
    const { result, sent, waits } = await run([broken]);
    expect(result).toBe(broken);
    expect(sent).toBe(4);
    expect(waits).toHaveLength(3);
  });

  test("a read succeeds on its last attempt", async () => {
    const { result, sent } = await run([broken, broken, broken, fine]);
    expect([result, sent]).toEqual([fine, 4]);
  });

  test("each wait is longer than the previous one, and jitter adds at most a quarter", async () => {
    const { waits } = await run([broken]);
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThan(index === 0 ? 0 : (waits[index - 1] ?? Infinity));
    }
    const late = await run([broken], { random: 0.999 });
    for (const [index, wait] of late.waits.entries()) {
      expect(wait).toBeGreaterThan(waits[index] ?? Infinity);
      expect(wait).toBeLessThanOrEqual((waits[index] ?? 0) * 1.25);
    }
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

  test("an internal error is not retried", async () => {
    await expect(run([new TypeError("a bug")])).rejects.toThrow("a bug");
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
      exitCode: 7,
      message: "still rate limited after 31 s: slow down",
    });
  });

  test.each(["-1", "NaN", "soon"])("a rate-limited write with Retry-After %s backs off", async (wait) => {
    const waits: number[] = [];
    const sleep = (milliseconds: number): Promise<void> => Promise.resolve(void waits.push(milliseconds));
    const refuse = (): Promise<RawResponse> => Promise.resolve(makeAnswer(429, {}, { "retry-after": wait }));
    const service = connectTo(refuse, { sleep });
    await service.exchange({ method: "PUT", template: "/a", subject: "a" }).catch(() => undefined);
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000]);
  });

  test.each(["GET", ...writes] as const)(
    "a %s whose Retry-After is less than a second backs off",
    async (method) => {
      for (const retryAfterMs of [0, 1, 999]) {
        const { result, waits } = await run([limited(retryAfterMs)], { method });
        const expected = method === "GET" ? [1000, 2000, 4000] : [1000, 2000, 4000, 8000, 16_000];
        expect(waits).toEqual(expected);
        const message = `still rate limited after ${sum(waits) / 1000} s: slow down`;
        expect(result).toMatchObject({ message, exitCode: 7 });
      }
    },
  );

  test("a Retry-After wait does not change the other waits", async () => {
    const { waits } = await run([limited(0), limited(0), limited(5000), limited(0), fine], { method: "PUT" });
    expect(waits).toEqual([1000, 2000, 5000, 4000]);
  });

  test.each(writes)("a %s waits at most sixty seconds in all, from either source", async (method) => {
    const { sent, waits } = await run([limited(50_000), limited()], { method });
    expect([sent, waits]).toEqual([5, [50_000, 1000, 2000, 4000]]);
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

  test("is limited to sixty seconds in all", async () => {
    expect((await run([limited(60_000), fine])).result).toBe(fine);
    expect((await run([limited(30_000), limited(30_000), fine])).result).toBe(fine);
    const { result, sent, waits } = await run([limited(40_000), limited(20_001), fine]);
    expect(result).toMatchObject({ kind: "rate-limited", exitCode: 7 });
    expect([sent, waits]).toEqual([2, [40_000]]);
  });

  test.each([60_001, 3_600_000, 9_999_999_999_000])("of %i ms is too long to wait", async (wait) => {
    for (const failure of [
      limited(wait),
      new Failure("protocol", "502", { transient: true, retryAfterMs: wait }),
    ]) {
      const { result, sent, waits } = await run([failure, fine]);
      expect(result).toMatchObject({ kind: "rate-limited", exitCode: 7 });
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

  test("ends a read as rate limited after its attempts", async () => {
    const { result, sent } = await run([limited(1000)]);
    expect([(result as Failure).kind, sent]).toEqual(["rate-limited", 4]);
    expect((result as Failure).message).toBe("still rate limited after 3 s: slow down");
  });
});

test("the final failure contains the server's message", async () => {
  const failure = await failureOf(async () => {
    const { result } = await run([limited(61_000)]);
    throw result as Failure;
  });
  expect(failure.message).toContain("slow down");
  expect(failure.details.status).toBe(429);
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

  test("includes the waits of lower layers", () => {
    const waited = limited().with({ waitedMs: 31_000 });
    expect(createWaitBudget(waitLimits.request).next(waited)).toBeNull();
    expect(createWaitBudget(waitLimits.job).next(waited)).toBe(32_000);
  });

  test("restarts the default waits with the shortest after another response", () => {
    const budget = createWaitBudget(waitLimits.job);
    expect([budget.next(limited()), budget.next(limited())]).toEqual([1000, 2000]);
    budget.restart();
    expect(budget.next(limited())).toBe(1000);
  });
});
