// Lists of IDs in the formats people use. Errors name the line number of a wrong ID and never repeat its text.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseIds } from "../../src/jobs/read-items.ts";
import { Failure, isFailure } from "../../src/errors/errors.ts";
import { unicode } from "../support/unicode.ts";

const failureOf = (work: () => unknown): Failure => {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(Failure);
    return error as Failure;
  }
  throw new Error("nothing was thrown");
};

test("IDs of any size keep every digit, as text, number and field", () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: 1n, max: 10n ** 39n }), { minLength: 1 }), (numbers) => {
      const ids = [...new Set(numbers.map(String))];
      expect(parseIds(ids.join("\n"))).toEqual(ids);
      expect(parseIds(`[${ids.join(",")}]`)).toEqual(ids);
      expect(parseIds(ids.map((id) => `{"id":${id}}`).join("\n"))).toEqual(ids);
      expect(parseIds(`[${ids.map((id) => `{"id":"${id}"}`).join(",")}]`)).toEqual(ids);
    }),
  );
});

describe("a wrong ID", () => {
  test.each([
    "0",
    "-1",
    "1.5",
    "abc",
    "1e3",
    "+1",
    "01",
    "1 2",
    "1,2",
    "0x1f",
    "٣",
    "9".repeat(41),
    "{}",
    '{"id":null}',
  ])("%j is named by its line", (line) => {
    const text = `7\n\n8\n${line}\n9\n`;
    const failure = failureOf(() => parseIds(text));
    expect(failure).toMatchObject({ kind: "usage", exitCode: 2 });
    expect(failure.message).toMatch(/^line 4: /);
    const said = `${failure.message.replace("line 4: ", "")} ${failure.details.hint ?? ""}`;
    expect(said.split(/[ :]/)).not.toContain(line);
    expect(line.length > 3 && said.includes(line)).toBe(false);
  });
});

test.each(["", " ", "\n", "\r\n\r\n", "\uFEFF", "[]", " [ ] "])("%j is an empty list", (text) => {
  expect(parseIds(text)).toEqual([]);
});

test("any input gives a list or a usage failure", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        unicode(),
        fc.json(),
        fc.json().map((text) => `[${text}]`),
      ),
      (text) => {
        for (const item of itemsOrNone(text)) expect(item).toMatch(/^[1-9]\d*$/);
      },
    ),
    { numRuns: 1000 },
  );
});

/** The items, or none if the text is rejected with a usage failure. */
function itemsOrNone(text: string): readonly string[] {
  try {
    return parseIds(text);
  } catch (error) {
    if (isFailure(error, "usage")) return [];
    throw error;
  }
}
