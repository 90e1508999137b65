// The jq programs that can process a list page by page; jq itself confirms that the output is the same.
import {
  array,
  assert,
  constantFrom,
  jsonValue,
  oneof,
  property,
  record,
  sample,
  tuple,
  uniqueArray,
  type Arbitrary,
} from "fast-check";
import { Failure } from "../../src/errors/errors.ts";
import { describe, expect, test } from "vitest";
import { createJq, type Jq, fieldOfItems, isItemByItem } from "../../src/jq/jq.ts";
import { parseJson } from "../../src/json/exact-json.ts";
import { inFull } from "../support/soak.ts";

test.each([
  ".[]",
  ".[].id",
  ' .[] . "id" ',
  ".[].app.name",
  ".[].scopes[]",
  ".[][0]",
  '.[] | select(.app.name == "x, y") | {id, name: .app.name, "n": [.id, .note]}',
  ".[] | select(.scopes | length > 1 and (.[0] != null)) | .id",
  ".[]|[.id,.note]|@tsv",
  '.[] | if .note then "a" else "b" end',
  ".[] | {input, limit: .id}",
])("%s can run item by item", (program) => {
  expect(isItemByItem(program)).toBe(true);
});

test.each([
  "",
  ".",
  ".[0]",
  "length",
  ".[], 1",
  ".[].id, .[].note",
  ".[] | .id, .note",
  ".[] // 1",
  ".[] | .a // .b",
  ".[] |= 1",
  ".[].id |= 1",
  ".[].id += 1",
  ".[] = 1",
  ".[] + 1",
  ".[].id + .[].id",
  ".[]?",
  ".[] as $x | $x",
  "[.[] | .id]",
  "(.[] | .id) , 2",
  "reduce .[] as $x (0; . + 1)",
  "limit(1; .[])",
  "first(.[])",
  "label $out | .[] | ., break $out",
  ".[] | input",
  ".[] | inputs",
  ".[] | {a: input}",
  ".[] | [input]",
  ".[] | halt",
  ".[] | input_line_number",
  ".[] | $__loc__",
  ".[] | debug",
  '.[] | "\\(input)"',
  ".[] # | x",
  ".[] |",
  "def f: .; .[] | f",
  ".. | .id",
])("%s is not known to run item by item", (program) => {
  expect(isItemByItem(program)).toBe(false);
});

test.each([
  [".[].id", "id"],
  [".[].app.name", "app"],
  [".[].scopes[] | select(. == 1)", "scopes"],
  [".[] | .id", null],
  [".[]", null],
  [".[][0]", null],
  [".[].id, .[].note", null],
  [".id", null],
])("%s reads the field %j of each item", (text, field) => {
  expect(fieldOfItems(text)).toBe(field);
});

/** Fragments that programs are built from, including some that change the meaning of others. */
const path = constantFrom(".id", ".app.name", ".scopes[]", ".scopes[0]", ".x", ".", ".[]", '."note"');
const filter: Arbitrary<string> = oneof(
  path,
  constantFrom("length", "type", "not", "empty", "keys", "tostring", "add", "input", "first", "halt", "last"),
  path.map((one) => `select(${one})`),
  tuple(path, path).map(([one, other]) => `{id, a: ${one}, b: (${other})}`),
  tuple(path, path).map(([one, other]) => `[${one}, ${other}]`),
  tuple(path, path).map(([one, other]) => `${one} == ${other}`),
  path.map((one) => `if ${one} then 1 else 2 end`),
);
const joint = constantFrom(" | ", "|", " | ", ", ", " // ", " |= ", " + ", " ? | ");
const program = tuple(
  constantFrom(".[]", ".[].id", ".[].app", ".[].scopes[]", ".", "[.[]]", ".[0]", "limit(1; .[])"),
  array(tuple(joint, filter), { maxLength: 3 }),
).map(([first, more]) => first + more.map(([between, next]) => between + next).join(""));

const item = oneof(
  {
    weight: 5,
    arbitrary: record({
      id: constantFrom(1, 2, 3),
      app: oneof(constantFrom(null), record({ name: constantFrom("x", "y, z") })),
      scopes: array(constantFrom("repo", "user"), { maxLength: 3 }),
      note: constantFrom(null, "n", ""),
    }),
  },
  { weight: 1, arbitrary: jsonValue({ maxDepth: 1 }) },
);

/** The output, or null if jq fails, since then the preceding output may differ. */
function resultsOf(jq: Jq, values: readonly unknown[]): readonly string[] | null {
  try {
    return jq.run(JSON.stringify(values));
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

test(
  "a program that runs item by item returns the same for the pages as for the whole list",
  { tags: "soak" },
  async () => {
    const count = inFull(6, 80);
    const different = uniqueArray(program.filter(isItemByItem), { minLength: count, maxLength: count });
    const [programs = []] = sample(different, 1);
    let compared = 0;
    for (const text of programs) {
      // A few are invalid, such as one with two adjacent comparisons.
      const jq = await createJq(text, (work) => work()).catch(() => null);
      if (jq === null) continue;
      await jq.load();
      assert(
        property(array(array(item, { maxLength: 3 }), { maxLength: 3 }), (pages) => {
          const whole = resultsOf(jq, pages.flat());
          const parts = pages.map((page) => resultsOf(jq, page));
          const together = parts.includes(null) ? null : parts.flatMap((part) => part ?? []);
          expect([text, together]).toEqual([text, whole]);
        }),
        { numRuns: 8 },
      );
      compared += 1;
    }
    expect(compared).toBeGreaterThan(count / 4);
  },
);

describe("a path", () => {
  const value = constantFrom(
    ..."0 -0 7 -3 7.0 1.5 1e3 9007199254740993 -20000000000000000001 true false null {} []".split(" "),
    "1".repeat(31),
    "1".repeat(40),
    `1${"0".repeat(25)}`,
    ...["", "a", "naïve 漢 🦀", "\n\t\r", "\0\u007f\u0085\ufeff", " x ", '"\\', "null", "\ud800"].map(
      (text) => JSON.stringify(text),
    ),
  );
  const holder = oneof(
    value,
    tuple(value, value).map(([id, name]) => `{"id":${id},"app":{"name":${name},"id":1},"__proto__":${name}}`),
    value.map((app) => `{"app":${app}}`),
  );
  const programs = [
    ".[]",
    ".[].id",
    " .[] | .app.name ",
    ".[].app|.name",
    ".[].__proto__",
    ".[].and",
    ".[].app.name.x",
  ];

  test.each(programs)(
    "%s returns the same as jq without it, or nothing at all",
    { tags: "soak" },
    async (text) => {
      const jq = await createJq(text, (work) => work());
      await jq.load();
      let found = 0;
      assert(
        property(holder, (json) => {
          const result = jq.resultOf(parseJson(json));
          if (result === null) return;
          found += 1;
          expect([json, [result]]).toEqual([json, jq.run(`[${json}]`)]);
        }),
        { numRuns: inFull(25, 150), examples: [["null"], ["{}"], ['{"app":null}']] },
      );
      expect(found).toBeGreaterThan(0);
    },
  );

  test.each([
    ".",
    ".id",
    ".[0]",
    ".[].id?",
    '.[]."id"',
    ".[].id,.[].id",
    ".[]|",
    ".[]. id",
    ".[].scopes[]",
    ".[]|.",
    "..",
    ".[].1a",
  ])("%s is left to jq", async (text) => {
    const jq = await createJq(text, (work) => work()).catch(() => null);
    expect(jq?.resultOf({ id: 1, scopes: [] }) ?? null).toBeNull();
  });
});
