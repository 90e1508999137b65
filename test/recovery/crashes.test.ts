// Every job and every crash: the answer is cut or never comes, the receiver fails, the process is killed at each write and
// sync, the disk fails there, or loses what was not synced; and kills at random instants. What must hold is in
// crashes.ts. A few cells in a normal run, all in a soak. GRANTCTL_TEST_KILLS sets the number of random kills,
// GRANTCTL_TEST_SEED their instants, GRANTCTL_TEST_CUT_STEP the distance of the points of a soak.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inProcess, jobs, mostInFlight, setScene, type JobName, type Scene } from "./crashes.ts";
import { seededRandom, startProgram } from "../support/killed-program.ts";
import { loseUnsynced } from "./power-cut.ts";
import { inFull, inTurn, soakStep } from "../support/soak.ts";
import { runMain } from "../support/test-host.ts";
import { runTraced, whyNoTracing } from "../support/tracing.ts";
import type { TruthOperation } from "../support/truth-service.ts";

interface Struck {
  /** False if the run ended before this point. */
  readonly isReached: boolean;
  readonly wasKilled: boolean;
  /** The most values that may be lost. */
  readonly mostLost: number;
  /** True if the record may lack that a command has taken a value. */
  readonly mayRepeat?: boolean;
}
/** Runs the job with a crash at this point, from 1. */
type Crash = (scene: Scene, name: JobName, point: number) => Promise<Struck>;

const names = Object.keys(jobs) as readonly JobName[];
const reason = whyNoTracing();

/** The answers that a job reads. */
const answersOf = (name: JobName): readonly TruthOperation[] => {
  if (name === "rotate 3") return ["create", "view", "user", "delete", "update"];
  return name === "run" ? ["create", "delete"] : [jobs[name].operation];
};

/** Runs it in this process, if it starts no command that needs its lock. */
const usual = (scene: Scene, name: JobName) =>
  name === "run"
    ? inProcess(scene)
    : (words: readonly string[]) => runMain(words, { environment: scene.environment, input: scene.input });

/** In bytes. A shortened soak takes longer steps here, because an answer has hundreds of points. */
const cutDistance = inFull(97, soakStep === 1 ? 1 : 4 * soakStep + 1);

/** The byte of the answer's cut grows with the point; a read is repeated, so each of its answers is cut. */
const cutAnswer: Crash = async (scene, name, point) => {
  const operations = answersOf(name);
  const operation = operations[point % operations.length];
  const cutAt = Math.floor((point - 1) / operations.length) * cutDistance;
  let [isReached, mostLost, hits] = [false, 0, 0];
  scene.service.plan((request) => {
    if (request.operation !== operation) return undefined;
    hits += 1;
    const isRead = operation === "view" || operation === "user";
    if (!isRead && hits !== 1 + (point % jobs[name].count)) return undefined;
    return {
      cutAt,
      rewrite(answer) {
        isReached ||= cutAt < answer.length;
        const [value = "none"] = /"token":"[^"]+"/.exec(answer.toString("latin1")) ?? [];
        if (!answer.subarray(0, cutAt).toString("latin1").includes(value)) mostLost = isRead ? 0 : 1;
        return answer;
      },
    };
  });
  await scene.start([], usual(scene, name));
  scene.service.plan(() => undefined);
  return { isReached, wasKilled: false, mostLost };
};

/** One request gets no answer within the time limit: it is done, never done, or done when the run has ended. */
const noAnswer: Crash = async (scene, name, point) => {
  const operations = answersOf(name).filter((operation) => operation !== "view" && operation !== "user");
  const operation = operations[point % operations.length];
  const gate = join(scene.folder, "gate");
  const never = { instead: { status: 500 }, delayAnswerMs: 1_500 };
  const fault = [{ delayAnswerMs: 1_500 }, never, { afterFile: gate }][
    Math.floor(point / operations.length) % 3
  ];
  let hits = 0;
  scene.service.plan((request) => {
    if (request.operation !== operation) return undefined;
    hits += 1;
    return hits === 1 + (point % jobs[name].count) ? fault : undefined;
  });
  const [noun = "", verb = "", ...more] = scene.words;
  const withLimit = (words: readonly string[]) =>
    usual(scene, name)([noun, verb, "--timeout", "1", ...words.slice(2)]);
  expect(more.length + 2).toBe(scene.words.length);
  await scene.start([], withLimit);
  scene.service.plan(() => undefined);
  writeFileSync(gate, "");
  return { isReached: point <= 3 * operations.length, wasKilled: false, mostLost: 1 };
};

