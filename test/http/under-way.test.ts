// What is under way: each request is there from its beginning to its end.
import { expect, test } from "vitest";
import { createUnderWay } from "../../src/http/under-way.ts";

test("a request is there until it is removed, whichever began first", () => {
  const underWay = createUnderWay<string>();
  for (const name of ["a", "b", "c"]) underWay.add(name);
  underWay.remove("b");
  underWay.add("d");
  expect([...underWay]).toEqual(["a", "c", "d"]);
});

test("removing what is not under way changes nothing", () => {
  const underWay = createUnderWay<string>();
  underWay.add("a");
  underWay.remove("b");
  expect([...underWay]).toEqual(["a"]);
});

test("each is visited once, although visiting it removes it", () => {
  const underWay = createUnderWay<string>();
  for (const name of ["a", "b", "c"]) underWay.add(name);
  const visited: string[] = [];
  for (const name of underWay) {
    visited.push(name);
    underWay.remove(name);
  }
  expect(visited).toEqual(["a", "b", "c"]);
  expect([...underWay]).toEqual([]);
});
