// The table of age by permission: how many tokens of each breadth are how old. Broad and old access is the
// riskiest.
import { breadthNames, type AuditItem, type BreadthName } from "./items.ts";
import type { Unit } from "./access.ts";

/** A row of the age-by-permission table: the number of items in each age range. */
export interface BreadthRow {
  readonly breadth: BreadthName;
  /** One count for each of `ageNames`. */
  readonly counts: readonly number[];
  /** Risk from 1 to 4 for each of `ageNames`: higher for broader and for older access. */
  readonly risks: readonly number[];
  readonly total: number;
}

export const ageNames = ["under 3 months", "3 to 12 months", "1 to 2 years", "over 2 years"] as const;
const ageDays = [91, 365, 730, Infinity] as const;
/** Index in `ageNames` of the first range of more than a year. */
export const oldFrom = 2;
const old = (ageDays[oldFrom - 1] ?? 0) * 86_400_000;

const broadNames: readonly BreadthName[] = ["everything", "delete", "admin"];

/** Counts tokens, and grants without a listed token, at this time. Items without a date are left out. */
export function ageByPermission(units: readonly Unit[], now: number): readonly BreadthRow[] {
  const items = units.flatMap(countedItems);
  return [...breadthNames, "unknown" as const].toReversed().flatMap((breadth) => {
    const ages = items.flatMap(({ breadth: { name }, created }) =>
      name === breadth && created !== null ? [(now - created) / 86_400_000] : [],
    );
    const counts = ageDays.map(
      (most, index) => ages.filter((age) => age < most && age >= (ageDays[index - 1] ?? -Infinity)).length,
    );
    const level = breadth === "unknown" ? 2 : breadthNames.indexOf(breadth);
    const risks = ageDays.map((_, age) => riskOf(level, age));
    return ages.length === 0 ? [] : [{ breadth, counts, risks, total: ages.length }];
  });
}

/** The tokens of a unit; the grant itself if no token is listed. */
function countedItems({ items }: Unit): readonly AuditItem[] {
  const tokens = items.filter(({ resource }) => resource === "authorization");
  return tokens.length === 0 ? items : tokens;
}

/** The number of a unit's items that are older than a year and allow everything, deletion or administration. */
export function countOldAndBroad(unit: Unit, now: number): number {
  return countedItems(unit).filter(
    ({ breadth, created }) => broadNames.includes(breadth.name) && created !== null && now - created >= old,
  ).length;
}

/** Both from zero up. Access without scopes, or of less than three months, has the lowest risk, however old or broad. */
function riskOf(level: number, age: number): number {
  const product = level * age;
  if (product < 2) return 1;
  if (product < 6) return 2;
  return product < 10 ? 3 : 4;
}