/** The command that takes the values fails; the file of the others appears meanwhile, standard output cannot fail here. */
const failReceiver: Crash = async (scene, name, point) => {
  let hits = 0;
  const [kind, file = ""] = scene.receiver;
  scene.service.onRequest(({ operation }) => {
    if (operation !== jobs[name].operation) return;
    hits += 1;
    if (hits !== Math.min(jobs[name].count, point)) return;
    writeFileSync(scene.crashed, "");
    if (kind === "--output-file" && hits === 1) writeFileSync(file, "another's\n", { mode: 0o600 });
  });
  await scene.start([], usual(scene, name));
  scene.repair();
  return { isReached: point <= 3, wasKilled: false, mostLost: 0 };
};

/** Runs it under strace, which injects this into the call with the point's number. */
function inject(call: string, what: string, losesUnsynced = false): Crash {
  return async (scene, name, point) => {
    const log = join(scene.folder, "log");
    const ended = await scene.start([], async (words) => {
      const run = await runTraced(
        ["-y", "-s", "8", "-o", log, "-e", "trace=pwrite64,fdatasync,fsync,link,rename,unlink"].concat(
          "-e",
          `inject=${call}:${what}:when=${point}`,
        ),
        words,
        scene,
      );
      return run.code === 137 ? { ...run, code: null } : run;
    });
    const text = readFileSync(log, "utf8");
    const wasKilled = ended.code === null;
    if (wasKilled && losesUnsynced) loseUnsynced(text);
    // A file has its value, or its name, only when the record has the answer.
    const isAnswerKept = !wasKilled || (jobs[name].count === 1 && !/pwrite|fdatasync/.test(call));
    return {
      isReached: wasKilled || text.includes("INJECTED"),
      wasKilled,
      mostLost: isAnswerKept ? 0 : mostInFlight(name),
      mayRepeat: true,
    };
  };
}

/** Goes from point to point until the job ends before one. In a normal run one is enough: the usual, or else the first. */
async function tryPoints({ name, crash, usual: only }: Pair, step: number): Promise<readonly string[]> {
  const wrong: string[] = [];
  let struck = 0;
  for (const point of inFull(
    [only, 1],
    Array.from({ length: 10_000 }, (_, index) => 1 + index * step),
  )) {
    // The second sync of a file is that of a value.
    const scene = await setScene(name, point + 1);
    const { isReached, wasKilled, mostLost, mayRepeat } = await crash(scene, name, point);
    const problems = await scene.problems(wasKilled, mostLost, mayRepeat);
    wrong.push(...problems.map((problem) => `${name}, point ${point}: ${problem}`));
    if (isReached) struck += 1;
    if (isReached !== inFull(false, true)) break;
  }
  if (struck === 0) wrong.push("no point is reached");
  return wrong.slice(0, 5);
}

const answers: Readonly<Record<string, Crash>> = {
  "the receiver fails": failReceiver,
  "the answer is cut": cutAnswer,
  "no answer comes": noAnswer,
};
const calls: Readonly<Record<string, Crash>> = {
  "killed at a write": inject("pwrite64", "signal=KILL"),
  "killed at a sync": inject("fdatasync", "signal=KILL"),
  "power cut at a file's sync": inject("fsync", "signal=KILL", true),
  "killed at a new name": inject("link,rename,unlink", "signal=KILL"),
  "power cut at a write": inject("pwrite64", "signal=KILL", true),
  "power cut at a sync": inject("fdatasync", "signal=KILL", true),
  "a write fails": inject("pwrite64", "error=ENOSPC"),
  "a sync fails": inject("fdatasync", "error=EIO"),
  "a file's sync fails": inject("fsync", "error=EIO"),
  "a new name fails": inject("link,rename,unlink", "error=EACCES"),
};

