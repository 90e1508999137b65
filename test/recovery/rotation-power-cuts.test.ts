// Interrupts rotations of one or many authorizations at each request, repeatedly, by kills and by power cuts that also
// lose unsynced data, and resumes them. At any point: no old token is deleted before its successor is active, verified
// and delivered, and no value is lost silently. GRANTCTL_TEST_SEED sets the points.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { seededRandom } from "../support/killed-program.ts";
import { setRotationStage, textOf, type RotationStage } from "../support/rotation-stage.ts";
import { watchRotations } from "../support/rotation-watch.ts";
import { inFull, inTurn, soakStep } from "../support/soak.ts";
import { makeStateFolder, type StateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { startTruthService, type TruthService } from "../support/truth-service.ts";

const seed = Number(process.env["GRANTCTL_TEST_SEED"] ?? "1");

/** The process has stopped: no further requests and no retries. */
const down = { instead: { status: 403, body: { message: "down" } } };

interface Interruption {
  /** Index of the interrupted request, counted from 0. */
  readonly position: number;
  /** True if that request still takes effect. */
  readonly isCarriedOut: boolean;
  readonly isPowerCut: boolean;
  /** How many of the unsynced records since the previous request are lost. */
  readonly records: number;
}

/** The lines of a journal, without the reserved space at its end. */
function recordsOf(path: string): readonly string[] {
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .filter((line) => line !== "");
}

interface JournalRecord {
  readonly item?: string;
  readonly state?: string;
  readonly body?: string;
  readonly interim?: unknown;
  readonly step?: unknown;
}

function read(record: string): JournalRecord {
  return JSON.parse(record.slice(record.indexOf(" ") + 1)) as JournalRecord;
}

/** True if the last record is written but not synced, so that a power cut may lose it. */
function isLastUnsynced(records: readonly string[]): boolean {
  const [last = {}, ...earlier] = records.map(read).toReversed();
  if (last.interim !== undefined || last.step !== undefined) return false;
  if (last.state === "failed" || last.state === "done") return true;
  // Planned items are released without a sync; everything else that is sent was synced.
  return last.state === "sent" && earlier.find(({ item }) => item === last.item)?.state === "planned";
}

/** True if the record holds a value whose delivery is recorded later. */
function isBeforeDelivery(record: string, taken: string): boolean {
  const value = /"token":"([^"]+)"/.exec(Buffer.from(read(record).body ?? "", "base64").toString())?.[1];
  return value !== undefined && taken.includes(value);
}

/** The disk after the restart: everything that was synced, and a given part of the rest. */
function leftOf(
  now: readonly string[],
  before: readonly string[],
  taken: string,
  { isPowerCut, records, isCarriedOut }: Interruption,
): readonly string[] {
  const left = [...now];
  // Records written after the previous request were not needed for it; this request may need all of them.
  if (!isCarriedOut)
    for (let gone = 0; gone < records && left.length > before.length; gone += 1) {
      if (isBeforeDelivery(left.at(-1) ?? "", taken)) break;
      left.pop();
    }
  if (isPowerCut) while (left.length > 0 && isLastUnsynced(left)) left.pop();
  return left;
}

/** Runs it, stops the machine at the interruption, and returns a state folder with the remaining data. */
async function interrupt(
  stage: RotationStage,
  state: StateFolder,
  words: readonly string[],
  bootId: string,
  at: Interruption,
): Promise<{ readonly state: StateFolder; readonly isInterrupted: boolean; readonly said: string }> {
  const { service, taken, crashed } = stage;
  const start = service.requests.length;
  const [inherited] = state.journals();
  let before = inherited === undefined ? [] : recordsOf(inherited);
  let left: readonly string[] | null = null;
  let takenThen = "";
  let name = "";
  service.plan((_, position) => {
    if (left !== null) return down;
    const [journal] = state.journals();
    const now = journal === undefined ? [] : recordsOf(journal);
    if (position - start < at.position) {
      before = now;
      return undefined;
    }
    name = basename(journal ?? "");
    takenThen = textOf(taken);
    left = leftOf(now, before, takenThen, at);
    writeFileSync(crashed, "");
    return at.isCarriedOut ? { cutAt: 0 } : down;
  });
  const run = await runMain(words, {
    environment: { ...stage.service.environment, ...state.environment },
    bootId,
    now: () => Date.parse("2026-11-21T10:00:00Z"),
  });
  service.plan(() => undefined);
  rmSync(crashed, { force: true });
  const records = left as readonly string[] | null;
  // It knows other items only from earlier reads.
  const said = `${run.code}: ${run.stderr}`;
  if (records === null) return { state, isInterrupted: false, said };
  if (stage.toFile && existsSync(taken)) writeFileSync(taken, takenThen);
  const next = makeStateFolder();
  mkdirSync(next.path, { mode: 0o700 });
  if (name !== "" && records.length > 0)
    writeFileSync(join(next.path, name), `${records.join("\n")}\n`, { mode: 0o600 });
  return { state: next, isInterrupted: true, said };
}

