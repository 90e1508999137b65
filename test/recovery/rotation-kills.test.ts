// Kills the real program at random instants during rotations of one or many authorizations and resumes it until it is
// done. At each deletion, the server records whether the successor existed. A few kills per run, a thousand in a soak.
// GRANTCTL_TEST_ROTATION_KILLS sets the number, GRANTCTL_TEST_SEED the instants.
import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { runBinary } from "../support/binary.ts";
import { seededRandom, startProgram } from "../support/killed-program.ts";
import { setRotationStage, textOf, type RotationStage } from "../support/rotation-stage.ts";
import { watchRotations } from "../support/rotation-watch.ts";
import { inFull } from "../support/soak.ts";
import { makeStateFolder } from "../support/state-folder.ts";
import { startTruthService, type TruthService } from "../support/truth-service.ts";

const kills = Number(process.env["GRANTCTL_TEST_ROTATION_KILLS"] ?? inFull("6", "1000"));
const seed = Number(process.env["GRANTCTL_TEST_SEED"] ?? "1");
const signals: readonly NodeJS.Signals[] = ["SIGKILL", "SIGKILL", "SIGKILL", "SIGTERM", "SIGINT"];
/** Maximum number of kills before a run may finish. */
const mostKillsOfARotation = 6;

type Counts = Record<"rotations" | "items" | "kills" | "left behind and told of" | "not begun", number>;

interface Rotation extends RotationStage {
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs it and sends a signal shortly after the given number of requests, unless it finishes earlier. */
async function runAndKill(
  { service, environment, words }: Rotation,
  more: readonly string[],
  random: () => number,
  items: number,
) {
  const { child, finished } = startProgram([...words, ...more], environment, "");
  const from = service.requests.length;
  const after = Math.floor(random() * items * 4.5);
  const milliseconds = random() * (after === 0 ? 400 : 20);
  const signal = signals[Math.floor(random() * signals.length)] ?? "SIGKILL";
  let isAimed = false;
  const strike = (): void => {
    if (isAimed || service.requests.length < from + after) return;
    isAimed = true;
    setTimeout(() => child.kill(signal), milliseconds);
  };
  service.onRequest(strike);
  strike();
  return finished;
}

/** Kills and resumes one rotation until it is complete. Returns the violations. */
async function rotateThroughKills(
  service: TruthService,
  items: number,
  toFile: boolean,
  random: () => number,
  counts: Counts,
): Promise<readonly string[]> {
  const stage = setRotationStage(service, items, toFile);
  service.plan(() => ({ delayMs: random() * 3, delayAnswerMs: random() * 6 }));
  const { olds, taken, words } = stage;
  const state = makeStateFolder();
  const environment = { ...service.environment, ...state.environment };
  const rotation: Rotation = { ...stage, environment };
  const watch = watchRotations(service, olds, (value) => textOf(taken).includes(value));
  const wrong: string[] = [];
  const wrote = service.writes.length;
  let said = "";
  for (let run = 0; ; run += 1) {
    const [id] = state.ids();
    if (id === undefined && run > 0) {
      if (olds.every((old) => !service.isLive(old))) break;
      counts["not begun"] += 1;
      if (service.writes.length > wrote) wrong.push("something was sent, and no journal tells of it");
      if (toFile) rmSync(taken, { force: true });
    }
    const more = id === undefined ? [] : ["--resume", id];
    const ended =
      run < mostKillsOfARotation
        ? await runAndKill(rotation, more, random, items)
        : await runBinary([...words, ...more], { environment });
    said += ended.stderr;
    if (ended.signal !== null || ended.code === 143 || ended.code === 130) counts.kills += 1;
    else if (ended.code === 0) break;
    // The next run cleans up after a kill before the start or after the end.
    else if (ended.code === 2 && ended.stderr.includes("no unfinished job") && state.ids().length === 0)
      continue;
    else wrong.push(`run ${run} ended with ${ended.code}: ${ended.stderr}`);
    if (run > mostKillsOfARotation) break;
  }
  counts.rotations += 1;
  counts.items += items;
  counts["left behind and told of"] += watch.lost().length;
  if (state.ids().length > 0) wrong.push("done, and a journal is left");
  if (toFile)
    for (const value of service.writes.slice(wrote).flatMap((write) => write.value ?? []))
      if (textOf(taken).split(value).length > 2) wrong.push("a value stands twice in the file");
  return [...wrong, ...watch.wrong, ...watch.problemsAtEnd(said)];
}

test(
  `rotations killed ${kills} times keep a token active at every instant and lose no value silently`,
  { tags: "soak" },
  async () => {
    const counts: Counts = { rotations: 0, items: 0, kills: 0, "left behind and told of": 0, "not begun": 0 };
    const wrong: string[] = [];
    let round = 0;
    const lane = async (): Promise<void> => {
      const service = await startTruthService();
      while (counts.kills < kills) {
        round += 1;
        const random = seededRandom(seed * 100_000 + round);
        const items = [1, 8, 1, 3][round % 4] ?? 1;
        const name = `round ${round}, ${items} items`;
        const problems = await rotateThroughKills(service, items, random() < 0.5, random, counts);
        wrong.push(...problems.map((problem) => `${name}: ${problem}`));
      }
    };
    await Promise.all(Array.from({ length: inFull(1, 3) }, lane));
    const said = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
    process.stdout.write(`rotations killed: ${said.join(", ")} (seed ${seed})\n`);
    expect(wrong.slice(0, 5).join("\n")).toBe("");
  },
);
