// Lists of the REST API, one page at a time, with the `Link` header to the other pages (RFC 8288).
//
// A list is a source, which counts rows, reads some of them, and represents one. GraphQL's connections read the same
// sources. Integers in a query are parsed as leniently as by real operators: an invalid one counts as not sent, and a
// query is never an error.
//
// A list whose rows are the same for every caller may write each row as JSON once (`writeItem`) and remember the bytes.
// Their format must be exactly that of the server's JSON.
import { type ServiceResponse, json } from "../http/response.ts";
import type { SandboxRequest } from "../http/request.ts";
import type { HandlerOptions } from "./operation.ts";

/** Counts the rows, reads some of them, and represents one. */
export interface ListSource<Row> {
  count(): number;
  list(limit: number, offset: number): readonly Row[];
  represent(row: Row): unknown;
}

/** A list whose rows are written as JSON once and remembered. */
interface WrittenSource<Row> extends Pick<ListSource<Row>, "count" | "list"> {
  writtenOf(row: Row): Buffer;
}

/** The requested page, with links to the others. */
export function pageResponse<Row>(
  { baseUrl, perPage }: HandlerOptions,
  request: SandboxRequest,
  source: ListSource<Row> | WrittenSource<Row>,
): ServiceResponse {
  const page = readPage(request.query, perPage);
  const rows = source.list(page.size, offsetOf(page));
  const link = createLinkHeader(baseUrl + request.path, request.query, page, source.count());
  const headers = link === null ? {} : { Link: link };
  if ("writtenOf" in source) {
    const written = writeArray(rows.map((row) => source.writtenOf(row)));
    return { status: 200, headers, body: undefined, written };
  }
  return json(
    200,
    rows.map((row) => source.represent(row)),
    headers,
  );
}

const noApplication = 0;

/**
 * The ID of the application in the query's `client_id`, if lists support it; null for the whole list. The list of an
 * unknown application is empty.
 */
export function listedApplication(
  { store, behaviour }: HandlerOptions,
  { query }: SandboxRequest,
): number | null {
  const clientId = behaviour.listsTakeClientId ? new URLSearchParams(query).get("client_id") : null;
  if (clientId === null || clientId === "") return null;
  return store.applications.findByClientId(clientId)?.id ?? noApplication;
}

/** A list of rows that are all in memory. */
export function listOf<Row>(rows: readonly Row[], represent: (row: Row) => unknown): ListSource<Row> {
  return {
    count: () => rows.length,
    list: (limit, offset) => rows.slice(offset, offset + limit),
    represent,
  };
}

export interface Page {
  readonly number: number;
  readonly size: number;
}

const largestSize = 100;
/** Keeps number times size an exact integer. */
const largestNumber = 2 ** 40;

/** The page that a query requests. Invalid numbers count as not sent; sizes are 1 to 100. */
export function readPage(query: string, defaultSize: number): Page {
  const parameters = new URLSearchParams(query);
  return {
    number: Math.min(readPositive(parameters.getAll("page").at(-1)) ?? 1, largestNumber),
    size: Math.min(readPositive(parameters.getAll("per_page").at(-1)) ?? defaultSize, largestSize),
  };
}

/** How many rows come before a page. */
export function offsetOf(page: Page): number {
  return (page.number - 1) * page.size;
}

/**
 * The `Link` header of a list (RFC 8288), or none when everything fits on one page. Repeats the query's other
 * parameters. `address` is the list's own, without a query.
 */
function createLinkHeader(address: string, query: string, page: Page, total: number): string | null {
  const last = Math.ceil(total / page.size);
  if (last <= 1) return null;
  const links: string[] = [];
  const add = (relation: string, number: number): void => {
    const parameters = new URLSearchParams(query);
    parameters.delete("page");
    parameters.set("page", String(number));
    links.push(`<${address}?${parameters.toString()}>; rel="${relation}"`);
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

/** One item of an array, with the comma in front of it. */
export function writeItem(item: unknown): Buffer {
  return Buffer.from(`,\n${JSON.stringify(item, null, 2)}`.replaceAll("\n", "\n  "));
}

/** An array of items that `writeItem` wrote. */
function writeArray(items: readonly Buffer[]): Buffer {
  const [first, ...others] = items;
  if (first === undefined) return Buffer.from("[]\n");
  return Buffer.concat([opening, first.subarray(1), ...others, closing]);
}

const opening = Buffer.from("[");
const closing = Buffer.from("\n]\n");
