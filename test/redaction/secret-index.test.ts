// The index has the same matches as a plain search, and the number of its probes depends on the text and not on the
// number of secrets.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foreign } from "../../src/errors/foreign.ts";
import type { Range } from "../../src/redaction/encodings.ts";
import { createRedactor } from "../../src/redaction/redact.ts";
import { createSecretIndex, type SecretIndex } from "../../src/redaction/secret-index.ts";

function rangesIn(text: string, index: SecretIndex): readonly Range[] {
  const found: Range[] = [];
  index.find(text, (range) => found.push(range));
  return found;
}

/** Reference implementation: searches for every secret at every position. */
function expectedIn(text: string, secrets: readonly string[]): readonly Range[] {
  const found: { start: number; end: number }[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const longest = Math.max(
      0,
      ...secrets.filter((one) => text.startsWith(one, at)).map((one) => one.length),
    );
    const last = found.at(-1);
    if (longest === 0) continue;
    if (last === undefined || at >= last.end) found.push({ start: at, end: at + longest });
    else last.end = Math.max(last.end, at + longest);
  }
  return found;
}

test("matches a search for each secret at each position, even if secrets are prefixes of one another", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 300 });
  const secret = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 4, maxLength: 70 });
  fc.assert(
    fc.property(
      fc.uniqueArray(secret, { maxLength: 40 }),
      text,
      fc.nat({ max: 40 }),
      (secrets, start, cut) => {
        const index = createSecretIndex();
        const whole = `${start}${secrets.join("b")}${secrets.toReversed().join("")}`;
        // Some secrets are added before the first search, the others one by one after it.
        for (const one of secrets.slice(0, cut)) index.add(one);
        expect(rangesIn(whole, index)).toEqual(expectedIn(whole, secrets.slice(0, cut)));
        for (const one of secrets.slice(cut)) {
          index.add(one);
          index.find("aabb", () => undefined);
        }
        expect(rangesIn(whole, index)).toEqual(expectedIn(whole, secrets));
      },
    ),
    { numRuns: 300 },
  );
});

/** The number of probes for one more search with a built index. */
function probesOf(redactor: ReturnType<typeof createRedactor>, text: string): number {
  redactor.redactMessage(foreign("canary"));
  const before = redactor.probes();
  redactor.redactMessage(foreign(text));
  return redactor.probes() - before;
}

describe("probes", () => {
  test("are linear in the text for 40 secrets that are prefixes of one another, in a text of one repeated letter", () => {
    const redactor = createRedactor(() => "");
    for (let length = 4; length < 44; length += 1) redactor.add("z".repeat(length));
    const [once, tenfold] = [20_000, 200_000].map((size) => probesOf(redactor, "z".repeat(size)));
    expect(once).toBeGreaterThan(0);
    expect((tenfold ?? 0) / (once ?? 0)).toBeLessThan(10.5);
    // Twice as plain text, and as base64 at four offsets; six probes each.
    expect((tenfold ?? 0) / 200_000).toBeLessThan(20);
  });

  test("grow at most logarithmically with ten times as many tokens of 180 lengths", () => {
    const text = "gho_000 gho_0a1 ".repeat(5000);
    const probesWith = (count: number): number => {
      const redactor = createRedactor(() => "");
      for (let at = 0; at < count; at += 1)
        redactor.add(`gho_${at.toString(36)}`.padEnd(40 + (at % 180), "0"));
      return probesOf(redactor, text);
    };
    const [few, many] = [probesWith(1000), probesWith(20_000)];
    expect(few).toBeGreaterThan(0);
    expect(many / few).toBeLessThan(2);
  });

  test("stay few for secrets that arrive one by one, each with a message", () => {
    const index = createSecretIndex();
    const count = 4096;
    for (let at = 0; at < count; at += 1) {
      index.add(`gho_${String(at).padStart(36, "0")}`);
      index.find("a message", () => undefined);
    }
    // Each secret is indexed at most 13 times, with at most 40 probes.
    expect(index.probes()).toBeLessThan(count * 13 * 40);
  });
});
