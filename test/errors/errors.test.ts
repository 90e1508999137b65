// The table of failure kinds: the documented exit codes, the order of risks, and the fields of a failure.
import { expect, test } from "vitest";
import {
  exitCodeOfSignal,
  Failure,
  isFailure,
  QuietExit,
  riskierKind,
  usageFailure,
  type FailureKind,
} from "../../src/errors/errors.ts";

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

test("the riskier of two kinds wins, in any order", () => {
  for (const [position, [riskier]] of promised.entries()) {
    for (const [other] of promised.slice(position)) {
      expect(riskierKind(riskier, other)).toBe(riskier);
      expect(riskierKind(other, riskier)).toBe(riskier);
    }
  }
});

test("a failure carries its message, its details and its cause", () => {
  const cause = new Error("why");
  const failure = new Failure("network", "it broke", { status: 500, cause });
  expect(failure).toMatchObject({ kind: "network", message: "it broke", name: "Failure", cause });
  expect(failure.details).toEqual({ status: 500, cause });
  expect(Object.hasOwn(new Failure("network", "it broke"), "cause")).toBe(false);
  expect(new Failure("network", "it broke").details).toEqual({});
});

test("a failure is recognized by its kind", () => {
  const failure = new Failure("sso", "approve it");
  expect(isFailure(failure)).toBe(true);
  expect(isFailure(failure, "otp", "sso")).toBe(true);
  expect(isFailure(failure, "otp")).toBe(false);
  expect(isFailure(new QuietExit(1))).toBe(false);
  expect(isFailure(new Error("Failure"), "sso")).toBe(false);
  expect(isFailure({ kind: "sso" }, "sso")).toBe(false);
  expect(isFailure(undefined)).toBe(false);
});

test("a usage failure may have a hint", () => {
  expect(usageFailure("no such flag")).toMatchObject({ kind: "usage", message: "no such flag", details: {} });
  expect(usageFailure("no such flag").details.hint).toBeUndefined();
  expect(usageFailure("no such flag", "see --help").details).toEqual({ hint: "see --help" });
});

test("a failure with changed details keeps its kind, its message and all other details", () => {
  const failure = new Failure("refused", "no", { status: 403, hint: "ask" });
  expect(failure.with({ hint: "wait" })).toMatchObject({
    kind: "refused",
    message: "no",
    details: { status: 403, hint: "wait" },
  });
  expect(failure.with({ hint: undefined }, "not at all").details).toEqual({ status: 403 });
  expect(failure.with({}, "not at all").message).toBe("not at all");
});

test("a quiet exit has an exit code and no message", () => {
  expect(new QuietExit(130)).toMatchObject({ exitCode: 130, name: "QuietExit", message: "exit 130" });
});

test.each([
  [2, 130],
  [15, 143],
  [1, 129],
  [3, 131],
])("signal %i has the exit code %i", (signal, code) => {
  expect(exitCodeOfSignal(signal)).toBe(code);
});
