// Lists in GraphQL: connections with edges, nodes and cursors, which lead from page to page. A cursor is the position
// of its row in the list, counted from 1.
import { GraphQLError } from "graphql";
import type { ListSource } from "../handlers/list-page.ts";

/** Which part of a list is asked for: the first or the last rows of those between two cursors. */
export interface ConnectionArguments {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly last?: number | null;
  readonly before?: string | null;
}

const defaultSize = 30;
export const largestSize = 100;

/** The part of a list that the arguments name, read when a field needs it. Throws a GraphQLError for a bad argument. */
export function connect<Row>(page: ConnectionArguments, source: ListSource<Row>): unknown {
  const { offset, size } = readPart(page, source);
  const edges = source.list(size, offset).map((row, index) => ({
    cursor: createCursor(offset + index + 1),
    node: source.represent(row),
  }));
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    totalCount: () => source.count(),
    pageInfo: {
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
      hasNextPage: () => offset + edges.length < source.count(),
      hasPreviousPage: offset > 0,
    },
  };
}

function readPart(
  { first = null, after = null, last = null, before = null }: ConnectionArguments,
  source: Pick<ListSource<unknown>, "count">,
): { readonly offset: number; readonly size: number } {
  checkSize("first", first);
  checkSize("last", last);
  if (first !== null && last !== null) {
    throw new GraphQLError('A page has either its "first" or its "last" rows, not both.');
  }
  const begin = after === null ? 0 : readCursor(after);
  const end = before === null ? Infinity : Math.max(readCursor(before) - 1, 0);
  if (last === null) return { offset: begin, size: Math.max(Math.min(first ?? defaultSize, end - begin), 0) };
  const realEnd = Math.min(end, source.count());
  const offset = Math.max(begin, realEnd - last);
  return { offset, size: Math.max(realEnd - offset, 0) };
}

function checkSize(name: "first" | "last", size: number | null): void {
  if (size !== null && (size < 1 || size > largestSize)) {
    throw new GraphQLError(`"${name}" must be from 1 to ${largestSize}, not ${size}.`);
  }
}

/** The cursor of the row at a position, from 1. */
export function createCursor(position: number): string {
  return Buffer.from(`cursor:${position}`).toString("base64");
}

function readCursor(cursor: string): number {
  const [, digits] = /^cursor:(\d{1,15})$/.exec(Buffer.from(cursor, "base64").toString("latin1")) ?? [];
  if (digits === undefined) {
    throw new GraphQLError(`${JSON.stringify(cursor)} does not appear to be a valid cursor.`);
  }
  return Number(digits);
}
