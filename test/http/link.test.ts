// The `Link` header: the forms that operators send, hostile input, and linear parsing time.
import {
  array,
  assert,
  boolean,
  constantFrom,
  integer,
  oneof,
  option,
  property,
  record,
  string,
  uniqueArray,
} from "fast-check";
import { describe, expect, test } from "vitest";
import { expectLinear } from "../support/growth.ts";
import { inFull } from "../support/soak.ts";
import { readLink } from "../../src/http/link.ts";
import { unicode } from "../support/unicode.ts";

const none = { next: null, last: null, hasNext: false };

describe("a header as operators send it", () => {
  test.each([
    ["next first", '<https://s.test/a?page=2>; rel="next", <https://s.test/a?page=9>; rel="last"'],
    ["last first", '<https://s.test/a?page=9>; rel="last", <https://s.test/a?page=2>; rel="next"'],
    [
      "all four, in the order of another",
      '<https://s.test/a?page=1>; rel="prev", <https://s.test/a?page=2>; rel="next", <https://s.test/a?page=9>; rel="last", <https://s.test/a?page=1>; rel="first"',
    ],
    ["an unquoted rel", "<https://s.test/a?page=2>; rel=next, <https://s.test/a?page=9>; rel=last"],
    ["many blanks", ' <https://s.test/a?page=2> ;\t rel = "next" ,  <https://s.test/a?page=9> ; rel = last '],
    [
      "several relations in one value",
      '<https://s.test/a?page=2>; rel="prefetch next", <https://s.test/a?page=9>; rel="last\tup"',
    ],
    [
      "other parameters around",
      '<https://s.test/a?page=2>; title="x"; rel="next"; foo, <https://s.test/a?page=9>; foo; rel="last"; type=a',
    ],
    [
      "commas and semicolons in quotes",
      '<https://s.test/a?page=2>; title="a, <https://s.test/a?page=7>; rel=next; b"; rel="next", <https://s.test/a?page=9>; title=";,;,"; rel="last"',
    ],
    [
      "escaped quotes in quotes",
      String.raw`<https://s.test/a?page=2>; title="\", <https://s.test/a?page=7>; rel=\"next\" \\"; rel="next", <https://s.test/a?page=9>; rel="last"`,
    ],
    [
      "commas and semicolons in the address",
      '<https://s.test/a?x=1,2;3&page=2>; rel="next", <https://s.test/a;b,c?page=9>; rel="last"',
    ],
    ["relative addresses", '</a?page=2>; rel="next", <//other.test:99/b?page=9>; rel="last"'],
    [
      "another scheme, port and user info",
      '<javascript:x?page=2>; rel="next", <ftp://octo:pw@evil.test:99/x?page=9>; rel="last"',
    ],
    [
      "empty list members",
      ', ,<https://s.test/a?page=2>; rel="next",,, <https://s.test/a?page=9>; rel="last",',
    ],
    [
      "a repeated rel, of which the first counts",
      "<?page=2>; rel=next; rel=last, <?page=9>; rel=last; rel=next",
    ],
    [
      "a repeated relation, of which the first counts",
      "<?page=2>; rel=next, <?page=3>; rel=next, <?page=9>; rel=last, <?page=8>; rel=last",
    ],
  ])("%s", (_, header) => {
    expect(readLink(header)).toMatchObject({ next: 2, last: 9, hasNext: true });
  });

  test("without a header there is one page", () => {
    expect(readLink(undefined)).toMatchObject(none);
    expect(readLink("")).toMatchObject(none);
  });

  test("the last page has no next page", () => {
    expect(readLink('<?page=1>; rel="first", <?page=8>; rel="prev"')).toMatchObject(none);
    expect(readLink('<?page=9>; rel="last"')).toMatchObject({ next: null, last: 9, hasNext: false });
  });
});

describe("a next page without a number", () => {
  test.each([
    "<>",
    "<https://s.test/a>",
    "<https://s.test/a?page=>",
    "<https://s.test/a?page=0>",
    "<https://s.test/a?page=-2>",
    "<https://s.test/a?page=%2B2>",
    "<https://s.test/a?page=2e3>",
    "<https://s.test/a?page=2%00>",
    "<https://s.test/a?page=2 >",
    "<https://s.test/a?page=٢>",
    "<https://s.test/a?page=99999999999999999999999999>",
    "<https://s.test/a?Page=2>",
    "<https://s.test/a?x=1#page=2>",
    "<https://s.test/a/page=2>",
    "<https://s.test/a?cursor=abc>",
  ])("still counts as a next page, so the list is not taken for complete: %s", (target) => {
    expect(readLink(`${target}; rel="next"`)).toMatchObject({ next: null, last: null, hasNext: true });
  });
});

