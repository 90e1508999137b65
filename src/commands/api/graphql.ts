// GraphQL in `grantctl api graphql`, as in gh: fields other than the query are variables, and errors in a response fail the
// run.
import { Failure, usageFailure } from "../../errors/errors.ts";
import type { Call } from "../../http/service.ts";
import { isObject, parseOrNull, toJson } from "../../json.ts";

/** True if a request goes to the GraphQL API. */
export function isGraphql({ method, template }: Pick<Call, "method" | "template">): boolean {
  return method === "POST" && /(?:^|\/)graphql$/.test(template);
}

/**
 * What distinguishes a request to the GraphQL API: its fields are variables, a query that does not contain the word
 * `mutation` may be sent again.
 */
export function graphqlCall(given: Call["body"] = {}): Pick<Call, "body" | "isRead"> {
  const { query, operationName, ...variables } = typeof given === "string" ? objectIn(given) : given;
  if (query === undefined)
    throw usageFailure("a GraphQL request needs a query", "Add it with -f 'query={ viewer { login } }'.");
  const isRead = typeof query === "string" && !/\bmutation\b/.test(query);
  return { body: typeof given === "string" ? given : { query, operationName, variables }, isRead };
}

/** The failure with the messages of the errors in a response; null for any other response. */
export function failureIn(body: Buffer): Failure | null {
  const { errors } = objectIn(body.toString("utf8"));
  if (!Array.isArray(errors) || errors.length === 0) return null;
  const messages = errors.map((error: unknown) =>
    isObject(error) && typeof error["message"] === "string" ? error["message"] : toJson(error, 0),
  );
  return new Failure("refused", messages.join("; "));
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  const value = parseOrNull(text);
  return isObject(value) ? value : {};
}
