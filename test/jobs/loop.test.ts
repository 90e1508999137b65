// Runs many items: input order, a limit on items in flight, and the conditions to stop.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Loop, type LoopOptions } from "../../src/jobs/loop.ts";
import { createTally, notTried, outcomeOf, type Outcome } from "../../src/jobs/outcome.ts";
import { Failure, type FailureKind } from "../../src/errors/errors.ts";

type Act = (item: number) => Promise<unknown>;

async function outcomesOf(
  items: readonly number[],
  concurrency: number,
  act: Act,
  changes: Partial<LoopOptions> = {},
): Promise<readonly Outcome<unknown>[]> {
  const outcomes: Outcome<unknown>[] = [];
  const loop = new Loop({
    concurrency,
    isOne: false,
    wait: () => Promise.resolve(),
    isAbsence: (failure) => failure.kind === "not-found",
    ...changes,
  });
  await loop.run(
    items.map(String),
    (item) => act(Number(item)),
    async (ready) => {
      await Promise.resolve();
      outcomes.push(...ready);
    },
  );
  return outcomes;
}

const statesOf = (outcomes: readonly Outcome<unknown>[]): string =>
  outcomes.map(({ status, failure }) => failure?.kind ?? status).join(" ");
const fail = (kind: FailureKind): Promise<never> => Promise.reject(new Failure(kind, kind));
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

test("outcomes come in the order of the items, each once, with at most `concurrency` in flight", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 30 }),
      fc.integer({ min: 1, max: 9 }),
      async (pauses, concurrency) => {
        let running = 0;
        let most = 0;
        const started: number[] = [];
        const outcomes = await outcomesOf(numbers(pauses.length), concurrency, async (item) => {
          started.push(item);
          most = Math.max(most, (running += 1));
          for (let turn = 0; turn < (pauses[item] ?? 0) * 3; turn += 1) await Promise.resolve();
          running -= 1;
          return item * 2;
        });
        expect(outcomes.map(({ item }) => Number(item))).toEqual(numbers(pauses.length));
        expect(
          outcomes.every(({ status, result, item }) => status === "done" && result === Number(item) * 2),
        ).toBe(true);
        expect(started).toEqual(numbers(pauses.length));
        expect(most).toBeLessThanOrEqual(concurrency);
      },
    ),
  );
});

test.each(["authentication", "otp", "sso", "network", "usage", "rate-limited"] as const)(
  "a failure '%s' stops the run: no more items are started",
  async (kind) => {
    const started: number[] = [];
    const outcomes = await outcomesOf(numbers(5), 1, (item) => {
      started.push(item);
      return item === 1 ? fail(kind) : Promise.resolve();
    });
    expect(statesOf(outcomes)).toBe(`done ${kind} not-tried not-tried not-tried`);
    expect(started).toEqual([0, 1]);
  },
);

test.each(["refused", "unknown"] as const)(
  "a failure '%s' of one item does not stop the others",
  async (kind) => {
    const outcomes = await outcomesOf(numbers(4), 1, (item) => (item === 1 ? fail(kind) : Promise.resolve()));
    expect(statesOf(outcomes)).toBe(`done ${kind} done done`);
  },
);

describe("five absent items without a success", () => {
  test("are followed by a check of each item, and by writes again once one is found", async () => {
    const looked: number[] = [];
    const written: number[] = [];
    const outcomes = await outcomesOf(
      numbers(30),
      1,
      (item) => {
        written.push(item);
        return item < 20 ? fail("not-found") : Promise.resolve();
      },
      {
        clear: (item) => {
          looked.push(Number(item));
          return Number(item) < 20 ? fail("not-found") : Promise.resolve(true);
        },
      },
    );
    expect(statesOf(outcomes)).toBe([...Array(20).fill("not-found"), ...Array(10).fill("done")].join(" "));
    expect(looked).toEqual(numbers(21).slice(5));
    expect(written).toEqual([...numbers(5), ...numbers(30).slice(20)]);
  });

  test("do not stop an action without a check", async () => {
    const outcomes = await outcomesOf(numbers(30), 4, () => fail("not-found"));
    expect(statesOf(outcomes)).toBe(Array(30).fill("not-found").join(" "));
  });

  test("are followed by no further writes after a signal during the check", async () => {
    let isStopped = false;
    const outcomes = await outcomesOf(numbers(7), 1, () => fail("not-found"), {
      isStopped: () => isStopped,
      clear: () => {
        isStopped = true;
        return Promise.resolve(true);
      },
    });
    expect(statesOf(outcomes)).toBe(`${"not-found ".repeat(5)}not-tried not-tried`);
  });
});

/** Runs eight items four at a time; resolves with the states, the requests and the waits. */
async function throttle(retryAfterMs: number) {
  let sent = 0;
  let waited = 0;
  const outcomes = await outcomesOf(
    numbers(8),
    4,
    () => {
      sent += 1;
      return Promise.reject(new Failure("rate-limited", "slow down", { status: 429, retryAfterMs }));
    },
    {
      wait: (milliseconds) => {
        waited += milliseconds;
        return Promise.resolve();
      },
    },
  );
  return { states: statesOf(outcomes), sent, waited };
}
describe("a server that always throttles", () => {
  const ended = [...Array<string>(4).fill("rate-limited"), ...Array<string>(4).fill("not-tried")].join(" ");

  test.each([0, 1, 999])("with a wait of %i ms ends the job after 65 minutes", async (retryAfterMs) => {
    expect(await throttle(retryAfterMs)).toEqual({ states: ended, sent: 4 * 70, waited: 3_843_000 });
  });

  test.each([3_900_001, 9_999_999_999_000])("with a wait of %i ms ends it at once", async (retryAfterMs) => {
    expect(await throttle(retryAfterMs)).toEqual({ states: ended, sent: 4, waited: 0 });
  });
});

const failureOf = (...kinds: readonly (FailureKind | "done" | "not-tried")[]): Failure | null => {
  const tally = createTally({ done: "done", isGoneDone: false });
  for (const [index, kind] of kinds.entries()) {
    const item = String(index);
    if (kind === "done") tally.count({ item, status: "done", result: null, failure: null });
    else if (kind === "not-tried") tally.count(notTried(item));
    else tally.count(outcomeOf(item, new Failure(kind, `it was ${kind}`)));
  }
  return tally.failure({ hint: null, isUnchanged: false });
};

test("a job with every item done has no failure", () => {
  expect(failureOf()).toBeNull();
  expect(failureOf("done", "done")).toBeNull();
});

test.each([
  [["done", "refused", "not-tried"], 9, /1 done, 1 failed, 1 not tried.*it was refused/],
  [["done", "not-tried"], 9, /^1 done, 1 not tried$/],
  [["authentication", "unknown", "refused"], 13, /it was/],
  [["unknown", "undelivered"], 13, /it was/],
  [["refused", "undelivered"], 12, /^1 undelivered, 1 failed;.*it was/],
] as const)("%j exits with %i", (kinds, code, message) => {
  const failure = failureOf(...kinds);
  expect(failure?.exitCode).toBe(code);
  expect(failure?.message).toMatch(message);
});
