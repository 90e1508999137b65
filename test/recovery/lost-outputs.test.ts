// Outputs that cannot be written, or that lose data: grantctl rejects them before anything is sent, or keeps the value
// for recover.
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { program, runProgram } from "../support/binary.ts";
import { makeFolder, makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { ofWrites, startTruthService } from "../support/truth-service.ts";

async function setStage() {
  const service = await startTruthService();
  const state = makeStateFolder();
  return { service, state, environment: { ...service.environment, ...state.environment } };
}

const tooSlow = { status: 429, headers: { "Retry-After": "100000" } };

describe("an output file that is removed while the request is in flight", () => {
  test("the run exits with 12, and recover keeps every value", async () => {
    const { service, state, environment } = await setStage();
    const file = join(makeFolder(), "new.txt");
    let come = 0;
    service.onRequest(({ operation }) => {
      if (operation !== "check") come += 1;
      if (come === 3) rmSync(file);
    });
    const input = Array.from({ length: 3 }, () => service.addToken()).join("\n");
    const words = ["token", "reset", "--yes", "--concurrency", "1", "--output-file", file];
    expect((await runMain(words, { environment, input })).code).toBe(12);
    const shown = await runMain(["recover", "show", state.ids()[0] ?? "none"], { environment });
    expect(service.writes).toHaveLength(3);
    for (const { value } of service.writes) expect(shown.stdout).toContain(value);
  });

  test("recover keeps the value if a redirected file was removed", async () => {
    const { service, state, environment } = await setStage();
    const file = join(makeFolder(), "new.txt");
    service.onRequest(({ operation }) => {
      if (operation !== "check") rmSync(file);
    });
    const line = `'${process.execPath}' '${program}' token reset --yes > '${file}'`;
    const run = await runProgram("sh", ["-c", line], { environment, input: service.addToken() });
    expect(run.code).toBe(12);
    const shown = await runMain(["recover", "show", state.ids()[0] ?? "none"], { environment });
    expect(shown.stdout).toBe(`${service.writes[0]?.value}\n`);
  });
});

test("--resume leaves a foreign file unchanged, and replaces the job's own by one with all values", async () => {
  const { service, state, environment } = await setStage();
  service.plan(ofWrites((_, position) => (position === 1 ? { instead: tooSlow } : undefined)));
  const input = Array.from({ length: 2 }, () => service.addToken()).join("\n");
  const folder = makeFolder();
  const [file, log] = [join(folder, "new.txt"), join(folder, "log.ndjson")];
  const words = ["token", "reset", "--yes", "--concurrency", "1"];
  const first = await runMain([...words, "--output-file", file], { environment, input });
  expect([first.code, first.stderr]).toEqual([9, expect.stringContaining("--force --resume")]);
  writeFileSync(log, '{"line":1}\n', { mode: 0o644 });
  service.plan(() => undefined);
  const resume = [...words, "--resume", state.ids()[0] ?? "none"];
  const refused = await runMain([...resume, "--output-file", log], { environment, input });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("hint: Use a new file")]);
  expect([readFileSync(log, "utf8"), statSync(log).mode & 0o777]).toEqual(['{"line":1}\n', 0o644]);
  writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.alloc(512), Buffer.from("\n")]));
  // The receiver of the first run, without being named again.
  expect((await runMain(resume, { environment, input })).code).toBe(0);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as object)).toHaveLength(2);
});
