// Damaged, foreign or unwritable files are reported and never deleted: journals with a damaged record, of a later
// version or after a power cut, and state folders that cannot be written.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeFolder, makeStateFolder, type StateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { ofWrites, startTruthService, type FaultPlan, type TruthService } from "../support/truth-service.ts";

interface Stage {
  readonly service: TruthService;
  readonly state: StateFolder;
  readonly environment: Readonly<Record<string, string>>;
}

async function setStage(plan?: FaultPlan): Promise<Stage> {
  const service = await startTruthService(plan);
  const state = makeStateFolder();
  return { service, state, environment: { ...service.environment, ...state.environment } };
}

function lineOf(record: object): string {
  const json = JSON.stringify(record);
  return `${createHash("sha256").update(json).digest("hex").slice(0, 16)} ${json}`;
}

/** Flips a bit in a journal line; lines count from 1. */
function damage(journal: string, line: number): void {
  const lines = readFileSync(journal, "latin1").split("\n");
  lines[line - 1] = (lines[line - 1] ?? "").replace('"item"', '"iten"');
  writeFileSync(journal, lines.join("\n"), "latin1");
}

const reset = ["token", "reset", "--yes"];

/** A job of four resets with no value delivered: each response was cut off after the value. */
async function leaveValues(): Promise<Stage & { readonly input: string; readonly journal: string }> {
  const stage = await setStage(
    ofWrites(() => ({
      rewrite: (answer) => answer.subarray(0, answer.indexOf('"note"')),
    })),
  );
  const input = Array.from({ length: 4 }, () => stage.service.addToken()).join("\n");
  expect((await runMain(reset, { environment: stage.environment, input })).code).toBe(13);
  stage.service.plan(() => undefined);
  return { ...stage, input, journal: stage.state.journals()[0] ?? "none" };
}

/** A job of six items, all carried out without a response; only the planned records are on disk. */
async function cutPower(verb: "reset" | "revoke") {
  const stage = await setStage(ofWrites(() => ({ cutAt: 0 })));
  const tokens = Array.from({ length: 6 }, () => stage.service.addToken());
  const words = ["token", verb, "--yes"];
  const world = { environment: stage.environment, input: tokens.join("\n"), bootId: "boot-one" };
  await runMain([...words, "--concurrency", "1"], world);
  const [journal = "none"] = stage.state.journals();
  const kept = readFileSync(journal, "utf8")
    .trimEnd()
    .split("\n")
    .filter((line) => line !== "" && !/"state":"(?:sent|failed)"|isLost/.test(line));
  writeFileSync(journal, `${kept.join("\n")}\n`);
  stage.service.plan(() => undefined);
  return { ...stage, tokens, words, id: stage.state.ids()[0] ?? "none", world };
}

describe("a journal with a damaged record before intact ones", () => {
  test("is listed as damaged, keeps every later value, and is not deleted by any run", async () => {
    const { service, state, environment, journal } = await leaveValues();
    damage(journal, 2);
    const before = readFileSync(journal, "latin1");
    expect((await runMain(["authorization", "list"], { environment })).code).toBe(0);
    const listed = await runMain(["recover", "list", "--json", "id,state,values"], { environment });
    expect(JSON.parse(listed.stdout)).toEqual([{ id: state.ids()[0], state: "damaged", values: 4 }]);
    const shown = await runMain(["recover", "show", state.ids()[0] ?? "none"], { environment });
    for (const { value } of service.writes) expect(shown.stdout).toContain(value);
    expect(readFileSync(journal, "latin1")).toBe(before);
    expect((await runMain(["recover", "forget", state.ids()[0] ?? "none"], { environment })).code).toBe(0);
    expect(state.content()).toBe("");
  });

  test("can be resumed: nothing is truncated, and nothing is sent twice", async () => {
    const { service, state, environment, input, journal } = await leaveValues();
    damage(journal, 2);
    const before = readFileSync(journal, "latin1").replace(/\n+$/, "\n");
    const run = await runMain([...reset, "--resume", state.ids()[0] ?? "none"], { environment, input });
    expect(run.code).toBe(0);
    expect(service.writes).toHaveLength(4);
    for (const { value } of service.writes) expect(run.stdout).toContain(value);
    expect(readFileSync(journal, "latin1").startsWith(before)).toBe(true);
  });

  test.each<[string, (journal: string) => string]>([
    ["is what is broken", (journal) => `${journal.slice(0, 30)}~${journal.slice(31)}`],
    ["is gone with its line", (journal) => journal.slice(journal.indexOf("\n") + 1)],
  ])("shows its values even if the head %s, and can be forgotten", async (_, damaged) => {
    const { service, state, environment, journal } = await leaveValues();
    writeFileSync(journal, damaged(readFileSync(journal, "latin1")), "latin1");
    const [id = "none"] = state.ids();
    const listed = await runMain(["recover", "list"], { environment });
    expect(listed.stdout).toContain(`${id}\tunknown\tdamaged\t`);
    const shown = await runMain(["recover", "show", id], { environment });
    for (const { value } of service.writes) expect(shown.stdout).toContain(value);
    expect((await runMain(["recover", "forget", id], { environment })).code).toBe(0);
    expect(state.ids()).toEqual([]);
  });
});

