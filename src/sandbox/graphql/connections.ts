// Lists in GraphQL: connections with edges, nodes and cursors, which lead from page to page. A cursor says how many
// rows come before it, as the pages of REST lists do.
import { GraphQLError } from "graphql";
import type { ListSource } from "../handlers/list-page.ts";

/** Which part of a list is asked for. */
export interface ConnectionArguments {
  readonly first?: number | null;
  readonly after?: string | null;
}

const defaultSize = 30;
export const largestSize = 100;

/** The part that is asked for; counted and read when a field wants it. Throws a GraphQLError for a bad argument. */
export function connect<Row>({ first, after }: ConnectionArguments, source: ListSource<Row>): unknown {
  const size = first ?? defaultSize;
  if (size < 1 || size > largestSize) {
    throw new GraphQLError(`"first" must be from 1 to ${largestSize}, not ${size}.`);
  }
  const offset = after === undefined || after === null ? 0 : readCursor(after);
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
