// Three kinds of tests, told apart by what they import, so that each can be run by itself. All files share workers, which
// saves a start and the loading of everything for each of them: a test leaves nothing behind in its process. In a soak,
// only tests that have more to do in one are run, which say so by their tag.
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { defineConfig } from "vitest/config";

const root = import.meta.dirname;
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

const files = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => join(root, "test", name));

/** Whether a file of the tests, or one that it imports, matches. */
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
const chosen = isSoak ? files.filter((file) => imports(file, /support\/soak\.ts"/)) : files;
const startsProcesses = (file: string): boolean => imports(file, /"node:child_process"/);

/** Rooms whose tests meet what differs between versions of Node, besides those that start processes. */
const nodesOwn = /test\/(?:credentials|files|host|hostile|http|journal)\//;

/** For what hangs: a busy machine may take long for anything. */
const limits = { testTimeout: 120_000, hookTimeout: 120_000 };

/** What a test says that has more to do in a soak: there it takes as long as it takes. */
export const tags = [
  { name: "soak", description: "does more in a soak", ...(isSoak ? { timeout: 1_800_000 } : {}) },
];

// Vitest runs them in the order of their names: what often waits, and long, is not left for the end.
const projects = [
  { name: "apart", include: chosen.filter(startsProcesses) },
  { name: "node", include: chosen.filter((file) => !startsProcesses(file) && nodesOwn.test(file)) },
  { name: "plain", include: chosen.filter((file) => !startsProcesses(file) && !nodesOwn.test(file)) },
];

export default defineConfig({
  test: {
    globalSetup: ["test/support/build-once.ts"],
    // Two for a processor: a third of the time, a file with processes waits for them.
    maxWorkers: 2 * availableParallelism(),
    tags,
    projects: projects
      .filter(({ include }) => include.length > 0)
      .map((test) => ({
        define: { GRANTCTL_VERSION: JSON.stringify(version) },
        test: { ...limits, isolate: false, ...(isSoak ? { tagsFilter: ["soak"] } : {}), ...test },
      })),
  },
});
