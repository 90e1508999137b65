// Cuts off each response that a rotation reads, at some of its bytes (every byte in a soak): no old token is deleted
// before its successor is active, verified and delivered, no token is created twice if its value is known, and --resume
// completes the rest.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { watchRotations } from "../support/rotation-watch.ts";
import { inFull, soakStep } from "../support/soak.ts";
import { makeFolder, makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { on, startTruthService, type TruthOperation, type TruthService } from "../support/truth-service.ts";

const personal = { app: { name: "personal", url: "", client_id: "0".repeat(20) }, note_url: null };

const now = (): number => Date.parse("2026-11-21T10:00:00Z");

interface Expected {
  /** The exit code of the run with the cut response. */
  readonly codes: readonly number[];
  /** The changes sent so far. */
  readonly sent: readonly TruthOperation[];
}

/** The expected result of a cut at this byte; null if the response is effectively complete. */
type Expect = (arrived: string, value: string) => Expected | null;

const cases: readonly (readonly [TruthOperation, Expect])[] = [
  ["view", (arrived) => (arrived.includes("}}") ? null : { codes: [8, 11], sent: [] })],
  ["create", (arrived) => (arrived.includes("}}") ? null : { codes: [13], sent: ["create"] })],
  ["user", (arrived) => (arrived.includes('"}') ? null : { codes: [9], sent: ["create"] })],
  ["delete", () => ({ codes: [13], sent: ["create", "delete"] })],
  ["update", () => ({ codes: [13], sent: ["create", "delete", "update"] })],
];

/** Runs one rotation with the response cut there. Returns the violations and the length of the response. */
async function rotateCut(
  service: TruthService,
  operation: TruthOperation,
  expected: Expect,
  cutAt: number,
): Promise<{ readonly length: number; readonly wrong: readonly string[] }> {
  service.clear();
  const old = service.addToken({ ...personal, note: "note.", fingerprint: null, scopes: [] });
  const file = join(makeFolder(true), "taken");
  const taken = (): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
  const state = makeStateFolder(true);
  const environment = { ...service.environment, ...state.environment };
  const words = ["authorization", "rotate", "--yes", "--output-file", file];
  words.push(String(service.idOf(old)));
  const watch = watchRotations(service, [old], (value) => taken().includes(value));
  const wrote = service.writes.length;
  let answer: Buffer = Buffer.alloc(0);
  // A read is repeated, so each of its responses is cut.
  const isRead = operation === "user" || operation === "view";
  service.plan((request) =>
    request.operation === operation && (isRead || answer.length === 0)
      ? {
          cutAt,
          rewrite(whole) {
            answer = whole;
            return whole;
          },
        }
      : undefined,
  );
  const first = await runMain(words, { environment });
  service.plan(() => undefined);
  const writes = () => service.writes.slice(wrote);
  const value = writes().find((write) => write.operation === "create")?.value ?? "none";
  const arrived = answer.subarray(0, cutAt).toString("latin1");
  const wrong: string[] = [];
  const wanted = cutAt >= answer.length ? null : expected(arrived, value);
  if (wanted === null) {
    if (first.code !== 0) wrong.push(`ends with ${first.code}: ${first.stderr}`);
  } else {
    const sent = writes().map((write) => write.operation);
    if (!wanted.codes.includes(first.code)) wrong.push(`ends with ${first.code}: ${first.stderr}`);
    if (sent.join() !== wanted.sent.join()) wrong.push(`sent ${sent.join()}`);
    if (operation !== "delete" && operation !== "update" && !service.isLive(old))
      wrong.push("the old one is gone");
  }
  const [id] = state.ids();
  const again =
    wanted === null
      ? first
      : await runMain([...words, ...(id === undefined ? [] : ["--resume", id])], { environment });
  if (again.code !== 0) wrong.push(`taken up again: ${again.code}: ${again.stderr}`);
  const creations = writes().filter((write) => write.operation === "create").length;
  const isHere = operation !== "create" || arrived.includes(`"token":"${value}"`) || wanted === null;
  if (creations !== (isHere ? 1 : 2)) wrong.push(`${creations} creations`);
  wrong.push(...watch.wrong, ...watch.problemsAtEnd(again.stderr));
  if (state.ids().length > 0) wrong.push("a journal is left");
  return {
    length: answer.length,
    wrong: wrong.map((problem) => `${operation}, byte ${cutAt} of ${answer.length}: ${problem}`),
  };
}

test.each(cases)(
  "a response to %s cut at any byte deletes no token too early",
  { tags: "soak" },
  async (operation, expected) => {
    const service = await startTruthService();
    const wrong: string[] = [];
    const step = inFull(131, soakStep);
    for (let cutAt = 0, isWhole = false; !isWhole; cutAt += step) {
      const cut = await rotateCut(service, operation, expected, cutAt);
      wrong.push(...cut.wrong);
      isWhole = cutAt >= cut.length;
    }
    expect(wrong.slice(0, 5)).toEqual([]);
  },
);

test("a lost token is deleted first; if that fails, every run and recover show name it and exit with 9", async () => {
  const service = await startTruthService();
  const state = makeStateFolder();
  const environment = { ...service.environment, ...state.environment };
  service.addToken({ ...personal, note: "ci", fingerprint: null });
  const words = ["authorization", "rotate", "--yes", "1001"];
  service.plan(on("create", { cutAt: 0 }));
  expect((await runMain(words, { environment, now })).code).toBe(13);
  const resume = [...words, "--resume", state.ids()[0] ?? "none"];
  service.plan(({ operation, subject }) =>
    operation === "delete" && subject === "1002"
      ? { instead: { status: 403, body: { message: "no" } } }
      : undefined,
  );
  for (let time = 0; time < 2; time += 1) {
    const run = await runMain(resume, { environment, now });
    expect(run.code).toBe(9);
    expect(run.stderr.match(/grantctl authorization delete 1002/g)).toHaveLength(1);
    const shown = await runMain(["recover", "show", state.ids()[0] ?? "none"], { environment });
    expect(shown.stderr).toContain("ci (rotated 2026-11-21 10:00:00)");
  }
  service.plan(() => undefined);
  const last = await runMain(resume, { environment, now });
  expect([last.code, last.stderr]).toEqual([0, expect.stringContaining("authorization 1002")]);
  expect(service.writes.map(({ operation }) => operation)).toEqual([
    "create",
    "delete",
    "create",
    "delete",
    "update",
  ]);
});
