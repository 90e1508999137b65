// How many reads are on their way after the service asked to slow down, with a clock that the test moves on, and over
// a real socket.
import { onTestFinished, describe, expect, test } from "vitest";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createPace, type Pace } from "../../src/http/pace.ts";
import { runMain } from "../support/test-host.ts";

interface Clock {
  readonly pace: Pace;
  readonly waits: readonly number[];
  /** Ends all waits that have begun. */
  readonly moveOn: () => Promise<void>;
}

function createClock(): Clock {
  const waits: number[] = [];
  const ends: (() => void)[] = [];
  const pace = createPace((milliseconds) => {
    waits.push(milliseconds);
    return new Promise((resolve) => {
      ends.push(resolve);
    });
  });
  return {
    pace,
    waits,
    async moveOn() {
      for (const end of ends.splice(0)) end();
      await settle();
    },
  };
}

const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Asks for so many places; how many were given by now. */
function enterMany(pace: Pace, count: number): { readonly given: () => number } {
  let given = 0;
  for (let each = 0; each < count; each += 1) {
    const place = pace.enter();
    if (place === null) given += 1;
    else {
      void place.then(() => {
        given += 1;
        return given;
      });
    }
  }
  return { given: () => given };
}

describe("a pace", () => {
  test("lets everybody go until somebody is told to slow down", () => {
    expect(enterMany(createClock().pace, 1000).given()).toBe(1000);
  });

  test("halves once for those that were on their way together, and nobody goes before all waits are over", async () => {
    const { pace, waits, moveOn } = createClock();
    enterMany(pace, 8);
    for (let each = 0; each < 8; each += 1) pace.slowDown(5000);
    const again = enterMany(pace, 8);
    await settle();
    expect(again.given()).toBe(0);
    expect(waits).toEqual(Array.from({ length: 8 }, () => 5000));
    await moveOn();
    expect(again.given()).toBe(4);
  });

  test("has room for one more with each round that works", async () => {
    const { pace, moveOn } = createClock();
    enterMany(pace, 8);
    for (let each = 0; each < 8; each += 1) pace.slowDown(1);
    await moveOn();
    const rest = enterMany(pace, 100);
    expect(rest.given()).toBe(4);
    for (let each = 0; each < 4; each += 1) pace.leave();
    await settle();
    expect(rest.given() - 4).toBe(5);
  });

  test("always has one place", async () => {
    const { pace, moveOn } = createClock();
    for (let round = 0; round < 5; round += 1) {
      const one = enterMany(pace, 1);
      await settle();
      expect(one.given()).toBe(1);
      pace.slowDown(1);
      await moveOn();
    }
  });
});

/** One round of requests: so many are under way before any is answered. */
interface Round {
  readonly together: number;
  readonly isRefused: boolean;
}

/** The first page says how many there are; then as many as may go at once, twice; then half as many. */
const rounds: readonly Round[] = [
  { together: 1, isRefused: false },
  { together: 8, isRefused: false },
  { together: 8, isRefused: true },
  { together: 4, isRefused: false },
];

test("a list whose pages are refused for a second goes on with half as many at once, and is whole", async () => {
  const pages = 40;
  const held: (() => void)[] = [];
  const most: number[] = [];
  let round = 0;
  let refusedAt = 0;
  const early: number[] = [];
  const answerHeld = (): void => {
    most.push(held.length);
    round += 1;
    for (const answer of held.splice(0)) answer();
  };
  const server = createServer((request, response) => {
    const page = Number(/[?&]page=(\d+)/.exec(request.url ?? "")?.[1] ?? 1);
    const { together, isRefused } = rounds[round] ?? { together: 1, isRefused: false };
    // Nothing that is slow comes sooner for it.
    if (refusedAt > 0 && Date.now() - refusedAt < 900) early.push(page);
    held.push(() => {
      if (isRefused) {
        refusedAt = Date.now();
        response.writeHead(429, { "Retry-After": "1" }).end();
        return;
      }
      const links =
        page < pages
          ? `<x?page=${page + 1}>; rel="next", <x?page=${pages}>; rel="last"`
          : `<x?page=1>; rel="first"`;
      response
        .writeHead(200, { "Content-Type": "application/json", Link: links })
        .end(JSON.stringify([{ id: page }]));
    });
    // One more than there should be has a moment to come.
    if (held.length === together) setTimeout(answerHeld, together === 1 ? 0 : 100);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const run = await runMain(["authorization", "list", "--json", "id", "--jq", "[.[].id]"], {
    environment: {
      GRANTCTL_BASE_URL: `http://127.0.0.1:${port}`,
      GRANTCTL_USERNAME: "octavia",
      GRANTCTL_PASSWORD: "a password",
    },
  });
  expect([run.code, run.stderr]).toEqual([0, ""]);
  expect(JSON.parse(run.stdout)).toEqual(Array.from({ length: pages }, (_, index) => index + 1));
  expect(most.slice(0, rounds.length)).toEqual(rounds.map(({ together }) => together));
  expect(early).toEqual([]);
});
