// Lists of IDs in the formats people use. Errors name the line number of a wrong ID and never repeat its text.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readIds } from "../../src/lists/read-ids.ts";
import { failureOf, isFailure } from "../../src/errors/errors.ts";
import type { Context } from "../../src/run/context.ts";
import { unicode } from "../support/unicode.ts";

/** The IDs of a text on standard input. */
function read(text: string): Promise<readonly string[]> {
  const standardInput = { read: () => Promise.resolve(text) };
  const notices = { note: () => undefined };
  return readIds(["-"], { standardInput, notices, options: {} } as unknown as Context, "grant");
}

test("IDs of any size keep every digit, as text, number and field", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.bigInt({ min: 1n, max: 10n ** 39n }), { minLength: 1 }), async (numbers) => {
      const ids = [...new Set(numbers.map(String))];
      expect(await read(ids.join("\n"))).toEqual(ids);
      expect(await read(`[${ids.join(",")}]`)).toEqual(ids);
      expect(await read(ids.map((id) => `{"id":${id}}`).join("\n"))).toEqual(ids);
      expect(await read(`[${ids.map((id) => `{"id":"${id}"}`).join(",")}]`)).toEqual(ids);
    }),
  );
});

describe("a wrong ID", () => {
  test.each([..."0 -1 1.5 abc 1e3 +1 01 1,2 0x1f ٣ {}".split(" "), "1 2", "9".repeat(41), '{"id":null}'])(
    "%j is named by its line",
    async (line) => {
      const text = `7\n\n8\n${line}\n9\n`;
      const failure = await failureOf(read(text));
      expect(failure).toMatchObject({ kind: "usage", exitCode: 2 });
      expect(failure?.message).toMatch(/^line 4: /);
      const said = `${failure?.message.replace("line 4: ", "")} ${failure?.details.hint ?? ""}`;
      expect(said.split(/[ :]/)).not.toContain(line);
      expect(line.length > 3 && said.includes(line)).toBe(false);
    },
  );
});

test.each(["", " ", "\n", "\r\n\r\n", "\uFEFF", "[]", " [ ] "])("%j is an empty list", async (text) => {
  expect(await read(text)).toEqual([]);
});

test("any input gives a list or a usage failure", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        unicode(),
        fc.json(),
        fc.json().map((text) => `[${text}]`),
      ),
      async (text) => {
        for (const item of await itemsOrNone(text)) expect(item).toMatch(/^[1-9]\d*$/);
      },
    ),
    { numRuns: 1000 },
  );
});

/** The items, or none if the text is rejected with a usage failure. */
async function itemsOrNone(text: string): Promise<readonly string[]> {
  try {
    return await read(text);
  } catch (error) {
    if (isFailure(error, "usage")) return [];
    throw error;
  }
}
