// The report of an audit: owner, lists, findings and changes. All documents are rendered from it, with the shared texts
// below.
import { both, counted, withCommas } from "../errors/words.ts";
import type { AuditItem, BreadthName, Lists } from "./items.ts";
import type { Comparison } from "./changes.ts";
import type { Findings } from "./findings.ts";
import type { EarlierAudit, AuditOwner } from "./earlier-audit.ts";

export interface Report extends AuditOwner {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly lists: Lists<readonly AuditItem[]>;
  /** Every item, in the order of the lists. */
  readonly items: readonly AuditItem[];
  /** Organizations whose single sign-on hid items; empty if the server names none, null if the lists are complete. */
  readonly missing: readonly string[] | null;
  readonly findings: Findings;
  /** The earlier audit, and the comparison with it; null without one. */
  readonly earlier: EarlierAudit | null;
  readonly comparison: Comparison | null;
  /** The items that this run's own token or application belongs to. */
  readonly inUse: ReadonlySet<AuditItem>;
  /** The flags that chose what was audited; undefined if not given. */
  readonly flags: Readonly<Record<string, string | undefined>>;
}

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

/** A sentence about the dates of updates, because a token that is not updated may well be in use. */
export const aboutUpdates = "“Updated” is not the last use, which this server does not report.";

/** A sentence with the rules that could not run because their input is missing; empty if none. */
export function idleRulesInWords({ items, earlier }: Report): string {
  const reportsExpiry = items.some(({ expires_at }) => expires_at !== null);
  const idle = [
    ...(earlier === null ? ["new and widened (need --compare)"] : []),
    ...(reportsExpiry ? [] : ["no-expiry and expires-within (this server reports no expiration dates)"]),
  ];
  return idle.length === 0 ? "" : `Not available: ${idle.join(", ")}.`;
}
