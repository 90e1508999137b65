// GraphQL in `grantctl api graphql`, as in gh: fields other than the query are variables, errors in a response fail the
// run, and --paginate follows the cursor of `pageInfo` with the variable `endCursor`.
import { Failure, usageFailure } from "../../errors/errors.ts";
import type { Call } from "../../http/service.ts";
import { isObject, objectIn, toJson } from "../../json.ts";

type Fields = Readonly<Record<string, unknown>>;

export function isGraphql({ method, template }: Pick<Call, "method" | "template">): boolean {
  return method === "POST" && /(?:^|\/)graphql$/.test(template);
}

/** Fields are variables, and a query that does not contain the word `mutation` may be sent again. */
export function graphqlCall(given: Call["body"] = {}): Pick<Call, "body" | "isRead"> {
  const { query, operationName, ...variables } = fieldsOf(given);
  if (query === undefined)
    throw usageFailure("a GraphQL request needs a query", "Add it with -f 'query={ viewer { login } }'.");
  const isRead = typeof query === "string" && !/\bmutation\b/.test(query);
  return { body: typeof given === "string" ? given : { query, operationName, variables }, isRead };
}

/** The failure with the messages of the errors in a response; null for any other response. */
export function failureIn(body: Buffer): Failure | null {
  const { errors } = objectIn(body);
  if (!Array.isArray(errors) || errors.length === 0) return null;
  const messages = errors.map((error: unknown) =>
    isObject(error) && typeof error["message"] === "string" ? error["message"] : toJson(error, 0),
  );
  return new Failure("refused", messages.join("; "));
}

/** The body for the next page; null after the last one. Throws if the response has no new cursor. */
export function nextBody(call: Call, response: Buffer, cursors: Set<string>): Fields | null {
  const info = findPageInfo(objectIn(response)["data"]);
  if (info?.["hasNextPage"] === false) return null;
  const endCursor = info?.["endCursor"];
  if (typeof endCursor !== "string" || cursors.has(endCursor))
    throw new Failure("protocol", "a response has no new cursor for the next page", {
      hint: "With --paginate, the query must accept `$endCursor: String` and select `pageInfo { hasNextPage endCursor }`.",
    });
  cursors.add(endCursor);
  const fields = fieldsOf(call.body);
  const variables = isObject(fields["variables"]) ? fields["variables"] : {};
  return { ...fields, variables: { ...variables, endCursor } };
}

function fieldsOf(body: Call["body"] = {}): Fields {
  return typeof body === "string" ? objectIn(Buffer.from(body)) : body;
}

function findPageInfo(value: unknown): Fields | null {
  if (typeof value !== "object" || value === null) return null;
  const own = "pageInfo" in value ? value.pageInfo : null;
  if (isObject(own) && typeof own["hasNextPage"] === "boolean") return own;
  for (const inner of Object.values(value)) {
    const found = findPageInfo(inner);
    if (found !== null) return found;
  }
  return null;
}