describe("text that resembles a relation", () => {
  test.each([
    '<?page=2>; rel="nextish"',
    '<?page=2>; rel="no-next"',
    '<?page=2>; title="next"',
    '<?page=2>; title="; rel=next"',
    "<?page=2>; relation=next",
    "<?page=2>; rel; rel=next",
    "<?page=2>; rel=prev; rel=next",
    "<?page=2> rel=next-of-kin",
    "<?page=2>, rel=next",
    '<?page=2>; rel="prev", rel="next"',
  ])("is ignored: %s", (header) => {
    expect(readLink(header).hasNext).toBe(false);
  });

  test.each(["__proto__", "constructor", "toString"])(
    "a relation named %s is handled like any other",
    (name) => {
      expect(readLink(`<?page=2>; rel="${name}"`)).toMatchObject(none);
      expect(readLink(`<?page=2>; rel="${name} next"`).next).toBe(2);
    },
  );
});

describe("hostile text", () => {
  const anyHeader = oneof(
    unicode({ maxLength: 200 }),
    array(
      constantFrom(
        "<",
        ">",
        '"',
        "\\",
        ",",
        ";",
        "=",
        " ",
        "rel",
        "next",
        "last",
        "?page=",
        "&",
        "#",
        "2",
        "-",
        "x",
      ),
      { maxLength: 60 },
    ).map((parts) => parts.join("")),
  );

  test("never throws, and returns only positive integers", () => {
    assert(
      property(anyHeader, (header) => {
        const { next, last, hasNext } = readLink(header);
        for (const page of [next, last])
          expect(page === null || (Number.isSafeInteger(page) && page > 0)).toBe(true);
        expect(hasNext || next === null).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  // At this length, quadratic time takes minutes and linear time takes milliseconds.
  test.each(["<", '"', "<>,", '<>;"', '<>; rel="', "<?page=2>; rel=prev, ", "<?&page", "<>; a=b; ", '\\"'])(
    "%s, repeated, is parsed in linear time",
    { tags: "soak" },
    (pattern) => {
      const readMany = (size: number): void => {
        readLink(pattern.repeat(size / pattern.length));
        readLink(`<?page=2>; rel="${pattern.repeat(size / pattern.length)}`);
        readLink(`<?${pattern.repeat(size / pattern.length)}>; rel=next`);
      };
      expectLinear(readMany, inFull(8_000, 100_000));
    },
  );
});

describe("generated headers", () => {
  const relation = constantFrom("next", "last", "prev", "first", "up");
  const link = record({
    relations: uniqueArray(relation, { minLength: 1, maxLength: 3 }),
    page: integer({ min: 1, max: 999_999_999 }),
    other: option(string({ unit: "binary-ascii", maxLength: 12 })),
    title: option(string({ unit: "grapheme-ascii", maxLength: 20 })),
    isTitleFirst: boolean(),
    isQuoted: boolean(),
    gap: constantFrom("", " ", "\t "),
  });

  test("are parsed back to their parts", () => {
    assert(
      property(array(link, { maxLength: 6 }), constantFrom(",", ", ", " ,\t", ", ,"), (links, separator) => {
        const header = links
          .map(({ relations, page, other, title, isTitleFirst, isQuoted, gap }) => {
            const query = new URLSearchParams({
              ...(other === null ? {} : { q: other }),
              page: String(page),
            });
            const value =
              isQuoted || relations.length > 1 ? `"${relations.join(" ")}"` : (relations[0] ?? "");
            const rel = `;${gap}rel=${value}`;
            const named =
              title === null ? "" : `;${gap}title="${title.replaceAll(/["\\]/g, (mark) => `\\${mark}`)}"`;
            return `<https://s.test/x,y;z?${query.toString()}>${isTitleFirst ? named + rel : rel + named}`;
          })
          .join(separator);
        const pageOf = (name: string): number | null =>
          links.find(({ relations }) => relations.some((other) => other === name))?.page ?? null;
        expect(readLink(header)).toMatchObject({
          next: pageOf("next"),
          last: pageOf("last"),
          hasNext: pageOf("next") !== null,
        });
      }),
      { numRuns: 1000 },
    );
  });
});

test.each([
  ["a?page=9 <?page=2>; rel=next", 2, null],
  ['<?page=2&a=">; rel=next, <?page=9>; rel=last', 2, 9],
  ["<?page=2>; rel=next; a=<, b?page=7 <?page=3>; rel=last", 2, 3],
  ['<?page=2>; rel="=next"', null, null],
  ['<?page=2>; rel=ne"xt', null, null],
  ['<?page=2>; rel="ne"xt', null, null],
])("%s: next is %s, last is %s", (header, next, last) => {
  expect(readLink(header)).toMatchObject({ next, last, hasNext: next !== null });
});

test.each([
  [undefined, false],
  ["", false],
  [" \t", false],
  ["no link", true],
  ["<?page=2", true],
  ["?page=2>; rel=next", true],
  ["<?page=2>", false],
  ["<?page=2>; rel=next", false],
  ["x, <?page=2>; rel=next", false],
])("%j has no readable link: %s", (header, isUnreadable) => {
  expect(readLink(header).isUnreadable).toBe(isUnreadable);
});
