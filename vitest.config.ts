// All test files share workers, which saves starting a process and loading the code for each file, so a test must leave nothing
// behind in its process. Two kinds of tests, distinguished by their imports and location, can be run separately. A soak
// runs only the tests with the tag for it, which do more then.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, relative } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = import.meta.dirname;
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

const files = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => join(root, "test", name));

/** True if a test file, or one that it imports, matches. */
function imports(file: string, pattern: RegExp, seen: Set<string> = new Set()): boolean {
  if (seen.has(file)) return false;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  if (pattern.test(text)) return true;
  return [...text.matchAll(/from "(\.[^"]+\.ts)"/g)]
    .map(([, target = ""]) => join(dirname(file), target))
    .some((target) => target.startsWith(join(root, "test")) && imports(target, pattern, seen));
}

const isSoak = process.env["GRANTCTL_SOAK"] === "1";
const withProcesses = new Set(files.filter((file) => imports(file, /"node:child_process"/)));
const startsProcesses = (file: string): boolean => withProcesses.has(file);

/** Modules whose tests depend on the version of Node, besides those that start processes. */
const nodesOwn = /test\/(?:credentials|files|host|hostile|http|journal)\//;

/** The selected tests: all, those of one kind (GRANTCTL_TESTS), or those with more to do in a soak. */
const isOfNode = (file: string): boolean => startsProcesses(file) || nodesOwn.test(file);
const kinds: Readonly<Record<string, (file: string) => boolean>> = {
  all: () => true,
  node: isOfNode,
  plain: (file) => !isOfNode(file),
};
const kind = process.env["GRANTCTL_TESTS"] ?? "all";
const isChosen = kinds[kind];
if (isChosen === undefined)
  throw new Error(`GRANTCTL_TESTS is ${Object.keys(kinds).join(", ")}, not ${kind}`);

/**
 * The slowest tests, whatever the size of their files. They start first, because otherwise they would run alone at the
 * end.
 */
const longest = isSoak
  ? /recovery\/(?:rotation-|cut-)|operators\/(?:oauth-truth|debian-servers)|packages\/installed|completion\/shells/
  : /transcripts|operators\/oauth-truth|docs\/blocks|scenarios\/(?:examples|pipes|pick|closed-streams|progress)|credentials\/keychain-service|authorization\/rotate/;
const isLong = (file: string): boolean => startsProcesses(file) || /test\/recovery\//.test(file);

function weightOf({ moduleId }: TestSpecification): number {
  const tiers = [isLong(moduleId), longest.test(moduleId)];
  return statSync(moduleId).size + tiers.filter(Boolean).length * 1_000_000;
}

/** Runs slow files, which often wait, first; of the others larger files first, because they mostly take longer. */
class LongFirst extends BaseSequencer {
  override sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(specifications.toSorted((one, other) => weightOf(other) - weightOf(one)));
  }
}

/** The tag of a test that does more in a soak; there its timeout is half an hour. */
export const tags = [
  { name: "soak", description: "does more in a soak", ...(isSoak ? { timeout: 1_800_000 } : {}) },
];

export default defineConfig({
  define: { GRANTCTL_VERSION: JSON.stringify(version) },
  test: {
    include: files
      .filter((file) => isChosen(file) && (!isSoak || imports(file, /support\/soak\.ts"/)))
      .map((file) => relative(root, file)),
    globalSetup: ["test/support/build-once.ts"],
    // More than processors, because tests wait for the programs that they start; each worker also loads all code again.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    isolate: false,
    sequence: { sequencer: LongFirst },
    tags,
    ...(isSoak ? { tagsFilter: ["soak"] } : {}),
    // For tests that hang. A slow and busy machine may take a minute for what usually takes a second.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
  },
});
