// The benchmark: parses flags, runs the measures, prints a table, and writes the requested files. The machine and its
// load affect results as much as the code: the benchmark is for comparisons, not a test.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ghMeasures } from "./beside-gh.ts";
import { bulkMeasures } from "./bulk.ts";
import { listMeasures } from "./lists.ts";
import { machineOf } from "./machine.ts";
import type { Measure, Measured, Result, Surroundings } from "./measure.ts";
import { memoryMeasures } from "./memory.ts";
import { formatPage } from "./page.ts";
import { drawPicture } from "./picture.ts";
import { formatTable } from "./report.ts";
import { sandboxMeasures } from "./sandbox.ts";
import { startUpMeasures } from "./start-up.ts";
import { tableMeasures } from "./tables.ts";
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
  ...tableMeasures,
  ...ghMeasures,
  ...memoryMeasures,
  ...bulkMeasures,
  ...sandboxMeasures,
];

const usage = `npm run bench -- [flags]
  --only NAME   one measure, or those whose names begin so; may be repeated
  --runs N      how often each contestant runs, where a run is short (10)
  --quick       a tenth of the work, to try the benchmark itself
  --beside NODE  each measure by this other Node, too: the one that runs the benchmark is the reference
  --check       compare with test/bench/targets.json, and exit with 1 on a miss
  --json FILE   write the numbers here
  --write       write docs/performance.json, docs/performance.md and docs/performance.svg
measures: ${measures.map(({ name }) => name).join(", ")}
`;

/** Runs the benchmark with these arguments, and returns the exit code. */
export async function bench({ words, root, programs }: Invocation): Promise<number> {
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: { type: "string", multiple: true, default: [""] },
      runs: { type: "string", default: "10" },
      quick: { type: "boolean", default: false },
      beside: { type: "string" },
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
  // The variable slows each start of Node 20, which would improve every ratio.
  delete process.env["NODE_EXTRA_CA_CERTS"];
  const targets = JSON.parse(await readFile(join(root, "test/bench/targets.json"), "utf8")) as Targets;
  const { own, other } = await runMeasures(
    chosen,
    {
      grantctl: join(root, "bin/grantctl.js"),
      programOf: (name) => join(programs, `${name}.mjs`),
      runs: Math.max(3, Number(values.runs)),
      isQuick: values.quick,
    },
    values.beside === undefined ? null : [values.beside, join(root, "test/bench/start.mjs")],
  );
  const { results } = own;
  process.stdout.write(`${formatTable(own, other, targets)}\n`);
  const json = `${JSON.stringify({ ...own, ...(other === null ? {} : { beside: other }) }, null, 2)}\n`;
  if (values.json !== undefined) await writeFile(values.json, json);
  if (values.write) {
    const docs = join(root, "docs");
    await writeFile(join(docs, "performance.json"), json);
    await writeFile(join(docs, "performance.md"), formatPage(own, other, targets));
    await writeFile(join(docs, "performance.svg"), drawPicture(results));
  }
  if (!values.check) return 0;
  const misses = missesOf(results, targets);
  for (const miss of misses) process.stdout.write(`${miss}\n`);
  return misses.length === 0 ? 0 : 1;
}

/** Runs each measure on this Node, then on the other: `beside` is its executable and the file to start there. */
async function runMeasures(
  chosen: readonly Measure[],
  places: Omit<Surroundings, "folder">,
  beside: readonly [node: string, start: string] | null,
): Promise<{ readonly own: Measured; readonly other: Measured | null }> {
  const folder = await mkdtemp(join(tmpdir(), "grantctl-bench-"));
  const results: Result[] = [];
  const others: Measured[] = [];
  const surroundings = { ...places, folder };
  try {
    for (const { name, run } of chosen) {
      process.stderr.write(`${name} …\n`);
      results.push(await run(surroundings));
      if (beside !== null) others.push(await runBeside(beside, name, surroundings));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const [first] = others;
  return {
    own: { machine: machineOf(new Date()), results },
    other:
      first === undefined
        ? null
        : { machine: first.machine, results: others.flatMap((measured) => measured.results) },
  };
}

/** Runs one measure in a benchmark process on another Node. */
async function runBeside(
  [node, start]: readonly [node: string, start: string],
  name: string,
  { folder, runs, isQuick }: Surroundings,
): Promise<Measured> {
  const file = join(folder, `${name}.json`);
  const words = ["--only", name, "--runs", String(runs), ...(isQuick ? ["--quick"] : []), "--json", file];
  const { status, stderr } = spawnSync(node, [start, ...words], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${name} by ${node} ended with ${status}: ${stderr}`);
  return JSON.parse(await readFile(file, "utf8")) as Measured;
}
