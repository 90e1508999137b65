// Items that are known by their shape are taken as they were when each was read: the same goes on, the same is said, and
// the same is refused. Whatever is no JSON has no shape.
import {
  array,
  assert,
  constant,
  constantFrom,
  integer,
  oneof,
  property,
  record,
  subarray,
  tuple,
} from "fast-check";
import { describe, expect, test } from "vitest";
import { checkAuthorizationWithoutValue } from "../../src/api/checks.ts";
import { toJson } from "../../src/json/exact-json.ts";
import { readJsonItems, type ItemCheck } from "../../src/json/json-items.ts";
import { KnownShape } from "../../src/json/known-shape.ts";
import { inFull } from "../support/soak.ts";

/** What comes of a page: the JSON and the values of its items, or that it is refused, and how. */
function readWith(page: Buffer | string, shape: KnownShape | null, check: ItemCheck<unknown>): unknown {
  try {
    const items = readJsonItems(Buffer.from(page), false, shape).items(check);
    return {
      json: items.map(({ json }) => json.toString("utf8")),
      values: items.map(({ value }) => toJson(value, 0)),
    };
  } catch (error) {
    return error instanceof SyntaxError || error instanceof TypeError ? error.name : error;
  }
}

function checkNothing(item: unknown): unknown {
  return item;
}

/** The JSON of each item of a page, and of the fields that are asked for. */
function askedOf(page: string, asked: readonly string[], shape: KnownShape | null): unknown {
  const read = readJsonItems(Buffer.from(page), false, shape).items(checkNothing);
  return read.map(({ json, value }) => ({
    json: json.toString("utf8"),
    fields: asked.map((name) => toJson((value as Record<string, unknown>)[name] ?? null, 0)),
  }));
}

/** A shape that has seen these pages. */
function shapeOf(
  pages: readonly (Buffer | string)[],
  check: ItemCheck<unknown> = (item) => item,
): KnownShape {
  const shape = new KnownShape();
  for (const page of pages) readWith(page, shape, check);
  return shape;
}

/** Whether a page of this item alone is known to a shape that has seen the other. */
function isKnown(item: string, seen: string): boolean {
  const shape = shapeOf([`[${seen}]`]);
  return shape.find(item, 0)?.end === item.length;
}

const text = constantFrom(
  '""',
  '"a"',
  '"naïve"',
  String.raw`"\u00e9"`,
  String.raw`"\"\\\n"`,
  '"漢"',
  '"}],[{"',
);
const number = constantFrom(
  "0",
  "7",
  "-3",
  "-0",
  "7.0",
  "1e3",
  "9007199254740993",
  "-9007199254740993",
  "1".repeat(310),
);
const scopes = oneof(
  constantFrom("[]", "null"),
  array(text, { maxLength: 3 }).map((all) => `[${all.join(",")}]`),
);
const app = oneof(
  constantFrom("null", "{}"),
  record({ name: text, size: number }).map(({ name, size }) => `{"name":${name},"größe":${size}}`),
);
const anyItem = tuple(number, text, text, scopes, app, constantFrom("true", "false", "null")).map(
  ([id, token, note, scope, application, flag]) =>
    `{"id":${id},"token":${token},"note":${note},"scopes":${scope},"app":${application},"flag":${flag}}`,
);
const pages = array(
  array(anyItem, { minLength: 1, maxLength: 4 }).map((items) => `[${items.join(",")}]`),
  { minLength: 1, maxLength: 4 },
);

describe("a page", () => {
  test.each([
    ["that is taken as it is", (read: unknown) => read],
    ["of authorizations", checkAuthorizationWithoutValue],
  ])("%s says the same whatever was seen before it", { tags: "soak" }, (_, check) => {
    assert(
      property(pages, anyItem, (seen, last) => {
        const shape = shapeOf(seen, check);
        for (const page of [...seen, `[${last}]`, `[${last}, ${last} ] `])
          expect(readWith(page, shape, check)).toEqual(readWith(page, null, check));
      }),
      { numRuns: inFull(30, 1000) },
    );
  });

  test(
    "of which a few fields are asked for says the same of these, and goes on as it came",
    { tags: "soak" },
    () => {
      const names = ["id", "token", "note", "scopes", "app", "flag", "none"];
      assert(
        property(pages, anyItem, subarray(names), (seen, last, asked) => {
          const shape = new KnownShape(asked);
          for (const page of [...seen, ...seen, `[${last}]`, `[${last}, ${last} ] `])
            expect(askedOf(page, asked, shape)).toEqual(askedOf(page, asked, null));
        }),
        { numRuns: inFull(40, 2000) },
      );
    },
  );

  test(
    "of which any byte is another one is refused where it was, and says what it then says",
    { tags: "soak" },
    () => {
      const sign = constantFrom(
        ...'"\\{}[]:,0123456789-+.eEntfu \u0001\n'.split("").map((each) => each.charCodeAt(0)),
        0xc3,
      );
      const change = oneof(constant("replace"), constant("insert"), constant("delete"));
      assert(
        property(pages, integer({ min: 0 }), sign, change, (seen, place, byte, how) => {
          const last = Buffer.from(seen.at(-1) ?? "");
          const at = place % last.length;
          const changed = Buffer.concat([
            last.subarray(0, at),
            how === "delete" ? Buffer.alloc(0) : Buffer.from([byte]),
            last.subarray(how === "insert" ? at : at + 1),
          ]);
          for (const shape of [shapeOf(seen), new KnownShape()])
            expect(readWith(changed, shape, checkNothing)).toEqual(readWith(changed, null, checkNothing));
        }),
        { numRuns: inFull(120, 6000) },
      );
    },
  );

  test("of which a field is asked for is known by that field alone", () => {
    const shape = new KnownShape(["id"]);
    const page = '[{"id":20000000000000001,"note":"n\u00e4ive"}]';
    readWith(page, shape, checkNothing);
    const [item] = readJsonItems(Buffer.from(page), false, shape).items(checkNothing);
    expect(toJson(item?.value, 0)).toBe('{"id":20000000000000001}');
    expect(item?.json.toString("utf8")).toBe('{"id":20000000000000001,"note":"n\u00e4ive"}');
  });

  test.each([
    [
      "are all like its first one, has that one checked alone",
      '[{"id":1,"note":"a"},{"id":2,"note":"b"}]',
      [1],
    ],
    ["are not all alike, has each of them checked", '[{"id":1,"note":"a"},{"id":2,"note":null}]', [1, 1, 2]],
  ])("that is the first of a list, and whose items %s", (_, page, expected) => {
    const checked: unknown[] = [];
    const items = readJsonItems(Buffer.from(page), false, new KnownShape()).items((item, position) => {
      checked.push(position);
      return item;
    });
    expect(checked).toEqual(expected);
    expect(`[${items.map(({ value }) => toJson(value, 0)).join(",")}]`).toBe(page);
  });

  test("that was known once more is not read: its items are not checked again", () => {
    const page = '[{"id":1,"note":"a"},{"id":20000000000000001,"note":""}]';
    let checks = 0;
    const check = (read: unknown): unknown => {
      checks += 1;
      return read;
    };
    const shape = shapeOf([page], check);
    checks = 0;
    const items = readJsonItems(Buffer.from(page), false, shape).items(check);
    expect(items.map(({ json }) => json.toString())).toEqual([
      '{"id":1,"note":"a"}',
      '{"id":20000000000000001,"note":""}',
    ]);
    expect(checks).toBe(0);
    expect(items.map(({ value }) => toJson(value, 0))).toEqual([
      '{"id":1,"note":"a"}',
      '{"id":20000000000000001,"note":""}',
    ]);
  });
});

