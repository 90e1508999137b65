// Items of a page: their JSON text is passed on unchanged, their values keep every digit, and invalid JSON is rejected
// exactly as by JSON.parse.
import { array, assert, constantFrom, jsonValue, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { checkAuthorizationWithoutValue } from "../../src/api/checks.ts";
import { parseJson, readJson, toJson } from "../../src/json/exact-json.ts";
import { readItems, type JsonItem } from "../../src/json/items.ts";
import { longIds, oddNumbers } from "../support/json-numbers.ts";
import { jsonPieces } from "../support/json-pieces.ts";
import { inFull } from "../support/soak.ts";

function itemsOf(text: string | Buffer, isWhole = false): readonly JsonItem<unknown>[] {
  return readItems(Buffer.from(text), isWhole).items((item) => item);
}

function jsonOf(text: string | Buffer, isWhole = false): readonly string[] {
  return itemsOf(text, isWhole).map(({ json }) => json);
}

/** The value as JSON, or "refused". */
function outcomeOf(read: () => unknown): unknown {
  try {
    return { said: toJson(read(), 0) };
  } catch (error) {
    return error instanceof SyntaxError || error instanceof TypeError ? "refused" : error;
  }
}

/** A page of one item that repeats a name. */
function twice(first: string, second: string): string {
  return `[{"id":1,${first},${second}}]`;
}

const blanks = constantFrom("", " ", "\n", "\t", "\r\n  ");

/** The same JSON, with blanks around its punctuation. */
function indent(json: string, blank: string): string {
  let isInText = false;
  return [...json.matchAll(/"|\\.|[^"\\]/gsu)]
    .map(([sign]) => {
      if (sign === '"') isInText = !isInText;
      return !isInText && "{}[],:".includes(sign) ? `${blank}${sign}${blank}` : sign;
    })
    .join("");
}

describe("an item", () => {
  test("of any list is passed on without blanks, and with the same value", () => {
    assert(
      property(array(jsonValue({ stringUnit: "binary" })), blanks, (values, blank) => {
        const texts = values.map((value) => JSON.stringify(value));
        const page = `${blank}[${texts.map((text) => indent(text, blank)).join(`${blank},${blank}`)}]${blank}`;
        expect(jsonOf(page)).toEqual(texts);
        // JSON.parse returns 0 for -0.
        expect(itemsOf(page).map(({ value }) => toJson(value, 0))).toEqual(texts);
        expect(jsonOf(page, true)).toEqual([`[${texts.join(",")}]`]);
      }),
    );
  });

  test.each([...longIds, ...oddNumbers])(
    "%s keeps all its digits in the JSON text and in the value",
    (number) => {
      const item = `{"id":1,"size":${number},"all":[${number}]}`;
      for (const page of [`[${item}]`, `[ { "id" : 1, "size" : ${number} , "all" : [ ${number} ] } ]`]) {
        expect(jsonOf(page)).toEqual([item]);
        expect(itemsOf(page).map(({ value }) => toJson(value, 0))).toEqual([item]);
      }
      expect(jsonOf(`[${number}]`)).toEqual([number]);
    },
  );

  test.each([
    String.raw`{"note":"\u001b\/\ud800\"\\","id":1}`,
    String.raw`{"a":"\\","b":"\\\"","c":"}],["}`,
    '{"note":"naïve 漢字 \u{1f600}","naïve":"漢"}',
    '{"__proto__":{"token":"x"},"constructor":1}',
    '{"isLosslessNumber":true,"value":"1"}',
    '{"note":" two  blanks\u00a0and\u2028more "}',
    '{"2":1,"1":2}',
    "{}",
    "[]",
    "[[],[[]],{}]",
    '""',
    "null",
  ])("%s is passed on unchanged", (item) => {
    expect(jsonOf(`[${item},${item}]`)).toEqual([item, item]);
    expect(itemsOf(`[${item}]`).map(({ value }) => value)).toEqual([JSON.parse(item)]);
  });

  test("with a repeated name keeps only the last value, which is the one that was checked", () => {
    expect(jsonOf(twice('"a":1', '"a":2'))).toEqual(['{"id":1,"a":2}']);
    expect(jsonOf(twice('"b":{"a":1,"a":7.0}', '"c":9007199254740993'))).toEqual([
      '{"id":1,"b":{"a":7.0},"c":9007199254740993}',
    ]);
    expect(jsonOf(twice(String.raw`"\u0061":1`, '"a":"é"'))).toEqual(['{"id":1,"a":"é"}']);
    // Another parser might take the first value, which is a secret.
    const [item] = readItems(Buffer.from(twice('"token":"s3cret"', '"token":""'))).items(
      checkAuthorizationWithoutValue,
    );
    expect(item?.json).toBe('{"id":1,"token":""}');
  });

  test("that its check changes is passed on changed, with every digit and letter", () => {
    const page = '[{"id":9007199254740993,"token":"s3cret","note":"é","x":7.0},{"id":2,"token":""}]';
    const items = readItems(Buffer.from(page)).items(checkAuthorizationWithoutValue);
    expect(items.map(({ json }) => json)).toEqual([
      '{"id":9007199254740993,"token":"","note":"é","x":7.0}',
      '{"id":2,"token":""}',
    ]);
    expect(items.map(({ value }) => value.token)).toEqual(["", ""]);
  });
});

test(
  "the item reader and the reader of single responses accept the same JSON and return the same value",
  { tags: "soak" },
  () => {
    const piece = constantFrom(...jsonPieces, "é", '"é"', "[1,", '{"a":', "}");
    assert(
      property(
        array(piece, { maxLength: 14 }).map((parts) => parts.join("")),
        (text) => {
          for (const whole of [text, `[${text}]`, `[{"a":${text}}]`]) {
            const bytes = Buffer.from(whole);
            const expected = outcomeOf(() => readJson(bytes));
            const valuesOf = (): unknown => {
              const page = readItems(bytes);
              const values = page.items((item) => item).map(({ value }) => value);
              return page.isArray ? values : values[0];
            };
            expect([whole, outcomeOf(valuesOf)]).toEqual([whole, expected]);
            // The text is also JSON with the same value.
            const passedOn = (): unknown => {
              const page = readItems(bytes);
              const texts = page.items((item) => item).map(({ json }) => json);
              return parseJson(page.isArray ? `[${texts.join(",")}]` : texts.join(","));
            };
            expect([whole, outcomeOf(passedOn)]).toEqual([whole, expected]);
          }
        },
      ),
      { numRuns: inFull(500, 3000) },
    );
  },
);

describe("bytes", () => {
  test("with many levels are rejected before any recursion", () => {
    expect(() => itemsOf("[".repeat(100_000))).toThrow(SyntaxError);
    expect(() => itemsOf(`${"[".repeat(257)}${"]".repeat(257)}`)).toThrow(SyntaxError);
    expect(itemsOf(`${"[".repeat(256)}${"]".repeat(256)}`)).toHaveLength(1);
    expect(() => itemsOf(`${'{"a":'.repeat(300)}1${"}".repeat(300)}`)).toThrow(SyntaxError);
  });
});
