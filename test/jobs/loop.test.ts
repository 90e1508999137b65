// How a loop runs a job's items: the order of reports, what stops it, and what pauses it.
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { Failure, type FailureDetails, type FailureKind } from "../../src/errors/errors.ts";
import { Loop } from "../../src/jobs/loop.ts";
import { Stopped } from "../../src/jobs/outcome.ts";
import type { Outcome } from "../../src/jobs/outcome.ts";

const fatal = "authentication otp sso network usage undelivered rate-limited".split(" ");
const failures: Readonly<Record<string, readonly [kind: string, details?: FailureDetails]>> = {
  no: ["refused"],
  absent: ["not-found"],
  own: ["refused", { isAboutItem: true }],
  limit: ["rate-limited", { status: 429 }],
  unavailable: ["rate-limited", { status: 503 }],
  ...Object.fromEntries(fatal.map((kind) => [kind, [kind]])),
};
const shared = new Failure("refused", "of a shared request");

/** What happens to an item, which is a word and its position. */
async function act(item: string): Promise<void> {
  const [word = ""] = item.split(" ");
  if (word === "stopped") throw new Stopped();
  if (word === "shared") throw shared;
  const [kind, details] = failures[word] ?? [];
  if (kind !== undefined) throw new Failure(kind as FailureKind, word, details);
}

const itemsOf = (text: string): Set<string> =>
  new Set(text.split(" ").map((word, position) => `${word} ${position}`));

/** Runs a loop over these items; resolves with the statuses, as they are reported. */
async function statusesOf(text: string, isStopped: () => boolean): Promise<string> {
  const statuses: string[] = [];
  const loop = new Loop({ concurrency: 1, makesAbsent: (_, { kind }) => kind === "not-found", isStopped });
  await loop.run(itemsOf(text), act, async (outcomes) => {
    for (const { status } of outcomes) statuses.push(status);
  });
  return statuses.join(" ");
}

const fails = (count: number): string => "failed ".repeat(count).trim();

test.each<[words: string, items: string, statuses: string]>([
  ["five failures in a row stop it", "no no no no no ok", `${fails(5)} not-tried`],
  ["four do not", "no no no no ok no", `${fails(4)} done failed`],
  ["one request of many items counts once", "shared shared shared shared shared ok", `${fails(5)} done`],
  ["a success ends the row", "no no no ok no no no ok", `${fails(3)} done ${fails(3)} done`],
  ["absent items do not count", "absent absent absent absent absent ok", `${fails(5)} done`],
  ["nor do they end the row", "no no no no absent no ok", `${fails(6)} not-tried`],
  ["failures of one item alone do not count", "own own own own own ok", `${fails(5)} done`],
  ...fatal.map((kind): [string, string, string] => [
    `${kind} stops it at once`,
    `ok ${kind} ok`,
    `done ${kind === "undelivered" ? kind : "failed"} not-tried`,
  ]),
])("%s", async (_, items, statuses) => {
  expect(await statusesOf(items, () => false)).toBe(statuses);
});

test.each<[words: string, items: string, isSignalled: boolean, statuses: string]>([
  ["starts nothing more", "ok ok", true, "done not-tried"],
  ["an action that has sent nothing is not tried", "stopped ok", false, "not-tried done"],
  ["what waits for a limit is not tried", "limit ok", true, "not-tried not-tried"],
  ["without a signal it has failed", "limit ok", false, "failed not-tried"],
  ["what an overloaded server answered has failed", "unavailable ok", true, "failed not-tried"],
])("a signal during the first item: %s", async (_, items, isSignalled, statuses) => {
  let asked = 0;
  expect(await statusesOf(items, () => (asked += 1) > 1 && isSignalled)).toBe(statuses);
});

/** A loop of two whose actions and reports end when the test says so; `seen` has what began. */
function begin(queue: Set<string>, pauses: readonly Promise<unknown>[] = []) {
  const seen: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const beginOne = (name: string): Promise<void> => {
    seen.push(name);
    return new Promise((resolve, reject) =>
      ends.set(name, (error) => (error === undefined ? resolve() : reject(error))),
    );
  };
  const reportAll = (outcomes: readonly Outcome<void>[]) =>
    beginOne(`report ${outcomes.map(({ item }) => item).join()}`);
  const loop = new Loop({ concurrency: 2, onStop: () => seen.push("stop") });
  for (const pause of pauses) loop.pauseUntil(pause);
  const running = loop.run(queue, beginOne, reportAll).then(() => "over", String);
  void running.then((how) => seen.push(how));
  /** Ends one of them, if any; resolves with what began since. */
  const after = async (name = "", error?: Error): Promise<string> => {
    ends.get(name)?.(error);
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    return seen.splice(0).join("; ");
  };
  return { loop, after };
}

test("reports come in the order of the items, one at a time, and hold up what follows", async () => {
  const { after } = begin(itemsOf("a b c d e"));
  expect(await after()).toBe("a 0; b 1");
  expect(await after("b 1")).toBe("c 2");
  expect(await after("a 0")).toBe("report a 0,b 1");
  expect(await after("c 2")).toBe("");
  expect(await after("report a 0,b 1")).toBe("report c 2");
  expect(await after("report c 2")).toBe("d 3; e 4");
  expect(await after("e 4")).toBe("");
  expect(await after("d 3")).toBe("report d 3,e 4");
  expect(await after("report d 3,e 4")).toBe("over");
});

test("an item that leaves the queue before its turn is not run", async () => {
  const queue = itemsOf("a b c d");
  const { after } = begin(queue);
  await after();
  expect([...queue]).toEqual(["c 2", "d 3"]);
  queue.delete("c 2");
  expect(await after("b 1")).toBe("d 3");
});

test("a pause holds up every item until all reasons for it are over, also if they fail", async () => {
  const ends: ((error: Error) => void)[] = [];
  const pauses = [0, 1, 2].map(() => new Promise((_, reject) => ends.push(reject)));
  const { loop, after } = begin(itemsOf("a"), pauses.slice(0, 2));
  const end = async (position: number): Promise<string> => {
    ends[position]?.(new Error("over"));
    return after();
  };
  expect(await end(1)).toBe("");
  for (const pause of pauses.slice(2)) loop.pauseUntil(pause);
  expect(await end(0)).toBe("");
  expect(await end(2)).toBe("a 0");
});

test.each([
  ["an action", "a 0"],
  ["a report", "report a 0"],
])("an error of %s stops it, but not before what is in flight has ended", async (_, name) => {
  const { after } = begin(itemsOf("a b c d e"));
  await after();
  if (name !== "a 0") await after("a 0");
  expect(await after(name, new Error("bug"))).toBe("stop");
  expect(await after("b 1")).toBe("Error: bug");
});
