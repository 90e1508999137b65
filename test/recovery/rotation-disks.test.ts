// The disk fails any of the writes of a rotation: the old token is deleted only after its successor is safe, a response
// that could not be recorded is recorded with the next step, and if that also fails, the new token is reported.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runBinary } from "../support/binary.ts";
import { watchRotations } from "../support/rotation-watch.ts";
import { inFull } from "../support/soak.ts";
import { makeFolder, makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { runTraced, whyNoTracing } from "../support/tracing.ts";
import { startTruthService } from "../support/truth-service.ts";

const reason = whyNoTracing();
const personal = { app: { name: "personal", url: "", client_id: "0".repeat(20) }, note_url: null };
const places = inFull([5, 7], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);

/** Runs and resumes one rotation in which these writes fail. Returns the violations. */
async function rotateOnDisk(when: string, call: string): Promise<readonly string[]> {
  const service = await startTruthService();
  const state = makeStateFolder();
  const folder = makeFolder();
  const taken = join(folder, "taken");
  const textOf = (): string => (existsSync(taken) ? readFileSync(taken, "utf8") : "");
  const environment = { ...service.environment, ...state.environment };
  const old = service.addToken({ ...personal, note: "note.", fingerprint: null, scopes: [] });
  const watch = watchRotations(service, [old], (value) => textOf().includes(value));
  const words = ["authorization", "rotate", "--yes", "1001", "--to-command", `tee -a ${taken}`];
  const first = await runTraced(
    ["-o", "/dev/null", "-e", `trace=${call}`, "-e", `inject=${call}:error=ENOSPC:when=${when}`],
    words,
    { environment },
  );
  const wrong: string[] = [];
  let said = first.stderr;
  if (![0, 2, 9, 12, 13].includes(first.code ?? -1)) wrong.push(`ends with ${first.code}: ${first.stderr}`);
  if (first.code === 2 && service.writes.length > 0)
    wrong.push(`says that nothing was sent: ${first.stderr}`);
  if (first.code !== 0 && !service.isLive(old) && watch.lost().length > 0) wrong.push("neither is to be had");
  const [id] = state.ids();
  if (first.code !== 0) {
    const more = id === undefined ? [] : ["--resume", id];
    const again = await runMain([...words, ...more], { environment });
    said += again.stderr;
    if (again.code !== 0) wrong.push(`taken up again: ${again.code}: ${again.stderr}`);
  }
  return [...wrong, ...watch.wrong, ...watch.problemsAtEnd(said)].map(
    (problem) => `${call} ${when}: ${problem} (first: ${first.code}: ${first.stderr})`,
  );
}

describe.skipIf(reason !== null)(`on a failing disk${reason === null ? "" : ` (${reason})`}`, () => {
  test("without a failure, the run succeeds", { tags: "soak" }, async () => {
    const service = await startTruthService();
    service.clear();
    const old = service.addToken({ ...personal, note: "note.", fingerprint: null, scopes: [] });
    const words = ["authorization", "rotate", "--yes", String(service.idOf(old)), "--to-command", "cat"];
    expect(await runBinary(words, { environment: service.environment })).toMatchObject({ code: 0 });
  });

  test.each([
    ["one write", "pwrite64", (place: number) => `${place}`],
    ["two writes in a row", "pwrite64", (place: number) => `${place}..${place + 1}`],
    ["one sync", "fdatasync", (place: number) => `${place}`],
  ] as const)("a failure of %s loses no token", { tags: "soak" }, async (_, call, when) => {
    const wrong: string[] = [];
    for (const place of places) wrong.push(...(await rotateOnDisk(when(place), call)));
    expect(wrong).toEqual([]);
  });
});