test.each([
  ["escapes", '[{"note":"a"}]', `[{"note":"${String.raw`\n`.repeat(3_000_000)}"}]`],
  ["items", '[{"all":["a"]}]', `[{"all":[${'"",'.repeat(1_000_000)}""]}]`],
])("megabytes of %s are read with a shape as without one", (_, seen, page) => {
  const shape = shapeOf([seen]);
  const [item] = readJsonItems(Buffer.from(page), false, shape).items((read) => read);
  expect(item?.json.equals(Buffer.from(page).subarray(1, -1))).toBe(true);
});

describe("an item is known", () => {
  test.each([
    ['{"id":5}', '{"id":1}'],
    ['{"note":""}', '{"note":"a"}'],
    [String.raw`{"note":"\ud83e\udd80\/\b"}`, '{"note":"a"}'],
    ['{"all":[1,2,3]}', '{"all":[1]}'],
    ['{"all":[]}', '{"all":["a",1]}'],
    ['{"a":{"b":[{"c":null}]}}', '{"a":{"b":[{"c":null},{"c":null}]}}'],
    ["{}", "{}"],
    ["true", "false"],
  ])("%s by %s", (next, seen) => {
    expect(isKnown(next, seen)).toBe(true);
  });
});

describe("an item is not known", () => {
  test.each([
    ['{"id":1.5}', '{"id":1}'],
    ['{"id":1e3}', '{"id":1}'],
    ['{"id":01}', '{"id":1}'],
    ['{"id":-}', '{"id":1}'],
    ['{"id":"1"}', '{"id":1}'],
    [`{"id":${"1".repeat(301)}}`, '{"id":1}'],
    ['{"token":"s3cret"}', '{"token":""}'],
    ['{"token":"s3cret","token":""}', '{"token":""}'],
    ['{"a":1,"b":2}', '{"b":2,"a":1}'],
    ['{"a":1}', '{"a":1,"b":2}'],
    ['{"a":1,"b":2}', '{"a":1}'],
    ['{"a":[null]}', '{"a":["x"]}'],
    ['{"a":[1,]}', '{"a":[1]}'],
    ['{"a":nul}', '{"a":null}'],
    ['{"a":"\u001f"}', '{"a":"b"}'],
    [String.raw`{"a":"\x"}`, '{"a":"b"}'],
    [String.raw`{"a":"\u12g4"}`, '{"a":"b"}'],
    [String.raw`{"a":"\"}`, '{"a":"b"}'],
    ['{"a":"b', '{"a":"b"}'],
    ['{ "a":1}', '{"a":1}'],
  ])("%s by %s", (next, seen) => {
    expect(isKnown(next, seen)).toBe(false);
  });
});

test("a list of which no page is like another is not looked at for ever", () => {
  const shape = shapeOf(Array.from({ length: 30 }, (_, page) => `[{"name${page}":1}]`));
  expect(shape.isWorthIt).toBe(false);
  expect(readWith('[{"name7":1}]', shape, (read) => read)).toEqual({
    json: ['{"name7":1}'],
    values: ['{"name7":1}'],
  });
});

test("where nobody looks at a field, an item goes on as the bytes of its page, whatever letters it has", () => {
  const shape = new KnownShape([]);
  // With memory of its own: short buffers share some.
  const page = Buffer.from(new TextEncoder().encode('[{"note":"naïve"}]').buffer);
  const jsons = [1, 2].map(() => readJsonItems(page, false, shape).items(checkNothing)[0]?.json);
  for (const json of jsons) {
    expect(json?.buffer).toBe(page.buffer);
    expect(json?.toString()).toBe('{"note":"naïve"}');
  }
});
