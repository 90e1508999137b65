// `grantctl api --paginate`: the pages of any list, fetched side by side and printed in order as one array.
import type { Context } from "../../run/context.ts";
import { Failure, usageFailure } from "../../errors/errors.ts";
import { readItems, type JsonItem, type JsonItems } from "../../json/items.ts";
import { pageOf, walkPages } from "../../http/pages.ts";
import type { HttpAnswer } from "../../http/request.ts";
import { readAnswerAs, type Exchange, type RawCall, type Service } from "../../http/service.ts";
import { watchPages } from "../../lists/paging.ts";
import { sendOrWait, type ApprovalOptions } from "./approval.ts";

interface PagesOptions extends ApprovalOptions {
  /** Each page is one item of the array. */
  readonly slurp?: true;
}

const itemsAPage = "100";

/** Prints every page. Throws where the list breaks off, and leaves the array open. */
export async function printPages(
  service: Service,
  call: RawCall,
  options: PagesOptions,
  context: Context,
): Promise<void> {
  const given = new URLSearchParams(call.path.split("?").slice(1).join("?"));
  if (given.has("page") || call.query.some(([name]) => name === "page"))
    throw usageFailure("--paginate fetches every page: leave page out");
  const asksForSize = given.has("per_page") || call.query.some(([name]) => name === "per_page");
  const fetchPage = (page: number): Promise<Exchange> =>
    service.exchangeRaw({
      ...call,
      query: [
        ...call.query,
        ...(asksForSize ? [] : [["per_page", itemsAPage] as const]),
        ...(page === 1 ? [] : [["page", String(page)] as const]),
      ],
    });
  const paging = watchPages(
    { limit: null, perPage: 0, page: null, concurrency: context.options.concurrency },
    context,
  );
  let isOfArrays = false;
  /** The number of items by the latest answer that named one: a list may shrink while it is read. */
  let announced = 0;
  let came = 0;
  const itemsOf = (body: JsonItems, page: number): readonly JsonItem<unknown>[] => {
    if (page === 1) isOfArrays = body.isArray;
    // Pages of one list are all arrays, or all objects.
    if (isOfArrays !== body.isArray) throw new TypeError(`page ${page} is not like the first one`);
    came += body.length;
    return body.items((item) => item);
  };
  const read = (bytes: Buffer): JsonItems => readItems(bytes, options.slurp === true);
  const pages = walkPages(call.subject, paging, async (page) => {
    const exchange = await sendOrWait(() => fetchPage(page), page === 1 ? options : {}, context);
    return pageOf(exchange.answer, () => {
      announced = totalIn(exchange.answer) ?? announced;
      return readAnswerAs(read, exchange, [200], (body) => itemsOf(body, page));
    });
  });
  const list = context.printer.openSentJsonList();
  for await (const items of pages) await list.add(items);
  if (isOfArrays && announced > came) {
    throw new Failure(
      "protocol",
      `${call.subject}: the list is incomplete, the service announced ${announced} items and gave ${came}`,
    );
  }
  await list.end();
}

/** The number of all items in a list; null where the service does not name it. */
function totalIn({ headers }: HttpAnswer): number | null {
  const total = headers["x-total-count"] ?? "";
  return /^\d{1,9}$/.test(total) ? Number(total) : null;
}
