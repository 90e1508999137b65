// The order of a job's items: which are read for a witness, and which come last.
import { expect, test } from "vitest";
import { Failure } from "../../src/errors/errors.ts";
import { createQueue } from "../../src/jobs/queue.ts";

/** `items`: capital letters are only delivered. `searches`: the witness of each, or -, and after ! what need not be sent; = are the witnesses. */
test.each<[words: string, items: string, searches: string, asked: string, order: string]>([
  ["a witness comes last", "a b c", "b", "a b c, =b", "a c|b"],
  ["what is only delivered is not asked for, and has its turn", "A b c", "c", "b c, =c", "A b|c"],
  ["the next one is among the rest, to which it goes back", "a b c", "b c", "a b c, =b, a c, =c", "a b|c"],
  ["nothing is asked for twice that need not be sent", "a b c", "c!a b", "a b c, =c, b, =b", "a c|b"],
  ["after a search in vain, there is no other", "a b", "- a", "a b", "a b|"],
])("%s", async (_, items, searches, asked, order) => {
  const said: string[] = [];
  const left = searches.split(" ");
  const tasks = new Map(items.split(" ").map((item) => [item, item < "a" ? "deliver" : "change"] as const));
  const searchWitness = async (candidates: readonly string[]) => {
    said.push(candidates.join(" "));
    const [last = "", ...decided] = (left.shift() ?? "").split("!");
    return {
      last: new Set(last.replace("-", "")),
      decided: new Map(decided.map((item) => [item, new Failure("not-found", "")])),
    };
  };
  const proof = { limitWitnesses: (kept: readonly string[]) => said.push(`=${kept.join("")}`) } as never;
  const queue = createQueue(tasks, { proof, searchWitness });
  for (const _search of searches.split(" ")) await queue.findWitness();
  expect([said.join(", "), queue.parts.map((part) => [...part].join(" ")).join("|")]).toEqual([asked, order]);
});
