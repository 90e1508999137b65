// The order of lists of issues and pull requests: by what the query's `sort` says, and in its `direction`. What is not
// understood counts as not sent.
import type { Issue } from "../fixtures/issues.ts";

/** What rows can be sorted by, each as a number; `created` is the usual one. */
export type SortKeys = Readonly<Record<string, (issue: Issue) => number>> & {
  readonly created: (issue: Issue) => number;
};

export const timeKeys: SortKeys = {
  created: ({ createdAt }) => createdAt,
  updated: ({ updatedAt }) => updatedAt,
};

/** The rows in the order of a query; the newest first where it says nothing. `usualDirection` is that of the other keys. */
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
