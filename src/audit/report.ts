// The report of an audit: whose it is, what was read, what was found, what changed. Every document is made from it.
import { withCommas } from "../errors/words.ts";
import { breadthNames, type BreadthName } from "./breadth.ts";
import { changeKinds, type Change } from "./changes.ts";
import type { Summary } from "./documents/audit-schema.ts";
import type { Findings } from "./findings.ts";
import type { Item } from "./item.ts";
import type { Lists, SnapshotOwner } from "./snapshot.ts";

export interface Report extends SnapshotOwner {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly lists: Lists<readonly Item[]>;
  readonly findings: Findings;
  /** Null where there was no snapshot to compare with. */
  readonly changes: readonly Change[] | null;
}

/** The numbers of an audit. */
export function summarise({ lists, findings, changes }: Report): Summary {
  const counted = {
    grants: countBreadths(lists.grants),
    authorizations: countBreadths(lists.authorizations),
    credentials: countBreadths(lists.credentials),
  };
  return {
    grants: lists.grants?.length ?? null,
    authorizations: lists.authorizations?.length ?? null,
    credentials: lists.credentials?.length ?? null,
    findings: findings.count,
    items_with_findings: findings.itemCount,
    changes: changes?.length ?? null,
    rules: [...findings.byRule].map(([rule, count]) => ({ rule: rule.text, findings: count })),
    breadths: [...breadthNames, "unknown" as const].toReversed().map((breadth) => ({
      breadth,
      grants: counted.grants.get(breadth) ?? 0,
      authorizations: counted.authorizations.get(breadth) ?? 0,
      credentials: counted.credentials.get(breadth) ?? 0,
    })),
    change_kinds: changeKinds.map((change) => ({
      change,
      count: changes?.filter((one) => one.change === change).length ?? 0,
    })),
  };
}

function countBreadths(items: readonly Item[] | null): ReadonlyMap<BreadthName, number> {
  const counts = new Map<BreadthName, number>();
  for (const { breadth } of items ?? []) {
    const { name } = breadth;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** How many things reach so far. */
export function sizeOf({ grants, authorizations, credentials }: Summary["breadths"][number]): number {
  return grants + authorizations + credentials;
}

/** How many things may administer, delete or do everything. */
export function broadCount({ breadths }: Summary): number {
  return breadths
    .filter(({ breadth }) => ["admin", "delete", "everything"].includes(breadth))
    .reduce((sum, count) => sum + sizeOf(count), 0);
}

/** A breadth in the words of the documents. */
export function breadthInWords(breadth: BreadthName): string {
  return breadth === "none" ? "no scopes" : breadth;
}

/** A number with its noun. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${withCommas(count)} ${count === 1 ? one : many}`;
}

/** What has access, in words: `12 applications and 48 tokens`. */
export function accessInWords({ grants, authorizations, credentials }: Summary): string {
  const parts = [
    ...(grants === null ? [] : [countOf(grants, "application")]),
    ...(authorizations === null ? [] : [countOf(authorizations, "token")]),
    ...(credentials === null ? [] : [countOf(credentials, "approved credential")]),
  ];
  return parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts.at(-1) ?? ""}` : parts.join("");
}

/** Every item, in the order of the lists. */
export function allItems({ grants, authorizations, credentials }: Lists<readonly Item[]>): readonly Item[] {
  return [...(grants ?? []), ...(authorizations ?? []), ...(credentials ?? [])];
}
