// One comparison by wall time: programs run in turns; the first is compared with the second, the others are listed.
import { runByTurns, type Program } from "./child.ts";
import { ratioOf, spreadOf, type Result } from "./measure.ts";

export interface Comparison {
  readonly name: string;
  readonly says: string;
  /** The subject of the ratio. */
  readonly ours: Program;
  /** The reference that the subject is compared with. */
  readonly floor: Program;
  readonly peers?: readonly Program[];
  readonly rounds: number;
  /** True if all must write as many bytes as the first, to prove that they did the same work. */
  readonly isSameOutput?: boolean;
  /** Inverts the ratio: the floor's time divided by the subject's. */
  readonly isInverse?: boolean;
  readonly note?: string;
}

/** Runs the comparison. Throws if the programs did not do the same work. */
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
