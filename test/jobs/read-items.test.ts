// Lists of ids and tokens as people really keep them, and the wrong line named by its number and never repeated.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectLinear } from "../support/growth.ts";
import { inFull } from "../support/soak.ts";
import { parseId, parseToken, readItems, type ItemKind } from "../../src/jobs/read-items.ts";
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

const token = fc.stringMatching(/^[!-Z^-z|~][!-~]{0,60}$/).filter((text) => text !== "." && text !== "..");
const lineEnd = fc.constantFrom("\n", "\r\n", "\r");

test("tokens come out as they stand, each once, in order, however the lines end", () => {
  fc.assert(
    fc.property(
      fc.array(token, { minLength: 1 }),
      lineEnd,
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      (tokens, end, hasMark, endsLine, hasBlanks) => {
        const lines = hasBlanks ? tokens.flatMap((line) => ["", ` ${line}\t`, "  "]) : tokens;
        const text = `${hasMark ? "\uFEFF" : ""}${lines.join(end)}${endsLine ? end : ""}`;
        expect(readItems(text, "token")).toEqual([...new Set(tokens)]);
      },
    ),
  );
});

test("JSON and lines give the same", () => {
  fc.assert(
    fc.property(fc.array(token, { minLength: 1 }), fc.constantFrom(0, 2), (tokens, indent) => {
      const expected = [...new Set(tokens)];
      expect(readItems(JSON.stringify(tokens, null, indent), "token")).toEqual(expected);
      expect(readItems(`\uFEFF${JSON.stringify(tokens)}\r\n`, "token")).toEqual(expected);
      const objects = tokens.map((value) => ({ id: 1, token: value }));
      expect(readItems(JSON.stringify(objects, null, indent), "token")).toEqual(expected);
      expect(readItems(objects.map((object) => JSON.stringify(object)).join("\n"), "token")).toEqual(
        expected,
      );
    }),
  );
});

test("ids of any size keep every digit, as text, number and field", () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: 1n, max: 10n ** 39n }), { minLength: 1 }), (numbers) => {
      const ids = [...new Set(numbers.map(String))];
      expect(readItems(ids.join("\n"), "id")).toEqual(ids);
      expect(readItems(`[${ids.join(",")}]`, "id")).toEqual(ids);
      expect(readItems(ids.map((id) => `{"id":${id}}`).join("\n"), "id")).toEqual(ids);
      expect(readItems(`[${ids.map((id) => `{"id":"${id}"}`).join(",")}]`, "id")).toEqual(ids);
    }),
  );
});

describe.each([
  [
    "id",
    [
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
    ],
  ],
  [
    "token",
    [
      "a b",
      "a\u0000b",
      "a\u001b[2J",
      "tökén",
      ".",
      "..",
      "x".repeat(1025),
      '{"token":1.5}x',
      '{"tokens":"a"}',
    ],
  ],
] as const)("a wrong %s", (kind, wrong) => {
  test.each(wrong)("%j is named by its line", (line) => {
    const text = `7\n\n8\n${line}\n9\n`;
    const failure = failureOf(() => readItems(text, kind));
    expect(failure).toMatchObject({ kind: "usage", exitCode: 2 });
    expect(failure.message).toMatch(/^line 4: /);
    const said = `${failure.message.replace("line 4: ", "")} ${failure.details.hint ?? ""}`;
    expect(said.split(/[ :]/)).not.toContain(line);
    expect(line.length > 3 && said.includes(line)).toBe(false);
  });

  test("is named by its position in an array", () => {
    const failure = failureOf(() => readItems('[7,8,{"hush":"hush"},9]', kind));
    expect(failure.message).toMatch(/^item 3: /);
    expect(failure.message).not.toContain("hush");
  });
});

test.each(["", " ", "\n", "\r\n\r\n", "\uFEFF", "[]", " [ ] "])("%j is an empty list", (text) => {
  // Ids come from a filter that may find nothing; tokens are given because there are some.
  expect(readItems(text, "id")).toEqual([]);
  expect(failureOf(() => readItems(text, "token"))).toMatchObject({ kind: "usage" });
});

