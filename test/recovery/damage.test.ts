// Damaged, foreign or unwritable files are reported and never deleted: records with a damaged line, of another version
// or after a power cut, and state folders that cannot be read.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hashOf } from "../../src/token.ts";
import { lineOf, makeFolder, makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { ofWrites, startTruthService, type FaultPlan } from "../support/truth-service.ts";

async function setStage(plan?: FaultPlan) {
  const service = await startTruthService(plan);
  const state = makeStateFolder();
  return { service, state, environment: { ...service.environment, ...state.environment } };
}

/** Flips a bit in the lines of items that have all of these texts. */
function damage(journal: string, ...texts: readonly string[]): void {
  const lines = readFileSync(journal, "latin1").split("\n");
  const broken = lines.map((line) =>
    texts.every((text) => line.includes(text)) ? line.replace('"key"', '"kez"') : line,
  );
  writeFileSync(journal, broken.join("\n"), "latin1");
}

const reset = ["token", "reset", "--yes"];

/** A job of four resets with no value delivered: each response was cut off after the value. */
async function leaveValues() {
  const stage = await setStage(
    ofWrites(() => ({ rewrite: (answer) => answer.subarray(0, answer.indexOf('"note"')) })),
  );
  const tokens = Array.from({ length: 4 }, () => stage.service.addToken());
  const [environment, input] = [stage.environment, tokens.join("\n")];
  expect((await runMain(reset, { environment, input })).code).toBe(13);
  stage.service.plan(() => undefined);
  const run = (words: string, ...more: readonly string[]) =>
    runMain([...words.split(" "), ...more], { environment });
  const [[id = "none"], [journal = "none"]] = [stage.state.ids(), stage.state.journals()];
  return { ...stage, run, id, journal, input, first: tokens[0] ?? "none" };
}

describe("a record with a damaged line before whole ones", () => {
  test("is listed as damaged, shows every value, and is not deleted by any run", async () => {
    const { service, state, run, id, journal, first } = await leaveValues();
    damage(journal, "body", hashOf(first));
    const before = readFileSync(journal, "latin1");
    expect((await run("authorization list")).code).toBe(0);
    const listed = await run("recover list --json id,left");
    expect(JSON.parse(listed.stdout)).toEqual([{ id, left: "damaged" }]);
    const shown = await run("recover show", id);
    for (const { value } of service.writes) expect(shown.stdout).toContain(value);
    expect(shown.stderr).toContain("the record is damaged; unreadable is: ");
    expect(readFileSync(journal, "latin1")).toBe(before);
    await run("recover show", id, "--output-file", join(makeFolder(), "values"));
    expect(readFileSync(journal, "latin1").match(/"state":"done"/g)).toHaveLength(3);
    expect((await run("recover forget", id)).code).toBe(2);
    expect((await run("recover forget --yes", id)).code).toBe(0);
    expect(state.content()).toBe("");
  });

  test("can be resumed: nothing is truncated, and nothing is sent twice", async () => {
    const { service, environment, id, input, journal, first } = await leaveValues();
    damage(journal, '"sent"', hashOf(first));
    const before = readFileSync(journal, "latin1").replace(/\n+$/, "\n");
    const run = await runMain([...reset, "--resume", id], { environment, input });
    expect(run.code).toBe(0);
    expect(service.writes).toHaveLength(4);
    for (const { value } of service.writes) expect(run.stdout).toContain(value);
    expect(readFileSync(journal, "latin1").startsWith(before)).toBe(true);
  });

  test("whose resumption does not find a value names the command that may", async () => {
    const { service, environment, id, input, journal, first } = await leaveValues();
    const proof = join(makeFolder(), "proof.txt");
    writeFileSync(proof, service.addToken());
    damage(journal, '"state"', hashOf(first));
    const another = await runMain(reset, { environment, input: first });
    expect(another.stderr).toContain("an earlier run has begun to reset the token");
    const more = ["--resume", id, "--format", "ndjson", "--proof-token-file", proof];
    const run = await runMain([...reset, ...more], { environment, input });
    expect([run.code, run.stdout]).toEqual([9, expect.stringContaining("readable part of the record")]);
    expect(run.stderr).toContain(`Run \`grantctl recover show ${id}\` to see whether`);
  });

  test.each<[string, (journal: string) => string]>([
    ["is what is broken", (journal) => `${journal.slice(0, 30)}~${journal.slice(31)}`],
    ["is gone with its line", (journal) => journal.slice(journal.indexOf("\n") + 1)],
  ])("shows its values even if the head %s, and can be forgotten", async (_, damaged) => {
    const { service, state, run, id, journal } = await leaveValues();
    writeFileSync(journal, damaged(readFileSync(journal, "latin1")), "latin1");
    const listed = await run("recover list --json id,left");
    expect(JSON.parse(listed.stdout)).toEqual([{ id, left: "damaged" }]);
    const shown = await run("recover show", id);
    for (const { value } of service.writes) expect(shown.stdout).toContain(value);
    expect((await run("recover forget --yes", id)).code).toBe(0);
    expect(state.ids()).toEqual([]);
  });
});

test.each([
  ["a folder", (path: string): void => mkdirSync(path)],
  ["a pipe", (path: string): void => void execFileSync("mkfifo", [path])],
  ["a file of another program", (path: string): void => writeFileSync(path, "not a journal\n")],
])("%s instead of a record is listed as damaged, and not resumed", async (_, make) => {
  const { state, environment } = await setStage();
  mkdirSync(state.path, { mode: 0o700 });
  make(join(state.path, "20260101-000000-abcdef.journal"));
  const listed = await runMain(["recover", "list", "--json", "id,left"], { environment });
  expect(JSON.parse(listed.stdout)).toEqual([{ id: "20260101-000000-abcdef", left: "damaged" }]);
  const resume = ["grant", "delete", "--yes", "--resume", "20260101-000000-abcdef"];
  expect((await runMain(resume, { environment })).code).toBe(2);
});

test("a record of another version is listed as such, and only forgotten", async () => {
  const { state, environment } = await setStage();
  mkdirSync(state.path, { mode: 0o700 });
  writeFileSync(join(state.path, "20300101-000000-abcdef.journal"), lineOf({ version: 1 }));
  const listed = await runMain(["recover", "list"], { environment });
  expect(listed.stdout).toContain("20300101-000000-abcdef\tother-version\t");
  for (const verb of ["show", "end"]) {
    const run = await runMain(["recover", verb, "20300101-000000-abcdef"], { environment });
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining("use that version")]);
  }
  const forget = ["recover", "forget", "20300101-000000-abcdef", "--yes"];
  expect((await runMain(forget, { environment })).code).toBe(0);
  expect(state.ids()).toEqual([]);
});

describe("a state folder", () => {
  test("that cannot be read is an error, not an empty list", async () => {
    const { environment } = await setStage();
    const file = join(makeFolder(), "file");
    writeFileSync(file, "");
    const inFile = { environment: { ...environment, GRANTCTL_STATE_DIR: file } };
    const run = await runMain(["recover", "list"], inFile);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining("cannot read the state directory")]);
  });
});
