// One comparison by wall time: programs run by turns, the first against the second, the others beside them.
import { runByTurns, type Program } from "./child.ts";
import { ratioOf, spreadOf, type Result } from "./measure.ts";

export interface Comparison {
  readonly name: string;
  readonly says: string;
  /** The subject of the ratio. */
  readonly ours: Program;
  /** Its target. */
  readonly floor: Program;
  readonly peers?: readonly Program[];
  readonly rounds: number;
  /** True if all must have written as many bytes as the first: then they did the same work. */
  readonly isSameOutput?: boolean;
  /** The other way round: how many times as long the floor takes. */
  readonly isInverse?: boolean;
  readonly note?: string;
}

/** Runs it. Throws when the programs did not do the same. */
export async function compare(comparison: Comparison): Promise<Result> {
  const { name, says, ours, floor, peers = [], rounds, note } = comparison;
  const programs = [ours, floor, ...peers];
  const runs = await runByTurns(programs, rounds);
  const timesOf = (program: Program): readonly number[] =>
    (runs.get(program) ?? []).map(({ milliseconds }) => milliseconds);
  if (comparison.isSameOutput === true) {
    const sizes = new Set(
      [ours, floor].flatMap((program) => (runs.get(program) ?? []).map(({ bytes }) => bytes)),
    );
    if (sizes.size !== 1) throw new Error(`${name}: different outputs, of ${[...sizes].join(" and ")} bytes`);
  }
  return {
    name,
    says,
    value:
      comparison.isInverse === true
        ? ratioOf(timesOf(floor), timesOf(ours))
        : ratioOf(timesOf(ours), timesOf(floor)),
    unit: "×",
    contestants: programs.map((program) => ({ name: program.name, ...spreadOf(timesOf(program)) })),
    contestantUnit: "ms",
    ...(note === undefined ? {} : { note }),
  };
}
