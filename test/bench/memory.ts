// Peak memory of a list, for different lengths and slow readers.
import { runProgram } from "./child.ts";
import { ratioOf, spreadOf, type Measure } from "./measure.ts";
import { grantctl } from "./programs.ts";
import { withDouble } from "./servers.ts";

const ndjson = ["authorization", "list", "--format", "ndjson"];
const rounds = 3;

function peaks(
  pages: number,
  readerPauseMs: number,
  surroundings: Parameters<Measure["run"]>[0],
): Promise<number[]> {
  return withDouble(surroundings, { pages }, async (baseUrl) => {
    const found: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const program = grantctl(surroundings, ndjson, baseUrl);
      const { peakMegabytes } = await runProgram({ ...program, isWeighed: true, readerPauseMs });
      found.push(peakMegabytes);
    }
    return found;
  });
}

const memoryOfLength: Measure = {
  name: "memory-length",
  async run(surroundings) {
    const pages = surroundings.isQuick ? 1000 : 3000;
    const longest = 10_000;
    const long = await peaks(pages, 0, surroundings);
    const short = await peaks(100, 0, surroundings);
    const beside = surroundings.isQuick ? [] : [await peaks(longest, 0, surroundings)];
    return {
      name: "memory-length",
      says: `peak memory of a list of ${pages} pages, relative to 100 pages`,
      value: ratioOf(long, short),
      unit: "×",
      contestants: [
        { name: `${pages} pages`, ...spreadOf(long) },
        { name: "100 pages", ...spreadOf(short) },
        ...beside.map((found) => ({ name: `${longest} pages`, ...spreadOf(found) })),
      ],
      contestantUnit: "MB",
    };
  },
};

function measureMegabytes(name: string, says: string, pages: number, readerPauseMs: number): Measure {
  return {
    name,
    async run(surroundings) {
      const value = spreadOf(
        await peaks(surroundings.isQuick ? pages / 10 : pages, readerPauseMs, surroundings),
      );
      return {
        name,
        says,
        value,
        unit: "MB",
        contestants: [{ name: "grantctl", ...value }],
        contestantUnit: "MB",
      };
    },
  };
}

export const memoryMeasures: readonly Measure[] = [
  memoryOfLength,
  measureMegabytes("memory-most", "peak memory of a list of 10,000 pages", 10_000, 0),
  measureMegabytes(
    "memory-slow-reader",
    "peak memory of a list of 2,000 pages; the reader pauses 4 ms after each chunk",
    2000,
    4,
  ),
];
