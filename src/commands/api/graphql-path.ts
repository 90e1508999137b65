// `grantctl api graphql`, as in `gh`: the fields besides the query are its variables, and an answer with errors is a
// failure, although GraphQL sends it with status 200.
import { isObject, readJson } from "../../json/exact-json.ts";
import type { RawCall } from "../../http/service.ts";
import type { GraphqlError } from "../graphql/answer.ts";

/** Whether a request goes to the GraphQL API. */
export function isGraphql({ method, path }: Pick<RawCall, "method" | "path">): boolean {
  return method === "POST" && /(?:^|\/)graphql$/.test(path);
}

/** The fields that are no variables. */
const ownNames: ReadonlySet<string> = new Set(["query", "operationName"]);

/** The body of a GraphQL request with these fields. The fields of an object `variables` are variables, too. */
export function withVariables(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { variables: given, ...others } = fields;
  const entries = Object.entries(others);
  const own = Object.fromEntries(entries.filter(([name]) => ownNames.has(name)));
  const beside = Object.fromEntries(entries.filter(([name]) => !ownNames.has(name)));
  const inside = isObject(given) || given === undefined ? given : { variables: given };
  const variables = { ...inside, ...beside };
  return Object.keys(variables).length === 0 ? own : { ...own, variables };
}

/** The errors in an answer; none for an answer that is not GraphQL's. */
export async function errorsIn(body: Buffer): Promise<readonly GraphqlError[]> {
  const answer = objectIn(body);
  if (!Array.isArray(answer["errors"]) || answer["errors"].length === 0) return [];
  const { readErrors } = await import("../graphql/answer.ts");
  return readErrors(answer["errors"]);
}

/** The query in a body, whose lines and columns errors name; empty where there is none. */
export function queryIn(body: string | null): string {
  const { query } = objectIn(Buffer.from(body ?? ""));
  return typeof query === "string" ? query : "";
}

function objectIn(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value = readJson(body);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
