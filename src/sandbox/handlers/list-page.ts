// One page of a list as an answer: rows by ascending ID, and the `Link` header to the other pages.
import { json, type Answer } from "../http/answer.ts";
import { writeArray } from "../http/json-text.ts";
import { createLinkHeader, offsetOf, readPage } from "../http/pages.ts";
import type { SandboxRequest } from "../http/sandbox-request.ts";
import type { HandlerOptions } from "./handler-options.ts";

/** How to count the rows, to read some of them, and to represent one. */
export interface ListSource<Row> {
  count(): number;
  list(limit: number, offset: number): readonly Row[];
  represent(row: Row): unknown;
}

/** A list whose rows are written as JSON once and remembered. */
interface WrittenSource<Row> extends Pick<ListSource<Row>, "count" | "list"> {
  writtenOf(row: Row): Buffer;
}

/** The page that the query asks for, with the links to the others. */
export function answerPage<Row>(
  { baseUrl, perPage }: HandlerOptions,
  request: SandboxRequest,
  source: ListSource<Row> | WrittenSource<Row>,
): Answer {
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
 * The ID of the application in the query's `client_id`, where lists take that; null for the whole list. The list of an
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