test("recover show reports a damaged journal without a value, and how to settle it", async () => {
  const { state, world, id } = await cutPower("revoke");
  const [journal = "none"] = state.journals();
  writeFileSync(journal, readFileSync(journal, "latin1").replace(/^.*\n/, ""), "latin1");
  const shown = await runMain(["recover", "show", id], world);
  expect(shown.code).toBe(13);
  expect(shown.stderr).toContain("its operation can no longer be read; 6 of its items");
  expect(shown.stderr).toContain(`grantctl recover forget ${id}`);
  expect(state.ids()).toEqual([id]);
});

test("a journal of a later version is listed as such and can be forgotten", async () => {
  const { state, environment } = await setStage();
  mkdirSync(state.path, { mode: 0o700 });
  writeFileSync(join(state.path, "20300101-000000-abcdef.journal"), `${lineOf({ version: 2 })}\n`);
  const listed = await runMain(["recover", "list"], { environment });
  expect(listed.stdout).toContain("20300101-000000-abcdef\tunknown\tof a later version\t");
  const shown = await runMain(["recover", "show", "2030"], { environment });
  expect([shown.code, shown.stderr]).toEqual([2, expect.stringContaining("later version")]);
  expect((await runMain(["recover", "forget", "2030"], { environment })).code).toBe(0);
  expect(state.ids()).toEqual([]);
});

describe("after a power cut", () => {
  test("resets without a record stay in recover, and are never reported as not carried out", async () => {
    const { service, words, id, world } = await cutPower("reset");
    const carriedOut = service.writes.length;
    const run = await runMain([...words, "--resume", id], { ...world, bootId: "boot-two" });
    // No token is left that could prove that they are lost.
    expect([run.code, carriedOut]).toEqual([9, expect.any(Number)]);
    expect(run.stdout).toContain('"status":"unproven"');
    expect(run.stderr).not.toContain("nothing was changed");
  });

  test("revocations without a record are settled by a resumed run", async () => {
    const { service, state, words, id, world } = await cutPower("revoke");
    for (const token of service.writes) expect(service.isLive(token.subject)).toBe(false);
    await runMain([...words, "--resume", id], { ...world, bootId: "boot-two" });
    expect((await runMain([...words, "--resume", id], { ...world, bootId: "boot-two" })).code).toBe(
      state.ids().length === 0 ? 2 : 9,
    );
  });
});

describe("a state folder", () => {
  test.runIf(process.getuid?.() === 0)(
    "that cannot be locked stays unchanged, and --resume exits with 2",
    async () => {
      const { service, state, environment } = await setStage(() => ({ instead: { status: 403 } }));
      const input = Array.from({ length: 3 }, () => service.addToken()).join("\n");
      service.plan(ofWrites((_, position) => (position === 1 ? { cutAt: 0 } : undefined)));
      await runMain(["token", "revoke", "--yes", "--concurrency", "1"], { environment, input });
      const [journal = "none"] = state.journals();
      const sent = service.requests.length;
      // A folder in place of the lock file fails even for root.
      mkdirSync(`${journal}.lock`);
      const run = await runMain(["token", "revoke", "--yes", "--resume", journal], { environment, input });
      expect(run.code).toBe(2);
      expect(service.requests.slice(sent).every(({ operation }) => operation === "check")).toBe(true);
    },
  );

  test("that cannot be read is an error, not an empty list", async () => {
    const { environment } = await setStage();
    const file = join(makeFolder(), "file");
    writeFileSync(file, "");
    const run = await runMain(["recover", "list"], {
      environment: { ...environment, GRANTCTL_STATE_DIR: file },
    });
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining("cannot be read")]);
  });

  test("with a journal that cannot be deleted makes recover forget fail", async () => {
    const { service, state, environment } = await setStage(ofWrites(() => ({ cutAt: 0 })));
    await runMain(reset, { environment, input: service.addToken() });
    const [journal = "none"] = state.journals();
    const content = readFileSync(journal);
    // unlink fails on a folder, even for root, so a folder simulates a journal that cannot be deleted.
    rmSync(journal);
    mkdirSync(journal);
    writeFileSync(join(journal, "x"), content);
    const run = await runMain(["recover", "forget", state.ids()[0] ?? "none"], { environment });
    expect(run.code).toBe(2);
  });
});
