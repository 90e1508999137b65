// Sends a query: once, or once for each page.
import type { Context } from "../../run/context.ts";
import { Failure } from "../../errors/errors.ts";
import { toJson } from "../../json/exact-json.ts";
import { brokenOff } from "../../http/broken-list.ts";
import { readAnswer, type Exchange, type Service } from "../../http/service.ts";
import { sendOrWait, type ApprovalOptions } from "../api/approval.ts";
import { checkAnswer, nextPageOf, type GraphqlAnswer } from "./answer.ts";
import { mayChangeSomething } from "./query-text.ts";

export type Variables = Readonly<Record<string, unknown>>;

export interface QueryOptions extends ApprovalOptions {
  readonly query: string;
  readonly variables: Variables;
  readonly operationName?: string;
  readonly path: string;
}

const maxPages = 100_000;

/** Sends a query and checks its answer. A query without a mutation is a read, and is retried like any other. */
export async function sendQuery(
  service: Service,
  options: QueryOptions,
  context: Context,
): Promise<GraphqlAnswer> {
  const { query, variables, operationName, path } = options;
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
      isRead: !mayChangeSomething(query),
    });
  return readAnswer(await sendOrWait(send, options, context), [200], checkAnswer);
}

/** Yields every page, one after the other, because each has the next one's cursor. Throws for pages without an end. */
export async function* sendPages(
  ask: (variables: Variables) => Promise<GraphqlAnswer>,
): AsyncGenerator<GraphqlAnswer, void, undefined> {
  const seen = new Set<string>();
  let cursor: string | null = null;
  for (let page = 1; page <= maxPages; page += 1) {
    let answer: GraphqlAnswer;
    try {
      answer = await ask({ endCursor: cursor });
    } catch (error) {
      throw brokenOff(error, { pages: page - 1 });
    }
    yield answer;
    const next = nextPageOf(answer.data);
    // A first page without `pageInfo` may have no list at all, because the object around it can be null.
    if (next.kind === "end" || (next.kind === "absent" && page === 1)) return;
    if (next.kind !== "cursor") throw endless(page, "an answer does not say where its next page begins");
    ({ cursor } = next);
    if (seen.has(cursor)) throw endless(page);
    seen.add(cursor);
  }
  throw endless(maxPages);
}

function endless(pages: number, why = "the pages of the query do not come to an end"): unknown {
  return brokenOff(new Failure("protocol", why), { pages });
}
