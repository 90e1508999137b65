// The text of a query: reads it, and finds out without a schema whether it may change something and can be paged.
import type { Context } from "../../run/context.ts";
import { usageFailure } from "../../errors/errors.ts";
import { readText } from "../api/fields.ts";

/** The query with its strings and comments blanked, so that only GraphQL's own words are left. */
function withoutTexts(query: string): string {
  return query.replaceAll(/"""(?:\\"""|[^])*?(?:"""|$)|"(?:\\.|[^"\\\n])*"?|#[^\n\r]*/g, (text) =>
    text.replaceAll(/[^\n]/g, " "),
  );
}

/** Whether a document holds an operation that may change something: a mutation outside of all braces. */
export function mayChangeSomething(query: string): boolean {
  let depth = 0;
  for (const [token] of withoutTexts(query).matchAll(/[{}]|\bmutation\b/g)) {
    if (token === "{") depth += 1;
    else if (token === "}") depth -= 1;
    else if (depth <= 0) return true;
  }
  return false;
}

/** Throws a usage failure for a query that --paginate cannot walk page by page. */
export function checkPageable(query: string): void {
  const text = withoutTexts(query);
  const asks = ["pageInfo", "hasNextPage", "endCursor"].every((name) =>
    new RegExp(String.raw`(?<![$\w])${name}\b`).test(text),
  );
  if (asks && /\$endCursor\s*:/.test(text)) return;
  throw usageFailure(
    "--paginate needs a query that takes $endCursor and asks for pageInfo { hasNextPage endCursor }",
    "query($endCursor: String) { … (after: $endCursor) { … pageInfo { hasNextPage endCursor } } }",
  );
}

/** A line of the query with a mark below one column, both counted from 1; null where the query has no such place. */
export function markPlace(
  query: string,
  line: number,
  column: number,
): readonly [text: string, mark: string] | null {
  const text = query.split(/\r\n|\r|\n/)[line - 1];
  if (text === undefined || column < 1 || column > text.length + 1) return null;
  // Only the part of a long line around the mark, so that the mark is on the screen.
  const start = Math.max(0, column - 1 - mostBefore);
  const near = text.slice(start, start + mostBefore * 2);
  // A tab is one column of the query, but several columns of the terminal.
  return [near.replaceAll("\t", " "), `${" ".repeat(column - 1 - start)}^`];
}

/** The most columns to show in front of the mark. */
const mostBefore = 60;

/** The query from the argument, a file or standard input. Throws a usage failure where there is none. */
export async function readQuery(given: string | undefined, context: Context): Promise<string> {
  const hint = "grantctl graphql '{ viewer { login } }'; -f and -F are the query's variables";
  if (given === undefined && context.standardInput.isTerminal) {
    throw usageFailure("there is no query", hint);
  }
  const name =
    given === undefined ? "-" : given.startsWith("@") ? given.slice(1) : given === "-" ? "-" : null;
  const query = name === null ? (given ?? "") : await readText(name, "the query", context);
  if (query.trim() === "") throw usageFailure("the query is empty", hint);
  return query.replace(/^\uFEFF/, "");
}