interface Pair {
  readonly name: JobName;
  readonly what: string;
  readonly crash: Crash;
  /** The point of a normal run. */
  readonly usual: number;
}

/** All pairs of a job and a crash in a soak; otherwise every tenth. */
const pairsOf = (crashes: Readonly<Record<string, Crash>>): readonly Pair[] =>
  Object.entries(crashes).flatMap(([what, crash], row) =>
    inTurn(names, 10, row).map((name) => ({ name, what, crash, usual: 2 + (row % 2) })),
  );

test.each(pairsOf(answers))("$name: $what", { tags: "soak" }, async (pair) => {
  expect(await tryPoints(pair, 1)).toEqual([]);
});

test.skipIf(reason !== null).each(pairsOf(calls))(
  `$name: $what${reason === null ? "" : ` (${reason})`}`,
  { tags: "soak" },
  async (pair) => {
    expect(await tryPoints(pair, soakStep)).toEqual([]);
  },
);

const kills = Number(process.env["GRANTCTL_TEST_KILLS"] ?? inFull("6", "1000"));
const seed = Number(process.env["GRANTCTL_TEST_SEED"] ?? "1");
const signals: readonly NodeJS.Signals[] = ["SIGKILL", "SIGKILL", "SIGKILL", "SIGTERM", "SIGINT"];

/** Starts it and sends a signal shortly after some request, or before the first. */
async function killSomewhere(scene: Scene, name: JobName, words: readonly string[], random: () => number) {
  const { child, finished } = startProgram(words, scene.environment, scene.input);
  const from = scene.service.requests.length;
  const after = Math.floor(random() * 3 * jobs[name].count);
  const milliseconds = random() * (after === 0 ? 400 : 20);
  // A signal that is passed on would end the command of a run, of which the scene wants to see the end.
  const signal = name === "run" ? "SIGKILL" : (signals[Math.floor(random() * signals.length)] ?? "SIGKILL");
  let isAimed = false;
  const strike = (): void => {
    if (isAimed || scene.service.requests.length < from + after) return;
    isAimed = true;
    setTimeout(() => child.kill(signal), milliseconds);
  };
  scene.service.onRequest(strike);
  strike();
  return finished;
}

test(`${kills} kills at random instants`, { tags: "soak" }, async () => {
  const killed: readonly JobName[] = ["reset 12", "rotate 3", "run", "create", "delete 6", "revoke-grant 6"];
  const wrong: string[] = [];
  let [struck, round] = [0, 0];
  const lane = async (): Promise<void> => {
    while (struck < kills) {
      const turn = (round += 1);
      const name = killed[turn % killed.length] ?? "create";
      const random = seededRandom(seed * 100_000 + turn);
      const scene = await setScene(name, Math.floor(random() * 1000));
      scene.service.plan(() => ({ delayMs: random() * 3, delayAnswerMs: random() * 6 }));
      let [wasKilled, mostLost] = [false, 0];
      // A job that is continued is killed again, up to three times.
      for (let more: readonly string[] = [], run = 0; run < 3; run += 1) {
        const ended = await scene.start(more, (words) => killSomewhere(scene, name, words, random));
        wasKilled = ended.code === null;
        if (wasKilled || ended.code === 130 || ended.code === 143) struck += 1;
        mostLost += mostInFlight(name);
        const [id] = scene.state.ids();
        if (id === undefined || name === "run" || name === "create") break;
        more = scene.resumed(id);
      }
      const problems = await scene.problems(wasKilled, mostLost, true);
      wrong.push(...problems.map((problem) => `round ${turn}, ${name}: ${problem}`));
    }
  };
  await Promise.all(Array.from({ length: inFull(2, 3) }, lane));
  process.stdout.write(`${struck} kills in ${round} jobs (seed ${seed})\n`);
  expect(wrong.slice(0, 5)).toEqual([]);
});
