// Long lists: the time for all pages, and the time to the first line.
import { findInstalled, runProgram, type Program } from "./child.ts";
import { compare } from "./compare.ts";
import { spreadOf, type Measure, type Result, type Surroundings } from "./measure.ts";
import { concurrency, grantctl, windowFloor } from "./programs.ts";
import { withDouble } from "./servers.ts";

const ndjson = ["authorization", "list", "--format", "ndjson"];

function curlOf(baseUrl: string, pages: number): readonly Program[] {
  const command = findInstalled("curl");
  const address = `${baseUrl}/authorizations?per_page=100&page=[1-${pages}]`;
  return command === null
    ? []
    : [{ name: "curl, one page after the other", command, words: ["-s", address] }];
}

function ghOf(baseUrl: string): readonly Program[] {
  const command = findInstalled("gh");
  if (command === null) return [];
  const words = ["api", "--paginate", `${baseUrl}/authorizations?per_page=100`];
  return [
    { name: "gh api --paginate", command, words, environment: { GH_TOKEN: "x", GH_HOST: "127.0.0.1" } },
  ];
}

function missing(...names: readonly string[]): { readonly note?: string } {
  const absent = names.filter((name) => findInstalled(name) === null);
  return absent.length === 0 ? {} : { note: `not installed here: ${absent.join(", ")}` };
}

const listAll: Measure = {
  name: "list-ndjson",
  run(surroundings) {
    const pages = surroundings.isQuick ? 100 : 1000;
    return withDouble(surroundings, { pages }, (baseUrl) =>
      compare({
        name: "list-ndjson",
        says: `${pages} pages of 100 as ndjson, in order`,
        ours: grantctl(surroundings, ndjson, baseUrl),
        floor: windowFloor(surroundings, baseUrl, concurrency),
        peers: curlOf(baseUrl, pages),
        rounds: Math.max(3, Math.ceil(surroundings.runs / 2)),
        isSameOutput: true,
        ...missing("curl"),
      }),
    );
  },
};

const listFarAway: Measure = {
  name: "list-latency",
  run(surroundings) {
    const pages = surroundings.isQuick ? 50 : 200;
    return withDouble(surroundings, { pages, latencyMs: 20 }, (baseUrl) =>
      compare({
        name: "list-latency",
        says: `${pages} pages of 100 at 20 ms latency: speed-up over one page at a time`,
        ours: grantctl(surroundings, ndjson, baseUrl),
        floor: windowFloor(surroundings, baseUrl, 1),
        peers: [...ghOf(baseUrl), ...curlOf(baseUrl, pages)],
        rounds: 3,
        isInverse: true,
        isSameOutput: true,
        ...missing("gh", "curl"),
      }),
    );
  },
};

/** Time to wait for the first line before page 2 is released anyway. */
const patienceMs = 5000;

function measureFirstLine(name: string, words: readonly string[], says: string): Measure {
  const runOnce = (surroundings: Surroundings): Promise<number> =>
    withDouble(surroundings, { pages: 3, holdsSecondPage: true }, async (baseUrl) => {
      const release = (): void => void fetch(`${baseUrl}/release`).catch(() => undefined);
      const impatience = setTimeout(release, patienceMs);
      let milliseconds = NaN;
      await runProgram({
        ...grantctl(surroundings, words, baseUrl),
        onFirstOutput(_, afterMs) {
          milliseconds = afterMs;
          release();
        },
      });
      clearTimeout(impatience);
      return milliseconds;
    });
  return {
    name,
    async run(surroundings): Promise<Result> {
      const times: number[] = [];
      for (let round = 0; round < 5; round += 1) times.push(await runOnce(surroundings));
      const value = spreadOf(times);
      const contestants = [{ name: "grantctl", ...value }];
      return { name, says, value, unit: "ms", contestants, contestantUnit: "ms" };
    },
  };
}

export const listMeasures: readonly Measure[] = [
  listAll,
  listFarAway,
  measureFirstLine(
    "list-first-line",
    ndjson,
    "time to the first line; the server holds back page 2 until then",
  ),
  measureFirstLine(
    "list-first-jq",
    [...ndjson, "--jq", ".note"],
    "time to the first line with --jq; the server holds back page 2 until then",
  ),
];
