// Start-up time of grantctl for minimal commands, as a multiple of Node's own start-up time.
import { findInstalled, type Program } from "./child.ts";
import { compare } from "./compare.ts";
import type { Measure, Surroundings } from "./measure.ts";
import { bareNode, grantctl } from "./programs.ts";
import { withDouble } from "./servers.ts";

/** Rows of the single page: about one screen. */
const rows = 30;

function peer(name: string, words: readonly string[]): readonly Program[] {
  const command = findInstalled(name);
  return command === null ? [] : [{ name: `${name} ${words[0] ?? ""}`, command, words }];
}

function missing(name: string): { readonly note?: string } {
  return findInstalled(name) === null ? { note: `${name} is not installed here` } : {};
}

function measureOffline(name: string, words: readonly string[], ofGh = words): Measure {
  return {
    name,
    run: (surroundings) =>
      compare({
        name,
        says: `grantctl ${words.join(" ")}`,
        ours: grantctl(surroundings, words),
        floor: bareNode(),
        peers: [
          ...peer("gh", ofGh),
          // Its help command exits with code 1.
          ...(words.includes("--version") ? peer("npm", words) : []),
        ],
        // Start-up is short, so a few runs would be dominated by other load on the machine.
        rounds: 3 * surroundings.runs,
        ...missing("gh"),
      }),
  };
}

function measureRequest(name: string, words: readonly string[], says: string): Measure {
  const run = (surroundings: Surroundings): ReturnType<Measure["run"]> =>
    withDouble(surroundings, { pages: 1, perPage: rows }, (baseUrl) =>
      compare({
        name,
        says,
        ours: grantctl(surroundings, words, baseUrl),
        floor: bareNode(),
        peers: peer("curl", ["--silent", `${baseUrl}/authorizations?per_page=100`]),
        rounds: surroundings.runs,
        ...missing("curl"),
      }),
    );
  return { name, run };
}

export const startUpMeasures: readonly Measure[] = [
  measureOffline("start-version", ["--version"]),
  measureOffline("start-help", ["--help"]),
  measureOffline("start-command-help", ["token", "reset", "--help"], ["secret", "set", "--help"]),
  measureRequest(
    "start-json",
    ["authorization", "list", "--json"],
    `one request over loopback, ${rows} rows as JSON`,
  ),
  measureRequest(
    "start-table",
    ["authorization", "list", "--format", "table"],
    `one request over loopback, ${rows} rows as a table`,
  ),
];
