// The text of a query: where it comes from, and what can be told of it without knowing the schema.
import type { Context } from "../../context.ts";
import { usageFailure } from "../../errors/errors.ts";
import { readText } from "../api/fields.ts";

/** The text with everything in strings and comments blanked, so that only the language's own words are left. */
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
    else if (depth === 0) return true;
  }
  return false;
}

/** Whether a document takes a variable of this name. */
export function takesVariable(query: string, name: string): boolean {
  return new RegExp(String.raw`\$${name}\s*:`).test(withoutTexts(query));
}

/** The line of a query with a mark under a column, both counted from 1; null where there is no such place. */
export function markPlace(
  query: string,
  line: number,
  column: number,
): readonly [text: string, mark: string] | null {
  const text = query.split(/\r\n|\r|\n/)[line - 1];
  if (text === undefined || column < 1 || column > text.length + 1) return null;
  // A tab is one column of the text, and several of the terminal.
  return [text.replaceAll("\t", " "), `${" ".repeat(column - 1)}^`];
}

/** The query as it was given, or from a file or standard input. Throws a usage failure where there is none. */
export async function readQuery(given: string | undefined, context: Context): Promise<string> {
  if (given === undefined && context.standardInput.isTerminal) {
    throw usageFailure("there is no query", "grantctl graphql '{ viewer { login } }'");
  }
  const name =
    given === undefined ? "-" : given.startsWith("@") ? given.slice(1) : given === "-" ? "-" : null;
  const query = name === null ? (given ?? "") : await readText(name, "the query", context);
  if (query.trim() === "") throw usageFailure("the query is empty");
  return query.replace(/^\uFEFF/, "");
}
