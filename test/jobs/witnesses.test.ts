// Which items show that a "not found" can be believed, in which order they are asked, and when none needs to be asked.
import { describe, expect, test } from "vitest";
import { Witnesses } from "../../src/jobs/witnesses.ts";

/** What an OAuth 2.0 server showed: opaque tokens, and some whose text says their type. */
const shown = new Map([
  ["opaque access", "access"],
  ["opaque access 2", "access"],
  ["opaque refresh", "refresh"],
  ["at_1", "access"],
  ["rt_1", "refresh"],
]);

type Types = typeof shown | null;

test.each<[words: string, Types, item: string, found: readonly string[], isVouchedFor: boolean]>([
  ["any other vouches, if a server hides none", null, "a", ["rt_1"], true],
  ["nothing does not vouch", null, "a", [], false],
  ["one of the same type vouches", shown, "at_2", ["at_1"], true],
  ["one of another type does not", shown, "at_2", ["rt_1", "opaque access"], false],
  ["access alone does not vouch for what shows no type", shown, "x", ["opaque access"], false],
  ["nor does refresh alone", shown, "x", ["opaque refresh"], false],
  ["but both together do", shown, "x", ["opaque access", "opaque refresh"], true],
  ["those that show their type do not", shown, "x", ["at_1", "rt_1"], false],
])("%s", (_, types, item, found, isVouchedFor) => {
  expect(new Witnesses([], types).vouchFor(item, found)).toBe(isVouchedFor);
});

/** Asks the witnesses about these items; the server finds those in `there`. */
async function ask(witnesses: Witnesses, absent: readonly string[], there: readonly string[]) {
  const asked: string[] = [];
  const found = await witnesses.ask(absent, async (witness) => {
    asked.push(witness);
    return there.includes(witness);
  });
  return { asked, found };
}

function witnessesOf(proofs: readonly string[], found: readonly string[], types: Types = null) {
  const witnesses = new Witnesses(proofs, types);
  for (const item of found) witnesses.addFound(item);
  return witnesses;
}

describe("asked are", () => {
  test("proof tokens first, then the newest, until one is found", async () => {
    const witnesses = witnessesOf(["proof"], ["old", "new", "newer", "new"]);
    const there = ["new", "newer", "old"];
    expect(await ask(witnesses, ["x"], there)).toEqual({ asked: ["proof", "new"], found: ["new"] });
  });

  test("five that are absent, and none of them again", async () => {
    const witnesses = witnessesOf([], ["1", "2", "3", "4", "5", "6"]);
    expect(await ask(witnesses, ["x"], [])).toEqual({ asked: ["6", "5", "4", "3", "2"], found: [] });
    expect(await ask(witnesses, ["x"], [])).toEqual({ asked: ["1"], found: [] });
    expect(witnesses.isEmpty).toBe(true);
  });

  test("no item that was changed, also if it is found or listed later, or changed meanwhile", async () => {
    const witnesses = witnessesOf([], ["a", "b", "c"]);
    witnesses.addChanged("c");
    witnesses.addFound("c");
    witnesses.addListed(["c"]);
    const asked: string[] = [];
    await witnesses.ask(["x"], async (witness) => {
      asked.push(witness);
      witnesses.addChanged("a");
      return false;
    });
    expect(asked).toEqual(["b"]);
  });

  test("proof tokens and what is kept, if the others are about to be changed", async () => {
    const witnesses = witnessesOf(["proof"], ["a", "b", "c"]);
    witnesses.limitTo(["b"]);
    expect((await ask(witnesses, ["x"], [])).asked).toEqual(["proof", "b"]);
  });

  test("one of each type, if an absent item shows none, and no second that says the same", async () => {
    const witnesses = witnessesOf(["opaque access", "opaque access 2", "opaque refresh"], ["at_1"], shown);
    const { asked } = await ask(witnesses, ["x"], [...shown.keys()]);
    expect(asked).toEqual(["opaque access", "opaque refresh"]);
  });

  test("one at least, even if no item is absent", async () => {
    expect((await ask(witnessesOf([], ["a", "b"]), [], ["b"])).asked).toEqual(["b"]);
  });
});

describe("an item that the server accepted vouches without a question", () => {
  test("if its request was sent after the last response that accepted nothing", () => {
    const witnesses = new Witnesses([], null);
    const early = witnesses.round;
    witnesses.startRound();
    witnesses.addSuccess("sent before", early);
    expect(witnesses.foundSince).toEqual([]);
    witnesses.addSuccess("sent after", witnesses.round);
    expect(witnesses.foundSince).toEqual(["sent after"]);
    witnesses.startRound();
    expect(witnesses.foundSince).toEqual([]);
  });

  test("and is kept only if it says more than the others", () => {
    const witnesses = new Witnesses([], shown);
    for (const item of ["opaque access", "opaque access 2", "opaque refresh", "at_1"])
      witnesses.addSuccess(item, witnesses.round);
    expect(witnesses.foundSince).toEqual(["opaque access", "opaque refresh", "at_1"]);
  });
});
