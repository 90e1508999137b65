// Concurrent reads against a server that accepts only one per interval and answers the others with 503, as a proxy with
// a rate limit does. Time passes only during waits, one after the other.
import { describe, expect, test } from "vitest";
import { Failure } from "../../src/errors/errors.ts";
import { retryLayer } from "../../src/http/waiting.ts";
import { makeAnswer, makeRequest } from "./doubles.ts";

interface Limits {
  readonly everyMs: number;
  /** The server rejects every request after this many successes. */
  readonly diesAfter?: number;
}

const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Sends `count` reads, eight at a time; resolves with the number of successes and their cost. */
async function readMany(count: number, { everyMs, diesAfter = Infinity }: Limits) {
  let now = 0;
  const sleepers: { readonly until: number; readonly wake: () => void }[] = [];
  let next = 0;
  let sent = 0;
  let through = 0;
  const send = retryLayer({
    trace: null,
    random: () => 0,
    sleep: (milliseconds) =>
      new Promise((wake) => {
        sleepers.push({ until: now + milliseconds, wake });
      }),
  })(() => {
    sent += 1;
    if (now < next || through >= diesAfter) {
      return Promise.reject(new Failure("rate-limited", "not available", { status: 503, transient: true }));
    }
    next = now + everyMs;
    through += 1;
    return Promise.resolve(makeAnswer(200));
  });

  let started = 0;
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    while (started < count) {
      started += 1;
      await send(makeRequest()).catch((error: unknown) => failures.push(error));
    }
  };
  const all = Promise.all(Array.from({ length: 8 }, worker));
  for (await settle(); sleepers.length > 0; await settle()) {
    sleepers.sort((one, other) => other.until - one.until);
    const first = sleepers.pop();
    now = first?.until ?? now;
    first?.wake();
  }
  await all;
  return { through, failures, sent, tookMs: now };
}

describe("a rate limit", () => {
  test.each([
    [1, 200],
    [12, 200],
    [300, 200],
    [100, 1000],
  ])("lets all %i reads succeed, one per %i ms", async (count, everyMs) => {
    const { through, failures } = await readMany(count, { everyMs });
    expect([through, failures]).toEqual([count, []]);
  });
});

describe("an unavailable server", () => {
  test("gets three more requests a read, within their time", async () => {
    const { failures, sent, tookMs } = await readMany(8, { everyMs: 0, diesAfter: 0 });
    expect([failures.length, sent, tookMs]).toEqual([8, 8 * 4, 200 + 400 + 800]);
  });

  test("that has responded before gets one more request per read in flight; later reads fail as usual", async () => {
    const { through, failures, sent } = await readMany(8, { everyMs: 200, diesAfter: 3 });
    expect([through, failures.length]).toEqual([3, 5]);
    expect(sent).toBeLessThanOrEqual(8 * 5);
  });
});
