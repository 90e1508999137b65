// Secrets by value, in every form that a careless service might send them back in.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor } from "../../src/output/redact.ts";

const secret = fc.string({ unit: "grapheme-ascii", minLength: 8, maxLength: 60 });

test("no secret is left, plain, in a URL, in JSON or in base64, whatever stands around it", () => {
  fc.assert(
    fc.property(
      fc.array(secret, { minLength: 1, maxLength: 5 }),
      fc.string(),
      fc.string(),
      (secrets, before, after) => {
        const redactor = createRedactor();
        for (const value of secrets) redactor.add(value);
        for (const value of secrets) {
          const forms = [
            value,
            encodeURIComponent(value),
            JSON.stringify(value).slice(1, -1),
            Buffer.from(value).toString("base64"),
          ];
          for (const form of forms) {
            // What is around may hold the form as well, by chance.
            fc.pre(!before.includes(form) && !after.includes(form));
            expect(redactor.redact(`${before} ${form} ${after}`)).not.toContain(form);
          }
        }
      },
    ),
  );
});

test("one secret inside of another leaves no rest of it", () => {
  const redactor = createRedactor();
  redactor.add("canary-one");
  redactor.add("canary-one-and-more");
  expect(redactor.redact("<canary-one-and-more> <canary-one>")).not.toMatch(/canary|more/);
});

test("text without a secret stays as it is, and so does all text when nothing is known", () => {
  const redactor = createRedactor();
  expect(redactor.redact("plain\n\u001b text")).toBe("plain\n\u001b text");
  redactor.add("canary-one");
  expect(redactor.redact("plain\n\u001b text")).toBe("plain\n\u001b text");
  redactor.add("");
  expect(redactor.redact("abc")).toBe("abc");
});

test("a secret that came later is kept out as well", () => {
  const redactor = createRedactor();
  redactor.redact("warm up");
  redactor.add("canary-late");
  expect(redactor.redact("a canary-late b")).not.toContain("canary");
});

test("a secret that looks like a pattern is only itself", () => {
  const redactor = createRedactor();
  redactor.add(".*+$&$1()");
  expect(redactor.redact("abc .*+$&$1() abc")).toBe("abc [secret] abc");
});
