// The order of lists of issues and pull requests, by `sort` and `direction` of the query. Unknown words count as not
// sent.
import type { Issue } from "../fixtures/issues.ts";

/** The sort keys, each a function to a number; `created` is the default. */
export type SortKeys = Readonly<Record<string, (issue: Issue) => number>> & {
  readonly created: (issue: Issue) => number;
};

export const timeKeys: SortKeys = {
  created: ({ createdAt }) => createdAt,
  updated: ({ updatedAt }) => updatedAt,
};

/** The rows in the order of a query; by default the newest first. `usualDirection` is the default for other keys. */
export function inOrder(
  issues: readonly Issue[],
  query: string,
  keys: SortKeys,
  usualDirection: "asc" | "desc",
): readonly Issue[] {
  const parameters = new URLSearchParams(query);
  const asked = parameters.get("sort") ?? "created";
  const sort = Object.hasOwn(keys, asked) ? asked : "created";
  const direction = parameters.get("direction") ?? (sort === "created" ? "desc" : usualDirection);
  const sign = direction === "asc" ? 1 : -1;
  const key = keys[sort] ?? keys.created;
  return issues.toSorted((first, second) => sign * (key(first) - key(second) || first.id - second.id));
}
