// `grantctl api graphql`, as users of gh write it: the fields beside the query are its variables, and errors are no
// success, although GraphQL tells them with a 200.
import { isObject, readJson } from "../../json/exact-json.ts";
import type { RawCall } from "../../http/service.ts";
import type { Context } from "../../run/context.ts";

/** Whether GraphQL answers there. */
export function isGraphql({ method, path }: Pick<RawCall, "method" | "path">): boolean {
  return method === "POST" && /^\/?graphql$/.test(path);
}

/** What stands beside the variables. */
const ownNames: ReadonlySet<string> = new Set(["query", "operationName"]);

/** The fields as GraphQL takes them. */
export function withVariables(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(fields);
  const own = Object.fromEntries(entries.filter(([name]) => ownNames.has(name)));
  const variables = Object.fromEntries(entries.filter(([name]) => !ownNames.has(name)));
  return Object.keys(variables).length === 0 ? own : { ...own, variables };
}

/** Throws what the errors of an answer mean, after telling them; an answer of another shape is the user's matter. */
export async function checkErrors({ body: sent }: RawCall, body: Buffer, context: Context): Promise<void> {
  const { checkAnswer } = await import("../graphql/answer.ts");
  let errors: ReturnType<typeof checkAnswer>["errors"];
  try {
    ({ errors } = checkAnswer(readJson(body)));
  } catch {
    return;
  }
  if (errors === undefined || errors === null || errors.length === 0) return;
  const { failWith } = await import("../graphql/fail-with.ts");
  failWith(errors, { query: queryOf(sent ?? ""), pages: 0 }, context);
}

function queryOf(sent: string): string {
  try {
    const body = readJson(Buffer.from(sent));
    return isObject(body) && typeof body["query"] === "string" ? body["query"] : "";
  } catch {
    return "";
  }
}
