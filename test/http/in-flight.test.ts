// In-flight requests: each is there from its beginning to its end.
import { expect, test } from "vitest";
import { createInFlight } from "../../src/http/connector.ts";

test("a request is there until it is removed, whichever began first", () => {
  const inFlight = createInFlight<string>();
  for (const name of ["a", "b", "c"]) inFlight.add(name);
  inFlight.remove("b");
  inFlight.add("d");
  expect([...inFlight]).toEqual(["a", "c", "d"]);
});

test("removing what is not in flight changes nothing", () => {
  const inFlight = createInFlight<string>();
  inFlight.add("a");
  inFlight.remove("b");
  expect([...inFlight]).toEqual(["a"]);
});

test("each is visited once, although visiting it removes it", () => {
  const inFlight = createInFlight<string>();
  for (const name of ["a", "b", "c"]) inFlight.add(name);
  const visited: string[] = [];
  for (const name of inFlight) {
    visited.push(name);
    inFlight.remove(name);
  }
  expect(visited).toEqual(["a", "b", "c"]);
  expect([...inFlight]).toEqual([]);
});
