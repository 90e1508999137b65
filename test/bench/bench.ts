// The benchmark: takes the flags, runs the measures, prints a table, writes what was asked for. Where it runs and
// what else the machine does decides as much as the code: it is for comparing, and passes or fails nothing by itself.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ghMeasures } from "./beside-gh.ts";
import { bulkMeasures } from "./bulk.ts";
import { runProgram } from "./child.ts";
import { listMeasures } from "./lists.ts";
import { machineOf } from "./machine.ts";
import type { Measure, Result, Surroundings } from "./measure.ts";
import { memoryMeasures } from "./memory.ts";
import { formatPage } from "./page.ts";
import { drawPicture } from "./picture.ts";
import { grantctl, onOtherNode } from "./programs.ts";
import { formatTable } from "./report.ts";
import { sandboxMeasures } from "./sandbox.ts";
import { startUpMeasures } from "./start-up.ts";
import { missesOf, type Targets } from "./targets.ts";

export interface Invocation {
  readonly words: readonly string[];
  /** The folder of the repository. */
  readonly root: string;
  /** The folder of the bundled programs. */
  readonly programs: string;
}

const measures: readonly Measure[] = [
  ...startUpMeasures,
  ...listMeasures,
  ...ghMeasures,
  ...memoryMeasures,
  ...bulkMeasures,
  ...sandboxMeasures,
];

const usage = `npm run bench -- [flags]
  --only NAME   one measure, or those whose names begin so; may be repeated
  --runs N      how often each contestant runs, where a run is short (10)
  --quick       a tenth of the work, to try the benchmark itself
  --check       compare with test/bench/targets.json, and exit with 1 on a miss
  --json FILE   write the numbers here
  --write       write docs/performance.json, docs/performance.md and docs/performance.svg
measures: ${measures.map(({ name }) => name).join(", ")}
`;

/** Runs what the words ask for; the exit code. */
export async function bench({ words, root, programs }: Invocation): Promise<number> {
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: { type: "string", multiple: true, default: [""] },
      runs: { type: "string", default: "10" },
      quick: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      json: { type: "string" },
      write: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const chosen = measures.filter(({ name }) => values.only.some((prefix) => name.startsWith(prefix)));
  if (values.help || chosen.length === 0) {
    process.stdout.write(usage);
    return values.help ? 0 : 2;
  }
  // Node 20 pays for it at each start, which would flatter every ratio.
  delete process.env["NODE_EXTRA_CA_CERTS"];
  const targets = JSON.parse(await readFile(join(root, "test/bench/targets.json"), "utf8")) as Targets;
  const results = await runMeasures(chosen, {
    grantctl: join(root, "bin/grantctl.js"),
    programOf: (name) => join(programs, `${name}.mjs`),
    runs: Math.max(3, Number(values.runs)),
    isQuick: values.quick,
  });
  process.stdout.write(`${formatTable(results, targets)}\n`);
  const json = `${JSON.stringify({ machine: machineOf(new Date()), results }, null, 2)}\n`;
  if (values.json !== undefined) await writeFile(values.json, json);
  if (values.write) await writePages(root, json, results, targets);
  if (!values.check) return 0;
  const misses = missesOf(results, targets);
  for (const miss of misses) process.stdout.write(`${miss}\n`);
  return misses.length === 0 ? 0 : 1;
}

async function runMeasures(
  chosen: readonly Measure[],
  places: Omit<Surroundings, "folder">,
): Promise<readonly Result[]> {
  const folder = await mkdtemp(join(tmpdir(), "grantctl-bench-"));
  const results: Result[] = [];
  const surroundings = { ...places, folder };
  try {
    // The first start of a Node makes the folder of what V8 compiled, and the first round of a measure fills it.
    const first = grantctl(surroundings, ["--help"]);
    for (const program of [first, ...onOtherNode(first)]) await runProgram(program);
    for (const { name, run } of chosen) {
      process.stderr.write(`${name} …\n`);
      results.push(await run(surroundings));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return results;
}

async function writePages(
  root: string,
  json: string,
  results: readonly Result[],
  targets: Targets,
): Promise<void> {
  await mkdir(join(root, "docs"), { recursive: true });
  await writeFile(join(root, "docs/performance.json"), json);
  await writeFile(join(root, "docs/performance.md"), formatPage(results, targets, machineOf(new Date())));
  await writeFile(join(root, "docs/performance.svg"), drawPicture(results));
}
