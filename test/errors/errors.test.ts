// The table of failure kinds: the documented exit codes, and the order of risks.
import { expect, test } from "vitest";
import { exitCodeOfSignal, Failure, riskierKind, type FailureKind } from "../../src/errors/errors.ts";

/** Kinds and exit codes, the riskiest first. */
const promised: readonly (readonly [FailureKind, number])[] = [
  ["unknown", 13],
  ["undelivered", 12],
  ["incomplete", 9],
  ["internal", 1],
  ["protocol", 1],
  ["network", 8],
  ["rate-limited", 8],
  ["sso", 6],
  ["otp", 4],
  ["authentication", 4],
  ["not-found", 3],
  ["usage", 2],
  ["exists", 10],
  ["findings", 14],
  ["refused", 1],
];

test.each(promised)("%s has the exit code %i", (kind, code) => {
  expect(new Failure(kind, "it broke").exitCode).toBe(code);
});

test("a signal has the exit code of a shell", () => {
  expect([exitCodeOfSignal("SIGINT"), exitCodeOfSignal("SIGTERM")]).toEqual([130, 143]);
});

test("the riskier of two kinds wins, in any order", () => {
  for (const [position, [riskier]] of promised.entries()) {
    for (const [other] of promised.slice(position)) {
      expect(riskierKind(riskier, other)).toBe(riskier);
      expect(riskierKind(other, riskier)).toBe(riskier);
    }
  }
});
