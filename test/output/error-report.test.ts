// What a failure prints whatever it contains: one line and a hint, or one JSON object; secrets are removed before it is cut.
import { expect, test } from "vitest";
import { Failure } from "../../src/errors/errors.ts";
import { commandName } from "../../src/command-line/command.ts";
import { hints } from "../../src/errors/hints.ts";
import { asFailure } from "../../src/output/notices.ts";
import { createWholeProgram, grantctlWords } from "../support/whole-program.ts";
import { createRedactor } from "../../src/redaction.ts";
import { reportOf } from "../support/thrown-failure.ts";

test("a hint is a sentence, and its commands can be parsed", async () => {
  const program = await createWholeProgram();
  const commands = program.commands.flatMap((noun) => [noun, ...noun.commands]);
  for (const hint of Object.values(hints)) {
    expect(hint).toMatch(/^(?:[A-Z]|grantctl )[^]*\.$/);
    for (const [, command = ""] of hint.matchAll(/`(grantctl [^`]+)`/g)) {
      const [words = []] = grantctlWords(command);
      const path = words
        .filter((word) => !word.startsWith("-"))
        .slice(0, 2)
        .join(" ");
      expect(commands.map((one) => commandName(one).replace("grantctl ", ""))).toContain(path);
    }
  }
});

test("an internal error exits with code 1 and one line, in both formats", () => {
  const failure = asFailure(new TypeError("a\nb\u001b[2J"));
  expect(failure).toMatchObject({ kind: "internal", exitCode: 1 });
  expect(reportOf(failure, false)).toMatch(/^grantctl: [^\n]+\nhint: [^\n]+\n$/);
  expect(reportOf(failure, false)).not.toContain("\u001b");
  expect(JSON.parse(reportOf(failure, true))).toMatchObject({ error: { class: "internal", exit_code: 1 } });
  expect(asFailure("thrown text").exitCode).toBe(1);
  expect(asFailure(undefined).exitCode).toBe(1);
});

test("a message of megabytes is cut, but only after secrets are removed", () => {
  const redactor = createRedactor();
  redactor.addSecret("canary-SECRET-1");
  for (let length = 980; length <= 1000; length += 1) {
    const message = `${"x ".repeat(length / 2)}canary-SECRET-1 ${"y ".repeat(10_000)}`;
    const failure = new Failure("refused", message);
    for (const asJson of [true, false]) {
      const text = reportOf(failure, asJson, redactor);
      expect(text).not.toContain("cana");
      expect(text.length).toBeLessThan(2500);
      expect(text).toContain("…");
    }
  }
});

test.each(["message", 'u001b"', '","class":"'])("a secret like %j keeps the JSON valid", (secret) => {
  const redactor = createRedactor();
  redactor.addSecret(secret);
  const failure = new Failure("refused", `it said\n1234 ${secret} \u001b \\ `, { hint: secret });
  const text = reportOf(failure, true, redactor);
  const { error } = JSON.parse(text) as { error: Record<string, unknown> };
  expect(error).toMatchObject({ class: "refused", hint: "[secret]", exit_code: 1 });
  expect(error["message"]).toMatch(/^it said/);
});

test("a cause is kept but never shown", () => {
  const failure = new Failure("network", "it broke", { cause: new Error("hush") });
  expect(failure.cause).toBeInstanceOf(Error);
  for (const asJson of [true, false]) expect(reportOf(failure, asJson)).not.toContain("hush");
});
