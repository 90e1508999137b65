// The report of an audit: owner, lists, findings and changes. All documents are rendered from it, with the shared texts
// below.
import { both, counted, withCommas } from "../errors/words.ts";
import { breadthNames, type AuditItem, type BreadthName, type ListName, type Lists } from "./items.ts";
import { changeKinds, type Change, type Comparison } from "./changes.ts";
import type { Findings } from "./findings.ts";
import type { RuleSupplies } from "./rules.ts";
import type { Summary } from "./schema.ts";
import type { SnapshotOwner } from "./snapshot.ts";

export interface Report extends SnapshotOwner {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly lists: Lists<readonly AuditItem[]>;
  /** Organizations whose single sign-on hid items; empty if the server names none, null if the lists are complete. */
  readonly missing: readonly string[] | null;
  readonly findings: Findings;
  /** Null without a snapshot to compare with. */
  readonly changes: readonly Change[] | null;
  /** The new tokens that replace one that is gone; empty without a snapshot. */
  readonly replaced: Comparison["replaced"];
  /** The file of that snapshot. `modifiedAt` is in milliseconds since 1970; null for what is not a file. */
  readonly comparedWith: { readonly path: string; readonly modifiedAt: number | null } | null;
  /** The inputs of the run that rules needed, or would have needed. */
  readonly supplies: RuleSupplies;
  /** The items that this run's own token or application belongs to. */
  readonly inUse: ReadonlySet<AuditItem>;
}

/** The counts of an audit. */
export function summarise({ lists, findings, changes }: Report): Summary {
  const count = (list: ListName, breadth: BreadthName): number =>
    lists[list]?.filter((item) => item.breadth.name === breadth).length ?? 0;
  return {
    grants: lists.grants?.length ?? null,
    authorizations: lists.authorizations?.length ?? null,
    credentials: lists.credentials?.length ?? null,
    findings: findings.count,
    items_with_findings: findings.items.length,
    changes: changes?.length ?? null,
    rules: findings.rules.map(({ rule, findings: found, items, unjudged }) => ({
      rule: rule.text,
      findings: found,
      items,
      unjudged,
    })),
    breadths: [...breadthNames, "unknown" as const].toReversed().map((breadth) => ({
      breadth,
      grants: count("grants", breadth),
      authorizations: count("authorizations", breadth),
      credentials: count("credentials", breadth),
    })),
    change_kinds: changeKinds.map((change) => ({
      change,
      count: changes?.filter((one) => one.change === change).length ?? 0,
    })),
  };
}

/** The text of a breadth in the documents. */
export function breadthInWords(breadth: BreadthName): string {
  return breadth === "none" ? "no scopes" : breadth;
}

/** A count with its noun: `1,200 tokens`. */
export function countOf(count: number, noun: string): string {
  return `${withCommas(count)} ${counted(count, noun).replace(/^\d+ /, "")}`;
}

/** The access level in a sentence: `access to everything`, `admin access`, `no scopes`. */
export function levelInWords(breadth: BreadthName): string {
  if (breadth === "none") return "no scopes";
  if (breadth === "unknown") return "unknown scopes";
  return breadth === "everything" ? "access to everything" : `${breadth} access`;
}

/** A warning about incomplete lists; null if they are complete. */
export function missingInWords({ missing }: Report): string | null {
  if (missing === null) return null;
  const which = missing.length === 0 ? "organizations" : `organization ${both(missing)}`;
  return `This audit is incomplete: single sign-on of ${which} left out items.`;
}
