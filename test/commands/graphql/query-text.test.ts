// Facts about a query without its schema: possible changes, variables, and the text at a position.
import { describe, expect, test } from "vitest";
import { checkPageable, mayChangeSomething } from "../../../src/commands/graphql/graphql.ts";
import { markPosition } from "../../../src/commands/graphql/send-query.ts";

describe("read-only queries, including those that contain the word mutation", () => {
  test.each([
    ["{ viewer { login } }"],
    ["query Q { viewer { login } }"],
    ["{ mutation { login } }"],
    ['{ a(x: "mutation {") { b } }'],
    ['{ a(x: "\\" mutation") }'],
    ["# mutation { x }\n{ a }"],
    ["{ a } # }\r# mutation"],
    ['"""\nmutation { "x" }\n"""\n{ a }'],
    ['{ a(x: """ " \\""" } mutation { """) }'],
    ["{ mutation: viewer { id } }"],
    ["query($x: In = {mutation: 1}) { a(x: $x) }"],
    ["query mutations { a }"],
    ['{ a(x: "") b(y: "") }'],
    ["subscription { a }"],
  ])("%j", (query) => {
    expect(mayChangeSomething(query)).toBe(false);
  });
});

describe("mutations anywhere in a document", () => {
  test.each([
    ["mutation { a }"],
    ["  \n,mutation($x: Int) { a(x: $x) }"],
    ["\ufeffmutation{a}"],
    ["query Q { a } mutation M { b }"],
    ["fragment F on X { a } mutation M { ...F }"],
    ["# { \nmutation { a }"],
    ['# "\rmutation { a }'],
    ['query Q { a(x: "{") } mutation M { b }'],
    ['query Q { a(x: """{""") } mutation M { b }'],
    ['query Q { a(x: "\\\\") } mutation M { b }'],
    // Not valid GraphQL, so servers may parse it in any way.
    ["} mutation { a }"],
    ["{ a } } mutation { b }"],
  ])("%j", (query) => {
    expect(mayChangeSomething(query)).toBe(true);
  });
});

describe("queries that support pagination", () => {
  const info = "pageInfo { hasNextPage endCursor }";

  test.each([
    [`query($endCursor: String) { a(after: $endCursor) { ${info} } }`],
    [`query($n: Int, $endCursor :String) { a { ...P } } fragment P on A { ${info} }`],
  ])("%j", (query) => {
    expect(() => {
      checkPageable(query);
    }).not.toThrow();
  });

  test.each([
    [`{ a { ${info} } }`],
    [`query($endCursors: String) { a { ${info} } }`],
    [`{ a(x: "$endCursor: String") { ${info} } }`],
    ["query($endCursor: String) { a { pageInfo { hasNextPage } } }"],
    [`query($endCursor: String) { a } # ${info}`],
  ])("exclude %j", (query) => {
    expect(() => {
      checkPageable(query);
    }).toThrow(/--paginate requires/);
  });
});

describe("the marked position in a query", () => {
  test.each([
    ["{ a }", 1, 3, ["{ a }", "  ^"]],
    ["{\r\n  a\r\n}", 2, 3, ["  a", "  ^"]],
    ["{\n\n  a\n}", 3, 3, ["  a", "  ^"]],
    ["{\r\ta\r}", 2, 2, [" a", " ^"]],
    ["{ a", 1, 4, ["{ a", "   ^"]],
    ["{ a }", 1, 7, null],
    ["{ a }", 2, 1, null],
    ["{ a }", 0, 1, null],
    ["{ a }", 1, 0, null],
    ["{ a }", -1, -1, null],
    ["{ a }", 1.5, 1, null],
    ["{ a }", 1e300, 1e300, null],
  ])("%j at %d:%d", (query, line, column, expected) => {
    expect(markPosition(query, line, column)).toEqual(expected);
  });

  test("shows only the text near the position in a very long line", () => {
    const query = `{ ${"a ".repeat(5000)}X ${"b ".repeat(5000)}}`;
    const [text = "", mark = ""] = markPosition(query, 1, query.indexOf("X") + 1) ?? [];
    expect(text.length).toBeLessThanOrEqual(120);
    expect(text[mark.length - 1]).toBe("X");
  });
});
