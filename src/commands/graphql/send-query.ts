// Sends a GraphQL query, page by page with --paginate, and turns errors in the response into a failure.
import * as v from "valibot";
import { sendOrWait, type ApprovalOptions } from "../api/approval.ts";
import { Failure, exitCodeOf, QuietExit } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { incompleteListFailure, describeIncompleteList } from "../../http/pages.ts";
import { readResponse, type Exchange, type Service } from "../../http/service.ts";
import { toJson, isObject } from "../../json/exact-json.ts";
import type { Notices } from "../../printing/notices.ts";
import type { Context } from "../../run/context.ts";

export type Variables = Readonly<Record<string, unknown>>;

interface QueryOptions extends ApprovalOptions {
  readonly query: string;
  readonly variables: Variables;
  readonly operationName?: string;
  readonly path: string;
  /** True without a mutation: the query is then retried like any other read. */
  readonly isRead: boolean;
}

const maxPages = 100_000;

export async function sendQuery(
  service: Service,
  options: QueryOptions,
  context: Context,
): Promise<GraphqlResponse> {
  const { query, variables, operationName, path, isRead } = options;
  const body = { query, variables, operationName };
  const send = (): Promise<Exchange> =>
    service.exchangeRaw({
      method: "POST",
      path,
      query: [],
      headers: { "Content-Type": "application/json; charset=utf-8" },
      body: toJson(body, 0),
      subject: "the query",
      isRefusedWithAnyStatus: true,
      isRead,
    });
  return readResponse(await sendOrWait(send, options, context), [200], checkResponse);
}

/** Yields all pages, sequentially because each holds the cursor of the next. Throws if the pages never end. */
export async function* sendPages(
  send: (variables: Variables) => Promise<GraphqlResponse>,
): AsyncGenerator<GraphqlResponse, void, undefined> {
  const seen = new Set<string>();
  let cursor: string | null = null;
  for (let page = 1; page <= maxPages; page += 1) {
    let response: GraphqlResponse;
    try {
      response = await send({ endCursor: cursor });
    } catch (error) {
      throw incompleteListFailure(error, { pages: page - 1 });
    }
    yield response;
    const info = findPageInfo(response.data);
    // A first page without `pageInfo` may have no list at all, because the object around it can be null.
    const isLast = info === null ? page === 1 : !info.hasNextPage;
    if (isLast) return;
    cursor = info?.endCursor ?? null;
    if (cursor === null) throw endlessPagesFailure(page, "a response has no cursor for the next page");
    if (seen.has(cursor)) throw endlessPagesFailure(page);
    seen.add(cursor);
  }
  throw endlessPagesFailure(maxPages);
}

function endlessPagesFailure(
  pages: number,
  why = "the server returned page after page without an end",
): unknown {
  return incompleteListFailure(new Failure("protocol", why), { pages });
}

const location = v.looseObject({ line: v.number(), column: v.number() });
const error = v.looseObject({ message: v.string(), locations: v.nullish(v.array(location)) });
const response = v.pipe(
  v.looseObject({ data: v.optional(v.unknown()), errors: v.nullish(v.array(error)) }),
  v.check(({ data, errors }) => data !== undefined || (errors ?? []).length > 0),
);

export type GraphqlError = v.InferOutput<typeof error>;
export type GraphqlResponse = v.InferOutput<typeof response>;

/** Validates a response body and returns it unchanged; throws if it is not a GraphQL response. */
function checkResponse(body: unknown): GraphqlResponse {
  v.assert(response, body);
  // Not valibot's output, which has the fields in another order.
  return body;
}

/** Parses the errors of a response leniently, and keeps as much of each as can be shown. */
export function readErrors(found: readonly unknown[]): readonly GraphqlError[] {
  return found.map((one) => {
    const checked = v.safeParse(error, one);
    if (checked.success) return checked.output;
    const { message, type, extensions } = isObject(one) ? one : {};
    return { message: typeof message === "string" ? message : toJson(one, 0), type, extensions };
  });
}

/** True if this error is a rate limit, in the form of GitHub or of Apollo. */
function isRateLimit({ type, extensions }: GraphqlError): boolean {
  const code = v.safeParse(v.looseObject({ code: v.string() }), extensions);
  return [type, code.success ? code.output.code : null].includes("RATE_LIMITED");
}

/** Prints each error with its position, followed by the line of the query and a caret. */
function reportErrors(errors: readonly GraphqlError[], query: string, notices: Notices): void {
  for (const { message, locations } of errors) {
    const [first] = locations ?? [];
    notices.show(
      `grantctl: ${foreign(message)}${first === undefined ? "" : ` (${first.line}:${first.column})`}`,
    );
    const marked = first === undefined ? null : markPosition(query, first.line, first.column);
    for (const line of marked ?? []) notices.show(`  ${foreign(line)}`);
  }
}

/** A line of the query with a caret below a column (both 1-based); null if the position is out of range. */
export function markPosition(
  query: string,
  line: number,
  column: number,
): readonly [text: string, mark: string] | null {
  const text = query.split(/\r\n|\r|\n/)[line - 1];
  if (text === undefined || column < 1 || column > text.length + 1) return null;
  // Show only the part of a long line around the caret, so that it is on the screen.
  const start = Math.max(0, column - 1 - mostBefore);
  const near = text.slice(start, start + mostBefore * 2);
  // A tab is one column of the query, but several columns of the terminal.
  return [near.replaceAll("\t", " "), `${" ".repeat(column - 1 - start)}^`];
}

/** The maximum number of columns before the caret. */
const mostBefore = 60;

const pageInfo = v.looseObject({ hasNextPage: v.boolean(), endCursor: v.nullish(v.string()) });

function findPageInfo(value: unknown): v.InferOutput<typeof pageInfo> | null {
  if (typeof value !== "object" || value === null) return null;
  const own = v.safeParse(pageInfo, "pageInfo" in value ? value.pageInfo : undefined);
  if (own.success) return own.output;
  for (const inner of Object.values(value)) {
    const found = findPageInfo(inner);
    if (found !== null) return found;
  }
  return null;
}

/** Prints the errors and the number of pages before them, and throws the failure that ends the run. */
export function throwErrors(
  errors: readonly GraphqlError[],
  { query, pages }: { readonly query: string; readonly pages: number },
  { notices, printer }: Context,
): never {
  const kind = errors.some(isRateLimit) ? "rate-limited" : "refused";
  if (printer.isJson) {
    const messages = errors.map(({ message }) => message).join("; ");
    throw incompleteListFailure(new Failure(kind, messages), { pages });
  }
  reportErrors(errors, query, notices);
  if (pages > 0) notices.show(`grantctl: ${describeIncompleteList({ pages })}`);
  throw new QuietExit(exitCodeOf(kind));
}
