// JSON without loss: long ids, invalid UTF-8, and names that are special in JavaScript.
import { array, assert, constantFrom, json, jsonValue, oneof, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { exactText, parseJson, readJson, toJson } from "../src/json.ts";

/** Integers around and beyond the exact range of a double, as in IDs. */
const longIds: readonly string[] = [
  ..."9007199254740991 9007199254740992 9007199254740993 -9007199254740993 18446744073709551615".split(" "),
  "10000000000000000000000000",
  "1".repeat(500),
];

/** Numbers that cannot be IDs. */
const oddNumbers: readonly string[] = [
  ..."0.1234567890123456789 12345678901234567890.5 1234567890123456789e5 1.0000000000000001".split(" "),
  ..."7.0 1.50 -0.0 -0 1e3 1E+2 0.0000001 1e400".split(" "),
];

/** Fragments of valid and invalid JSON. */
const jsonPieces: readonly string[] = [
  ...'[]{}:,"\\ \n\t-+.eE0123456789\u00a0\ufeff'.split(""),
  ...'9007199254740993 true null nul "a" "\u0000" "\\x" "\\u12"'.split(" "),
];

function roundTrip(text: string): string {
  return toJson(parseJson(text), 0);
}

function isJson(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

function bytes(...parts: (string | number[])[]): Buffer {
  return Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))),
  );
}

test.each([...longIds, ...oddNumbers])("%s keeps every digit, in any position", (number) => {
  for (const text of [
    number,
    `[${number}]`,
    `[0,${number}]`,
    `{"id":${number}}`,
    `{"id":${number},"a":"b"}`,
    `{"a":{"b":[[${number}]]}}`,
    `[${number},1,"x",null,true,${number}]`,
  ]) {
    expect(roundTrip(text)).toBe(text);
  }
  for (const blank of [" ", "\t", "\n", "\r\n", "  "]) {
    expect(roundTrip(`{"id":${blank}${number}${blank}}`)).toBe(`{"id":${number}}`);
    expect(roundTrip(`${blank}${number}`)).toBe(number);
  }
});

describe("strings with long runs of digits", () => {
  test.each([
    '{"hashed_token":"12345678901234567890123456789012"}',
    '{"note":"-9007199254740993,9007199254740993"}',
    '{"9007199254740993":1}',
    '{"id":9007199254740993,"note":"9007199254740993","hash":"0012345678901234567890"}',
    '{"id":9007199254740993,"note":"\\u001b\\\\\\"\\n\\ud83d\\ude00é"}',
    '{"id":9007199254740993,"a":"","b":[],"c":{},"d":[[],{}]}',
  ])("%s remain strings", (text) => {
    // A character may replace its escape sequence; nothing else may differ.
    expect(roundTrip(text)).toBe(text.replace("\\ud83d\\ude00", "\u{1f600}"));
  });
});

describe("names that are special in JavaScript or to the parser", () => {
  test.each([
    '{"__proto__":{"token":"x"},"id":9007199254740993}',
    '{"constructor":{"prototype":{}},"id":9007199254740993}',
    '{"toString":"x","valueOf":1,"hasOwnProperty":null,"id":9007199254740993}',
    '{"then":"x","length":9007199254740993}',
    '{"isLosslessNumber":true,"value":"1","id":9007199254740993}',
    '[{"isLosslessNumber":true,"value":"],\\"x\\":["}]',
    '{"note":"{\\"isLosslessNumber\\":true}"}',
  ])("%s is handled like any other name", (text) => {
    expect(roundTrip(text)).toBe(text);
    expect(({} as Record<string, unknown>)["token"]).toBeUndefined();
  });
});

describe("both parsers", () => {
  test("agree on any JSON", () => {
    assert(
      property(json(), (text) => {
        // The long number selects the exact parser.
        const exact = parseJson(`[9007199254740993,${text}]`) as unknown[];
        expect(toJson(exact[1], 0)).toBe(JSON.stringify(JSON.parse(text)));
        expect(toJson(parseJson(text), 0)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  test("agree on invalid JSON", () => {
    const piece = constantFrom(...jsonPieces, "/**/", "NaN", "'");
    assert(
      property(
        array(piece, { maxLength: 12 }).map((parts) => parts.join("")),
        (text) => {
          for (const whole of [text, `[9007199254740993,${text}]`])
            expect([whole, isJson(parseJson, whole)]).toEqual([whole, isJson(JSON.parse, whole)]);
        },
      ),
      {
        numRuns: 1000,
        examples: ["[1,]", "[01]", "[1.]", "[.5]", "[+1]", "[1e]", "[-]", '"\n"', "\u00a01", ""].map(
          (text) => [text],
        ),
      },
    );
  });

  test("use the last value of a repeated key", () => {
    expect(parseJson('{"id":1,"id":2}')).toEqual({ id: 2 });
    expect(toJson(parseJson('{"n":9007199254740993,"id":1,"id":2}'), 0)).toBe(
      '{"n":9007199254740993,"id":2}',
    );
  });
});

test("any JSON value round-trips, with and without an indent", () => {
  assert(
    property(oneof(jsonValue(), jsonValue({ stringUnit: "binary" })), (value) => {
      for (const indent of [0, 2]) {
        const text = toJson(value, indent);
        expect(text).toBe(JSON.stringify(value, null, indent));
        expect(toJson(parseJson(text), indent)).toBe(text);
      }
    }),
  );
});

describe("bytes", () => {
  test("may begin with a byte order mark", () => {
    expect(readJson(bytes([0xef, 0xbb, 0xbf], '{"id":1}'))).toEqual({ id: 1 });
    expect(() => readJson(bytes([0xef, 0xbb, 0xbf], [0xef, 0xbb, 0xbf], "1"))).toThrow(SyntaxError);
  });

  test.each([
    ["a lone continuation byte", [0x80]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["beyond Unicode", [0xf4, 0x90, 0x80, 0x80]],
    ["a cut character", [0xe2, 0x82]],
    ["Latin-1", [0xe9]],
  ])("that are not UTF-8 are rejected without replacement characters: %s", (_, odd) => {
    expect(() => readJson(bytes('{"note":"', odd, '"}'))).toThrow(TypeError);
  });

  test("with a hundred thousand levels cause at most an error", () => {
    for (const core of ["1", "9007199254740993"]) {
      const deep = bytes(`${"[".repeat(100_000)}${core}${"]".repeat(100_000)}`);
      let result: unknown;
      try {
        result = readJson(deep);
      } catch (error) {
        result = error;
      }
      expect(Array.isArray(result) || result instanceof Error).toBe(true);
    }
  });
});

test.each([
  ["text", "text"],
  ["", ""],
  [0, "0"],
  [42, "42"],
  [null, null],
  [undefined, null],
  [true, null],
  [{}, null],
  [["1"], null],
])("the digits of %j are %j", (value, expected) => {
  expect(exactText(value)).toBe(expected);
});
