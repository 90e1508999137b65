// The retries, their number and their waits; time passes only in the waits.
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

/** Sends one request to a service that gives these one after the other, the last for ever. */
async function run(
  outcomes: readonly (RawResponse | Error)[],
  options: {
    readonly retries?: number;
    readonly method?: "GET" | (typeof writes)[number];
    readonly random?: number;
  } = {},
): Promise<Run> {
  const waits: number[] = [];
  let sent = 0;
  const send = retryLayer({
    trace: () => undefined,
    retries: options.retries ?? 3,
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

describe("how often", () => {
  test("a read that works is sent once", async () => {
    expect(await run([fine])).toEqual({ result: fine, sent: 1, waits: [] });
  });

  test.each([0, 1, 3, 5])(
    "a read that keeps failing is sent again %i times, then it fails so",
    async (retries) => {
      const { result, sent, waits } = await run([broken], { retries });
      expect(result).toBe(broken);
      expect(sent).toBe(retries + 1);
      expect(waits).toHaveLength(retries);
    },
  );

  test("a read that works at the last try works", async () => {
    const { result, sent } = await run([broken, broken, broken, fine]);
    expect([result, sent]).toEqual([fine, 4]);
  });

  test("each wait is longer than the one before, and chance makes it no more than a quarter longer", async () => {
    const { waits } = await run([broken], { retries: 6 });
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThan(index === 0 ? 0 : (waits[index - 1] ?? Infinity));
    }
    const late = await run([broken], { retries: 6, random: 0.999 });
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
  test.each(repeatable)("%s is", async (_, failure) => {
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
  test.each(final)("%s is not", async (_, failure) => {
    expect(await run([failure, fine])).toEqual({ result: failure, sent: 1, waits: [] });
  });

  test("an error of ours is not", async () => {
    await expect(run([new TypeError("a bug")])).rejects.toThrow("a bug");
  });

  test.each(writes)("never a %s, unless it was rejected for now", async (method) => {
    for (const failure of [broken, unavailable]) {
      expect(await run([failure, fine], { method })).toEqual({ result: failure, sent: 1, waits: [] });
    }
  });

  test.each(writes)("a %s that was rejected for now, which says that nothing was done", async (method) => {
    expect(await run([limited(1000), limited(2000), fine], { method })).toEqual({
      result: fine,
      sent: 3,
      waits: [1000, 2000],
    });
    const tooLong = await run([limited(40_000), limited(30_000), fine], { method });
    expect(tooLong).toMatchObject({ sent: 2, waits: [40_000] });
    expect(tooLong.result).toMatchObject({ kind: "rate-limited" });
  });

  test.each(writes)("a %s that is rejected for now for nobody knows how long", async (method) => {
    expect(await run([limited(), limited(), fine], { method })).toEqual({
      result: fine,
      sent: 3,
      waits: [1000, 2000],
    });
    const { result, sent, waits } = await run([limited()], { method, retries: 0 });
    expect([sent, waits]).toEqual([6, [1000, 2000, 4000, 8000, 16_000]]);
    expect(result).toMatchObject({
      kind: "rate-limited",
      exitCode: 7,
      message: "still rate limited after 31 s: slow down",
    });
  });

  test.each(["-1", "NaN", "soon"])("a write that is rejected for %s, which is nonsense", async (wait) => {
    const waits: number[] = [];
    const sleep = (milliseconds: number): Promise<void> => Promise.resolve(void waits.push(milliseconds));
    const refuse = (): Promise<RawResponse> => Promise.resolve(makeAnswer(429, {}, { "retry-after": wait }));
    const service = connectTo(refuse, { sleep });
    await service.exchange({ method: "PUT", template: "/a", subject: "a" }).catch(() => undefined);
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000]);
  });

  test.each(["GET", ...writes] as const)(
    "a %s for which the server names no time in the future",
    async (method) => {
      for (const retryAfterMs of [0, 1, 999]) {
        const { result, waits } = await run([limited(retryAfterMs)], { method, retries: 1000 });
        expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000]);
        expect(result).toMatchObject({ message: "still rate limited after 31 s: slow down", exitCode: 7 });
      }
    },
  );

  test("a named wait does not make the unnamed ones shorter or longer", async () => {
    const { waits } = await run([limited(0), limited(0), limited(5000), limited(0), fine], { method: "PUT" });
    expect(waits).toEqual([1000, 2000, 5000, 4000]);
  });

  test.each(writes)("a %s waits sixty seconds in all, whoever names them", async (method) => {
    const { sent, waits } = await run([limited(50_000), limited()], { method });
    expect([sent, waits]).toEqual([5, [50_000, 1000, 2000, 4000]]);
  });

  test.each(writes)("not: a %s that a user wrote, unless the server reports the time", async (method) => {
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
      const service = connectTo(
        () => {
          sent += 1;
          return Promise.resolve(makeAnswer(status, {}));
        },
        { retries: 3 },
      );
      await service.exchange({ method: "GET", template: "/a", subject: "a" }).catch(() => undefined);
      expect(sent).toBe(times);
      sent = 0;
      await service.exchange({ method: "PUT", template: "/a", subject: "a" }).catch(() => undefined);
      expect(sent).toBe(timesOfWrite);
    },
  );
});

describe("as the server requires", () => {
  test("it waits as long as it is reported to", async () => {
    expect((await run([limited(7000), limited(0), fine])).waits).toEqual([7000, 1000]);
    expect(
      (await run([new Failure("protocol", "502", { transient: true, retryAfterMs: 5000 }), fine])).waits,
    ).toEqual([5000]);
  });

  test("sixty seconds are the most, in all", async () => {
    expect((await run([limited(60_000), fine])).result).toBe(fine);
    expect((await run([limited(30_000), limited(30_000), fine])).result).toBe(fine);
    const { result, sent, waits } = await run([limited(40_000), limited(20_001), fine]);
    expect(result).toMatchObject({ kind: "rate-limited", exitCode: 7 });
    expect([sent, waits]).toEqual([2, [40_000]]);
  });

  test.each([60_001, 3_600_000, 9_999_999_999_000])("a wait of %i ms is not begun", async (wait) => {
    for (const failure of [
      limited(wait),
      new Failure("protocol", "502", { transient: true, retryAfterMs: wait }),
    ]) {
      const { result, sent, waits } = await run([failure, fine]);
      expect(result).toMatchObject({ kind: "rate-limited", exitCode: 7 });
      expect([sent, waits]).toEqual([1, []]);
    }
  });

  test("a date is waited for, a past one is unnamed, nonsense is as if there were none", async () => {
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
        retries: 3,
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

  test("a rate-limited read ends as rate-limited after its tries", async () => {
    const { result, sent } = await run([limited(1000)], { retries: 2 });
    expect([(result as Failure).kind, sent]).toEqual(["rate-limited", 3]);
    expect((result as Failure).message).toBe("still rate limited after 2 s: slow down");
  });
});

describe("many tries", () => {
  const endless: [string, Failure][] = [
    ["no connection", broken],
    ["a bad gateway", new Failure("protocol", "502", { transient: true })],
  ];
  test.each(endless)("%s: they end within the sixty seconds, as what it is", async (_, failure) => {
    const { result, waits } = await run([failure], { retries: 1000 });
    expect(sum(waits)).toBeLessThanOrEqual(60_000);
    // Nobody asked for a wait here, so it is not the service's rate limit that ended this.
    expect((result as Failure).kind).toBe(failure.kind);
    expect((result as Failure).message).not.toContain("asks to wait");
  });
});

test("the failure in the end carries the service's own words", async () => {
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

  test("never allows a busy loop, nor a wait beyond its limits, whatever the server asks for", () => {
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
    "of a job ends after five minutes of unnamed waits (%s ms)",
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

  test("of a job has no limit on named waits together, and one hour for each", () => {
    const budget = createWaitBudget(waitLimits.job);
    for (let wait = 0; wait < 100; wait += 1) expect(budget.next(limited(3_600_000))).toBe(3_600_000);
    expect(budget.next(limited(3_600_001))).toBeNull();
    expect(budget.exhausted(limited(3_600_001)).message).toBe(
      "slow down, which is longer than grantctl waits",
    );
  });

  test("counts what a layer nearer to the wire has waited already", () => {
    const waited = limited().with({ waitedMs: 31_000 });
    expect(createWaitBudget(waitLimits.request).next(waited)).toBeNull();
    expect(createWaitBudget(waitLimits.job).next(waited)).toBe(32_000);
  });

  test("unnamed waits begin again with the shortest after another response", () => {
    const budget = createWaitBudget(waitLimits.job);
    expect([budget.next(limited()), budget.next(limited())]).toEqual([1000, 2000]);
    budget.restart();
    expect(budget.next(limited())).toBe(1000);
  });
});
