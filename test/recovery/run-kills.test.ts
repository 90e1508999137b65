// Kills grantctl, its command or both at random moments of `authorization run`, while another process calls `recover
// end --all` repeatedly. Afterwards no token of a run is active, and none was deleted while its command ran: the
// command records its start and end, the server its deletions. A few kills per run, a thousand in a soak, and one at
// every system call that writes the journal. GRANTCTL_TEST_RUN_KILLS sets the number.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { runBinary } from "../support/binary.ts";
import { seededRandom, startProgram } from "../support/killed-program.ts";
import { inFull } from "../support/soak.ts";
import { makeFolder, makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { runTraced, whyNoTracing } from "../support/tracing.ts";
import { startTruthService, type TruthService } from "../support/truth-service.ts";

const kills = Number(process.env["GRANTCTL_TEST_RUN_KILLS"] ?? inFull("8", "1000"));
const seed = Number(process.env["GRANTCTL_TEST_SEED"] ?? "1");
const reason = whyNoTracing();

/** Writes its process ID and the token, runs for a while, and writes that it ends. */
const script = (folder: string, seconds: number): string =>
  `echo "$$ $GRANTCTL_TOKEN" > ${folder}/begun.new; mv ${folder}/begun.new ${folder}/begun; sleep ${seconds}; date +%s%3N > ${folder}/ended`;

function textOf(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "utf8").trim() : null;
}

function isRunning(pid: number): boolean {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat !== null && !/^\d+ \(.*\) [ZX]/.test(stat);
}

/** One run with a kill. Returns the violations. */
async function killOnce(
  service: TruthService,
  environment: Readonly<Record<string, string>>,
  random: () => number,
  ids: Ids,
): Promise<readonly string[]> {
  const folder = makeFolder(true);
  const seconds = (random() * 0.4).toFixed(2);
  const words = ["authorization", "run", "--", "sh", "-c", script(folder, Number(seconds))];
  const { child } = startProgram(words, environment, "");
  const exited = once(child, "exit");
  const whom = Math.floor(random() * 3);
  const end = new AbortController();
  void exited.then(() => end.abort());
  // At any moment of the run, or of the command.
  if (random() < 0.7) while (!end.signal.aborted && textOf(join(folder, "begun")) === null) await sleep(5);
  await sleep(random() * 500);
  const pid = Number(textOf(join(folder, "begun"))?.split(" ")[0] ?? "0");
  if (whom !== 1 || pid === 0) child.kill("SIGKILL");
  if (whom !== 0 && pid !== 0 && isRunning(pid)) process.kill(pid, "SIGKILL");
  await exited;
  // The command may outlive grantctl.
  while (isRunning(Number(textOf(join(folder, "begun"))?.split(" ")[0] ?? "0"))) await sleep(10);
  const token = textOf(join(folder, "begun"))?.split(" ")[1];
  const ended = Number(textOf(join(folder, "ended")) ?? "0");
  const deleted = service.writes.find(
    ({ operation, subject }) => operation === "delete" && token !== undefined && subject === ids.get(token),
  );
  return deleted !== undefined && ended > 0 && deleted.at < ended
    ? [`a token was deleted ${ended - deleted.at} ms before its command ended`]
    : [];
}

/** The IDs of tokens that were ever active, by their values. */
type Ids = Map<string, string>;

function aliveOf(service: TruthService): readonly string[] {
  const created = service.writes.flatMap(({ operation, value }) =>
    operation === "create" ? (value ?? []) : [],
  );
  return created.filter((value) => service.isLive(value));
}

test(`${kills} kills leave no token active, and delete none in use`, { tags: "soak" }, async () => {
  const service = await startTruthService(() => ({ delayMs: 2, delayAnswerMs: 3 }));
  const state = makeStateFolder();
  const environment = { ...service.environment, ...state.environment };
  const random = seededRandom(seed);
  const ids: Ids = new Map();
  service.onRequest(() => {
    for (const value of aliveOf(service)) ids.set(value, String(service.idOf(value)));
  });
  const wrong: string[] = [];
  const end = new AbortController();
  const sweep = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const { code, stderr } = await runBinary(["recover", "end", "--all"], { environment });
      // Another run may hold the record at this moment, or a request of it may still be on its way.
      if (code !== 0 && !/another grantctl|may still take effect/.test(stderr))
        wrong.push(`recover end: ${code}: ${stderr}`);
    }
  };
  const lane = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done += 1)
      wrong.push(...(await killOnce(service, environment, random, ids)));
  };
  const sweeping = sweep();
  await Promise.all([0, 1, 2, 3].map(() => lane(Math.ceil(kills / 4))));
  end.abort();
  await sweeping;
  const last = await runMain(["recover", "end", "--all"], {
    environment,
    now: later,
  });
  process.stdout.write(
    `authorization run, killed: ${service.writes.filter(({ operation }) => operation === "create").length} tokens made\n`,
  );
  expect(last.code).toBe(0);
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(aliveOf(service)).toEqual([]);
  expect(state.journals()).toEqual([]);
});

/** A request without an answer may take effect for a minute after its time limit. */
const later = (): number => Date.now() + 120_000;

describe.skipIf(reason !== null)(`killed at a system call${reason === null ? "" : ` (${reason})`}`, () => {
  test.each(inFull(["fdatasync"], ["pwrite64", "fdatasync", "fsync", "link", "unlink"]))(
    "a kill at each %s leaves no token active",
    { tags: "soak" },
    async (call) => {
      const service = await startTruthService();
      const problems: string[] = [];
      let killed = 0;
      for (let time = 1; ; time += 1) {
        const state = makeStateFolder();
        const environment = { ...service.environment, ...state.environment };
        const traced = await runTraced(
          ["-o", "/dev/null", "-e", `trace=${call}`, "-e", `inject=${call}:signal=KILL:when=${time}`],
          ["authorization", "run", "--", "true"],
          { environment },
        );
        const wasKilled = traced.signal !== null || traced.code === 137;
        if (!wasKilled && traced.code !== 0)
          problems.push(`${call} ${time}: exit ${traced.code}: ${traced.stderr}`);
        const ended = await runMain(["recover", "end", "--all"], {
          environment,
          now: later,
        });
        if (ended.code !== 0) problems.push(`${call} ${time}: recover end: ${ended.code}: ${ended.stderr}`);
        if (aliveOf(service).length > 0) problems.push(`${call} ${time}: a token is alive`);
        if (state.journals().length > 0) problems.push(`${call} ${time}: a journal is left`);
        if (!wasKilled) break;
        killed += 1;
      }
      process.stdout.write(`authorization run, killed at each ${call}: ${killed} kills\n`);
      expect(problems).toEqual([]);
    },
  );
});
