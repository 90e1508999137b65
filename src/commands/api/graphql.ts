// GraphQL in `grantctl api graphql`, as in gh: fields other than the query are variables, errors in a response fail the
// run, and --paginate follows the cursor of `pageInfo` with the variable `endCursor`.
//
// A query that does not contain the word `mutation` changes nothing, so it is retried like any other read.
import * as v from "valibot";
import { Failure } from "../../errors/errors.ts";
import { incompleteListFailure } from "../../http/pages.ts";
import type { RawCall } from "../../http/service.ts";
import { isObject, readJson, toJson } from "../../json/exact-json.ts";

type Fields = Readonly<Record<string, unknown>>;

/** True if a request goes to the GraphQL API. */
export function isGraphql({ method, path }: Pick<RawCall, "method" | "path">): boolean {
  return method === "POST" && /(?:^|\/)graphql$/.test(path);
}

/** What distinguishes a request to the GraphQL API from others: it may be a read, and be refused with status 200. */
export function graphqlTraits(body: string | null): Pick<RawCall, "isRead" | "isRefusedWithAnyStatus"> {
  const { query } = objectIn(body ?? "");
  const isRead = typeof query === "string" && !/\bmutation\b/.test(query);
  return { isRead, isRefusedWithAnyStatus: true };
}

/** Fields of the GraphQL request itself, which are not variables. */
const ownNames: ReadonlySet<string> = new Set(["query", "operationName"]);

/** The body of a GraphQL request with these fields. The fields of an object `variables` also become variables. */
export function withVariables(fields: Fields): Fields {
  const { variables: given, ...others } = fields;
  const entries = Object.entries(others);
  const own = Object.fromEntries(entries.filter(([name]) => ownNames.has(name)));
  const beside = Object.fromEntries(entries.filter(([name]) => !ownNames.has(name)));
  const inside = isObject(given) || given === undefined ? given : { variables: given };
  const variables = { ...inside, ...beside };
  return Object.keys(variables).length === 0 ? own : { ...own, variables };
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

/** Fetches the pages one after another, and prints each. Throws if the last page was not seen. */
export async function walkCursor(
  call: RawCall,
  fetchPage: (call: RawCall) => Promise<Buffer>,
  print: (body: Buffer) => Promise<void>,
): Promise<void> {
  const request = objectIn(call.body ?? "");
  const cursors = new Set<string>();
  let cursor: string | null = null;
  for (let pages = 0; ;) {
    const variables = { ...(isObject(request["variables"]) ? request["variables"] : {}), endCursor: cursor };
    const next = cursor === null ? call : { ...call, body: toJson({ ...request, variables }, 0) };
    try {
      const body = await fetchPage(next);
      await print(body);
      pages += 1;
      const failure = failureIn(body);
      if (failure !== null) throw failure;
      const info = findPageInfo(objectIn(body)["data"]);
      if (info?.hasNextPage === false) return;
      cursor = nextCursor(info, cursors);
      cursors.add(cursor);
    } catch (error) {
      throw pages === 0 ? error : incompleteListFailure(error, { pages });
    }
  }
}

const pageInfo = v.looseObject({ hasNextPage: v.boolean(), endCursor: v.nullish(v.string()) });
type PageInfo = v.InferOutput<typeof pageInfo>;

function nextCursor(info: PageInfo | null, before: ReadonlySet<string>): string {
  const next = info?.endCursor ?? null;
  if (next !== null && !before.has(next)) return next;
  throw new Failure("protocol", "a response has no new cursor for the next page", {
    hint: "With --paginate, the query must accept `$endCursor: String` and select `pageInfo { hasNextPage endCursor }`.",
  });
}

function findPageInfo(value: unknown): PageInfo | null {
  if (typeof value !== "object" || value === null) return null;
  const own = v.safeParse(pageInfo, "pageInfo" in value ? value.pageInfo : undefined);
  if (own.success) return own.output;
  for (const inner of Object.values(value)) {
    const found = findPageInfo(inner);
    if (found !== null) return found;
  }
  return null;
}

function objectIn(body: Buffer | string): Fields {
  try {
    const value = readJson(Buffer.from(body));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
