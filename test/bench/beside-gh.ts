// The same work with gh, if installed: one request, the first line of a list, whole lists, with and without latency.
// gh prints pages unchanged and does not check them; it has no CSV output, so the comparison uses JSON.
import { findInstalled, runProgram, type Program } from "./child.ts";
import { compare } from "./compare.ts";
import { ratioOf, spreadOf, type Measure, type Result, type Surroundings } from "./measure.ts";
import { concurrency, grantctl, windowFloor } from "./programs.ts";
import { withDouble } from "./servers.ts";

const list = ["authorization", "list"];

function gh(baseUrl: string, flags: readonly string[], more: Partial<Program> = {}): Program {
  const words = ["api", ...flags, `${baseUrl}/authorizations?per_page=100`];
  const environment = { GH_TOKEN: "x", GH_HOST: "127.0.0.1" };
  return { name: ["gh api", ...flags].join(" "), command: "gh", words, environment, ...more };
}

interface Work {
  readonly says: string;
  readonly words: readonly string[];
  readonly flags: readonly string[];
  readonly pages: number;
  readonly latencyMs?: number;
  /** Inverts the ratio: gh's time divided by grantctl's. */
  readonly isInverse?: boolean;
  readonly isShort?: boolean;
  readonly peersOf?: (surroundings: Surroundings, baseUrl: string) => readonly Program[];
}

function measureWork(name: string, work: Work): Measure {
  const { says, words, flags, latencyMs = 0, isInverse = false, isShort = false, peersOf } = work;
  return {
    name,
    run(surroundings) {
      const pages = surroundings.isQuick ? Math.ceil(work.pages / 10) : work.pages;
      return withDouble(surroundings, { pages, latencyMs }, (baseUrl) =>
        compare({
          name,
          says: pages === 1 ? says : `${pages} pages of 100 ${says}`,
          ours: grantctl(surroundings, words, baseUrl),
          floor: gh(baseUrl, flags),
          peers: peersOf?.(surroundings, baseUrl) ?? [],
          rounds: isShort ? surroundings.runs : 3,
          isInverse,
        }),
      );
    },
  };
}

/** Time to the first output of each program; the server holds the second page until then. */
const firstLine: Measure = {
  name: "gh-first-line",
  async run(surroundings): Promise<Result> {
    const times = { ours: [] as number[], gh: [] as number[] };
    for (let round = 0; round <= surroundings.runs; round += 1) {
      const ours = await firstOutput(surroundings, (baseUrl) => grantctl(surroundings, ndjson, baseUrl));
      const theirs = await firstOutput(surroundings, (baseUrl) => gh(baseUrl, ["--paginate"]));
      if (round === 0) continue;
      times.ours.push(ours);
      times.gh.push(theirs);
    }
    return {
      name: "gh-first-line",
      says: "time to the first line of a list",
      value: ratioOf(times.ours, times.gh),
      unit: "×",
      contestants: [
        { name: "grantctl", ...spreadOf(times.ours) },
        { name: "gh api --paginate", ...spreadOf(times.gh) },
      ],
      contestantUnit: "ms",
    };
  },
};

function firstOutput(surroundings: Surroundings, programOf: (baseUrl: string) => Program): Promise<number> {
  return withDouble(surroundings, { pages: 2, holdsSecondPage: true }, async (baseUrl) => {
    const release = (): void => void fetch(`${baseUrl}/release`).catch(() => undefined);
    const impatience = setTimeout(release, patienceMs);
    let milliseconds = NaN;
    await runProgram({
      ...programOf(baseUrl),
      onFirstOutput(_, afterMs) {
        milliseconds = afterMs;
        release();
      },
    });
    clearTimeout(impatience);
    return milliseconds;
  });
}

/** Milliseconds until page 2 is released for a program whose first line needs it. */
const patienceMs = 5000;

const ids = ["--jq", ".[].id"];
const ndjson = [...list, "--format", "ndjson"];
/** Enough concurrent pages to hide the latency. */
const wide = ["--concurrency", "32"];

/** Empty if gh is not installed. */
export const ghMeasures: readonly Measure[] =
  findInstalled("gh") === null
    ? []
    : [
        measureWork("gh-json", {
          says: "one page of 100 as JSON",
          words: [...list, "--json"],
          flags: [],
          pages: 1,
          isShort: true,
        }),
        firstLine,
        measureWork("gh-ndjson", {
          says: "as ndjson",
          words: ndjson,
          flags: ["--paginate"],
          pages: 1000,
        }),
        measureWork("gh-csv", {
          says: "as csv (gh: as JSON)",
          words: [...list, "--format", "csv"],
          flags: ["--paginate"],
          pages: 1000,
        }),
        measureWork("gh-jq", {
          says: "with --jq .[].id",
          words: [...list, ...ids],
          flags: ["--paginate", ...ids],
          pages: 1000,
        }),
        measureWork("gh-latency", {
          says: "at 20 ms latency: speed-up over gh",
          words: ndjson,
          flags: ["--paginate"],
          pages: 100,
          latencyMs: 20,
          isInverse: true,
          peersOf: (surroundings, baseUrl) => [
            windowFloor(surroundings, baseUrl, concurrency),
            {
              ...grantctl(surroundings, [...ndjson, ...wide], baseUrl),
              name: `grantctl ${wide.join(" ")}`,
            },
          ],
        }),
      ];
