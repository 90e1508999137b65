// Lists of the REST API, one page at a time, with a `Link` header to the other pages (RFC 8288).
//
// A list counts its rows and reads a range of them. GraphQL's connections read the same lists. Integers in a query are parsed as leniently as by real operators: an invalid one counts as not sent, and no
// query is an error.
import { type ServiceResponse, json } from "../http/response.ts";
import type { SandboxRequest } from "../http/request.ts";
import type { HandlerContext } from "./operation.ts";

export interface Rows<Row> {
  count(): number;
  list(limit: number, offset: number): readonly Row[];
}

export function pageResponse<Row>(
  { baseUrl }: HandlerContext,
  request: SandboxRequest,
  rows: Rows<Row>,
  represent: (row: Row) => unknown,
): ServiceResponse {
  const page = readPage(request.query);
  const link = createLinkHeader(baseUrl + request.path, request.query, page, rows.count());
  return json(
    200,
    rows.list(page.size, (page.number - 1) * page.size).map((row) => represent(row)),
    link === null ? {} : { Link: link },
  );
}

const unknownApplicationId = 0;

/**
 * The ID of the application in the query's `client_id`; null if it is not sent or not supported. The list of an unknown
 * application is empty.
 */
export function readApplicationFilter(
  { store, behaviour }: HandlerContext,
  { query }: SandboxRequest,
): number | null {
  const clientId = behaviour.isCurrent ? new URLSearchParams(query).get("client_id") : null;
  if (clientId === null || clientId === "") return null;
  return store.applications.findByClientId(clientId)?.id ?? unknownApplicationId;
}

/** The rows of an array. */
export function rowsOf<Row>(array: readonly Row[]): Rows<Row> {
  return { count: () => array.length, list: (limit, offset) => array.slice(offset, offset + limit) };
}

interface Page {
  readonly number: number;
  readonly size: number;
}

const defaultPageSize = 30;
const maxPageSize = 100;
/** Keeps the product of number and size an exact integer. */
const maxPageNumber = 2 ** 40;

/** The requested page. Invalid numbers count as not sent; larger sizes than the maximum are reduced to it. */
function readPage(query: string): Page {
  const parameters = new URLSearchParams(query);
  return {
    number: Math.min(readPositive(parameters.getAll("page").at(-1)) ?? 1, maxPageNumber),
    size: Math.min(readPositive(parameters.getAll("per_page").at(-1)) ?? defaultPageSize, maxPageSize),
  };
}

/** Null if everything fits on one page. Links repeat the query's other parameters. `url` has no query. */
function createLinkHeader(url: string, query: string, page: Page, total: number): string | null {
  const last = Math.ceil(total / page.size);
  if (last <= 1) return null;
  const links: string[] = [];
  const add = (relation: string, number: number): void => {
    const parameters = new URLSearchParams(query);
    parameters.delete("page");
    parameters.set("page", String(number));
    links.push(`<${url}?${parameters.toString()}>; rel="${relation}"`);
  };
  if (page.number < last) {
    add("next", page.number + 1);
    add("last", last);
  }
  if (page.number > 1) {
    add("first", 1);
    add("prev", Math.min(page.number - 1, last));
  }
  return links.join(", ");
}

function readPositive(text: string | undefined): number | null {
  const number = Number.parseInt(text ?? "", 10);
  return number > 0 ? number : null;
}