/** Completes the given number of rotations despite these interruptions. Returns the violations. */
async function rotateThrough(
  service: TruthService,
  count: number,
  toFile: boolean,
  interruptions: readonly Interruption[],
): Promise<readonly string[]> {
  const stage = setRotationStage(service, count, toFile);
  const watch = watchRotations(service, stage.olds, (value) => textOf(stage.taken).includes(value));
  const wrong: string[] = [];
  const wrote = service.writes.length;
  let state = makeStateFolder();
  let said = "";
  let boot = 1;
  const wordsNow = (): readonly string[] => {
    const [id] = state.ids();
    if (id !== undefined) return [...stage.words, "--resume", id];
    if (service.writes.length > wrote) wrong.push("something was sent, and no journal tells of it");
    if (toFile) rmSync(stage.taken, { force: true });
    return stage.words;
  };
  let isDone = false;
  for (const at of interruptions) {
    const ended = await interrupt(stage, state, wordsNow(), `boot-${boot}`, at);
    ({ state } = ended);
    said += ended.said;
    if (at.isPowerCut) boot += 1;
    isDone = !ended.isInterrupted && ended.said.startsWith("0:");
    if (isDone) break;
    if (!ended.isInterrupted) wrong.push(`not interrupted, and ended with ${ended.said}`);
  }
  if (!isDone) {
    const run = await runMain(wordsNow(), {
      environment: { ...stage.service.environment, ...state.environment },
      bootId: `boot-${boot}`,
      now: () => Date.parse("2026-11-22T10:00:00Z"),
    });
    said += run.stderr;
    if (run.code !== 0) wrong.push(`in the end ${run.code}: ${run.stderr}`);
  }
  if (state.ids().length > 0) wrong.push("done, and a journal is left");
  for (const value of service.writes.slice(wrote).flatMap((write) => write.value ?? [])) {
    if (toFile && textOf(stage.taken).split(value).length > 2) wrong.push("a value stands twice in the file");
  }
  return [...wrong, ...watch.wrong, ...watch.problemsAtEnd(said)].map(
    (problem) => `${count}, ${toFile ? "file" : "command"}, ${JSON.stringify(interruptions)}: ${problem}`,
  );
}

/** True if the request is carried out, and how many records are lost. */
const ways: readonly (readonly [boolean, number])[] = inFull(
  [
    [true, 0],
    [false, 1],
  ],
  [
    [true, 0],
    [false, 0],
    [false, 1],
    [false, 2],
  ],
);

test("one rotation interrupted at each request in every way loses nothing", { tags: "soak" }, async () => {
  const service = await startTruthService();
  const wrong: string[] = [];
  for (let position = 0; position < 6; position += 1)
    for (const isPowerCut of [false, true])
      for (const [isCarriedOut, records] of inTurn(ways, 2, position + Number(isPowerCut))) {
        const toFile = (position + records) % 2 === 0;
        const at = { position, isCarriedOut, isPowerCut, records };
        wrong.push(...(await rotateThrough(service, 1, toFile, [at])));
      }
  expect(wrong.slice(0, 5)).toEqual([]);
});

test(
  "one or many rotations interrupted repeatedly at random requests lose nothing",
  { tags: "soak" },
  async () => {
    const service = await startTruthService();
    const random = seededRandom(seed);
    const below = (limit: number): number => Math.floor(random() * limit);
    const wrong: string[] = [];
    const rounds = inFull(5, 100 / soakStep);
    let interruptions = 0;
    for (let round = 0; round < rounds; round += 1) {
      const count = [1, 3, 6][round % 3] ?? 1;
      const plan = Array.from({ length: 1 + below(4) }, () => ({
        position: below(count * 5),
        isCarriedOut: random() < 0.5,
        isPowerCut: random() < 0.5,
        records: below(3),
      }));
      interruptions += plan.length;
      wrong.push(...(await rotateThrough(service, count, random() < 0.5, plan)));
    }
    process.stdout.write(`rotations: ${rounds}, interrupted ${interruptions} times at most (seed ${seed})\n`);
    expect(wrong.slice(0, 5)).toEqual([]);
  },
);
