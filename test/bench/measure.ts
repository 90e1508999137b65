// A measure and its result. Each measure runs its contestants in turns; nothing is compared with
// a number of another run.

import type { Machine } from "./machine.ts";

/** Paths, and the thoroughness of measurements. */
export interface Surroundings {
  /** The path of `grantctl`. */
  readonly grantctl: string;
  /** The path of one of the benchmark's own programs, by its name. */
  readonly programOf: (name: string) => string;
  /** A temporary folder. */
  readonly folder: string;
  /** Runs per contestant, if a run is short; at least three. */
  readonly runs: number;
  /** True to do a tenth of the work, to try the benchmark itself. */
  readonly isQuick: boolean;
}

/** Median, minimum and maximum of some runs. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export interface Contestant extends Spread {
  readonly name: string;
}

export interface Result {
  readonly name: string;
  /** The action in one line. */
  readonly says: string;
  /** The figure that is compared with the target. */
  readonly value: Spread;
  /** `×` for a ratio. */
  readonly unit: string;
  /** The time of each contestant, grantctl first, then the floor, then peers. */
  readonly contestants: readonly Contestant[];
  /** The unit of the contestants' numbers. */
  readonly contestantUnit: string;
  /** The share of the floor in the same run, if the value is not a ratio itself. */
  readonly share?: number;
  /** The omissions, with the reasons. */
  readonly note?: string;
}

/** The measurements of one Node. */
export interface Measured {
  readonly machine: Machine;
  readonly results: readonly Result[];
}

export interface Measure {
  readonly name: string;
  readonly run: (surroundings: Surroundings) => Promise<Result>;
}

/** Median, minimum and maximum of at least one number. */
export function spreadOf(numbers: readonly number[]): Spread {
  const sorted = numbers.toSorted((first, second) => first - second);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? NaN;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
  return { median, min: sorted[0] ?? NaN, max: sorted.at(-1) ?? NaN };
}

/**
 * The ratio of two contestants that ran in turns: of their medians, and the minimum and maximum ratio of runs that
 * followed each other.
 */
export function ratioOf(ours: readonly number[], floor: readonly number[]): Spread {
  const pairs = spreadOf(ours.map((number, index) => number / (floor[index] ?? NaN)));
  return { ...pairs, median: spreadOf(ours).median / spreadOf(floor).median };
}
