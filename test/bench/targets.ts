// The targets: the maximum or minimum median of each measure. A measure that depends on the machine has
// a second target, its share of the floor in the same run; meeting one of the two is enough.
import type { Result } from "./measure.ts";

export interface Target {
  readonly most?: number;
  readonly least?: number;
  readonly leastShare?: number;
  /** The reason for a missed target. */
  readonly behind?: string;
}

export type Targets = Readonly<Record<string, Target>>;

/** True if a median meets its target; null if it has none. NaN meets no target. */
export function isMet({ name, value, share = -Infinity }: Result, targets: Targets): boolean | null {
  const target = targets[name];
  if (target === undefined) return null;
  const { most = Infinity, least = -Infinity, leastShare = Infinity } = target;
  return (value.median <= most && value.median >= least) || share >= leastShare;
}

/** A target in short form. */
export function formatTarget(target: Target | undefined, unit: string): string {
  if (target === undefined) return "";
  const { most, least, leastShare } = target;
  const other = leastShare === undefined ? "" : `, or ${leastShare} of the floor`;
  return most === undefined ? `≥ ${least ?? ""} ${unit}${other}` : `≤ ${most} ${unit}`;
}

/** A line per missed target. */
export function missesOf(results: readonly Result[], targets: Targets): readonly string[] {
  return results
    .filter((result) => isMet(result, targets) === false)
    .map(
      (result) =>
        `missed: ${result.name} is ${result.value.median.toFixed(2)} ${result.unit}, the target is ${formatTarget(targets[result.name], result.unit)}`,
    );
}
