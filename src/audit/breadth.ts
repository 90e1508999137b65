// How much a scope allows: one table, read from the top. The order is read-only, write, admin, delete, everything; a
// scope that is not in the table is unknown, and is not ranked.

/** From the narrowest to the broadest. */
export const breadthNames = ["none", "read-only", "write", "admin", "delete", "everything"] as const;
export type BreadthName = (typeof breadthNames)[number] | "unknown";

/** Scopes by breadth. A star stands for the rest of a name; the first line that fits counts. */
const table: readonly (readonly [scopes: string, breadth: BreadthName])[] = [
  // All of the account's repositories, or all of an enterprise or an installation, settings and secrets included.
  ["repo site_admin admin:enterprise", "everything"],
  ["delete_* delete:*", "delete"],
  ["admin:* manage_runners:* manage_billing:* scim:enterprise", "admin"],
  ["read:* user:email openid email profile audit_log repo:status security_events", "read-only"],
  ["write:* public_repo repo:invite repo:deployment repo_deployment", "write"],
  ["user user:* gist notifications workflow project codespace codespace:* copilot offline_access", "write"],
];

const lines = table.flatMap(([scopes, breadth]) =>
  scopes
    .split(" ")
    .map((scope) => ({ scope: scope.replace("*", ""), isWhole: !scope.endsWith("*"), breadth })),
);

/** How broad one scope is. */
function breadthOfScope(scope: string): BreadthName {
  const line = lines.find((one) => (one.isWhole ? scope === one.scope : scope.startsWith(one.scope)));
  return line?.breadth ?? "unknown";
}

export interface Breadth {
  /** The breadth of the broadest known scope; `unknown` where no scope is known. */
  readonly name: BreadthName;
  /** From 0 for no scope to 5 for everything; null for unknown. */
  readonly level: number | null;
  /** The scopes that the table does not name. */
  readonly unknown: readonly string[];
}

/** How much a set of scopes allows; null where the service does not say which scopes there are. */
export function breadthOf(scopes: readonly string[] | null): Breadth {
  if (scopes === null) return { name: "unknown", level: null, unknown: [] };
  if (scopes.length === 0) return { name: "none", level: 0, unknown: [] };
  const unknown = scopes.filter((scope) => breadthOfScope(scope) === "unknown");
  const level = Math.max(...scopes.map((scope) => levelOf(breadthOfScope(scope))));
  const name = breadthNames[level];
  return name === undefined ? { name: "unknown", level: null, unknown } : { name, level, unknown };
}

/** The position in the order of breadths; -1 for unknown. */
function levelOf(name: BreadthName): number {
  return breadthNames.findIndex((known) => known === name);
}

/** A number for sorting by risk; an unknown scope counts as one of middle breadth. */
export function riskOfBreadth({ level }: Breadth): number {
  return level ?? 2;
}