test("whatever is thrown in, it ends with a list or with a usage failure", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        unicode(),
        fc.json(),
        fc.json().map((text) => `[${text}]`),
      ),
      fc.constantFrom("id" as const, "token" as const),
      (text, kind) => {
        for (const item of itemsOrNone(text, kind))
          expect(item).toMatch(kind === "id" ? /^[1-9]\d*$/ : /^[!-~]+$/);
      },
    ),
    { numRuns: 1000 },
  );
});

describe("JSON that says what it is", () => {
  const grant = '{"id":1,"url":"https://service.test/api/applications/grants/1"}';
  const authorization = '{"id":2,"url":"https://service.test/authorizations/2"}';

  test.each([
    [grant, "authorization", "this is a grant, not an authorization"],
    [authorization, "grant", "this is an authorization, not a grant"],
  ] as const)("%s is refused as another thing's id", (object, thing, message) => {
    const line = failureOf(() => readItems(`7\n${object}\n`, "id", { thing }));
    expect(line).toMatchObject({ kind: "usage", message: `line 2: ${message}` });
    const item = failureOf(() => readItems(`[{"id":7},${object}]`, "id", { thing }));
    expect(item).toMatchObject({ kind: "usage", message: `item 2: ${message}` });
  });

  test.each([
    [grant, "grant", ["1"]],
    [authorization, "authorization", ["2"]],
    ['{"id":3}', "grant", ["3"]],
    ['{"id":4,"url":"https://service.test/elsewhere/4"}', "authorization", ["4"]],
    ['{"id":5,"url":null}', "authorization", ["5"]],
  ] as const)("%s passes as %s", (object, thing, ids) => {
    expect(readItems(object, "id", { thing })).toEqual(ids);
  });
});

test("an inherited field is no field", () => {
  expect(failureOf(() => readItems('[{"__proto__":{"token":"abc"}}]', "token")).message).toMatch(/item 1/);
});

test("five megabytes on one line are refused quietly", () => {
  const failure = failureOf(() => readItems(`ok\n${"a".repeat(5_000_000)}`, "token"));
  expect(failure.message).toMatch(/^line 2: .{1,80}$/);
});

function readMany(count: number): void {
  const ids = Array.from({ length: count }, (_, index) => String(index + 1));
  expect(readItems(ids.join("\n"), "id")).toHaveLength(count);
}

test("lines take linear time", () => {
  expectLinear(readMany, 10_000);
});

test("more items than can be told apart are refused, and that is no bug", { tags: "soak" }, () => {
  const most = inFull(1_000, 10_000_000);
  const expected = inFull({ most }, {});
  expect(readItems("1\n".repeat(most), "id", expected)).toEqual(["1"]);
  expect(failureOf(() => readItems("1\n".repeat(most + 1), "id", expected)).message).toBe(
    `the list has more than ${most} items`,
  );
});

test("a single id or token is given back unchanged, or refused with where it stood", () => {
  expect(parseId("1")).toBe("1");
  expect(parseToken("a/b?c#d%e")).toBe("a/b?c#d%e");
  expect(failureOf(() => parseId("", "here: ")).message).toMatch(/^here: /);
  expect(failureOf(() => parseId("1\n")).kind).toBe("usage");
  expect(failureOf(() => parseToken("")).kind).toBe("usage");
  expect(failureOf(() => parseToken("a\n")).kind).toBe("usage");
});

/** The items, or none where the text is refused as it should be. */
function itemsOrNone(text: string, kind: ItemKind): readonly string[] {
  try {
    return readItems(text, kind);
  } catch (error) {
    if (isFailure(error, "usage")) return [];
    throw error;
  }
}

test("an id that a program of doubles wrote is the whole number it is", () => {
  expect(readItems('[{"id":42.0},43.0,9007199254740993]', "id")).toEqual(["42", "43", "9007199254740993"]);
  expect(() => readItems("[42.5]", "id")).toThrow("an id is a positive integer");
});
