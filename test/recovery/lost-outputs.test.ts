// Outputs that cannot be written, or that lose data: grantctl rejects them before anything is sent, or keeps the value
// for recover.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
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

const noPython = spawnSync("python3", ["--version"]).error === undefined ? null : "there is no python3";

test.skipIf(noPython !== null)(
  `standard output that is a local datagram socket is also rejected${noPython ?? ""}`,
  async () => {
    const { service, state, environment } = await setStage();
    const start = `import os, socket, sys
near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
os.dup2(near.fileno(), 1)
os.execv(sys.argv[1], sys.argv[1:])`;
    const words = [process.execPath, program, "authorization", "create", "--note", "n"];
    const run = await runProgram("python3", ["-c", start, ...words], { environment });
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining("would be lost")]);
    expect(service.requests).toEqual([]);
    expect(state.journals()).toEqual([]);
  },
);

const tooSlow = { status: 429, headers: { "Retry-After": "100000" } };

describe("an output file that disappears while the request is in flight", () => {
  test.each([
    ["removed", (file: string) => rmSync(file)],
    [
      "replaced",
      (file: string) => {
        renameSync(file, `${file}.old`);
        writeFileSync(file, "another's\n");
      },
    ],
    ["in a folder that is gone", (file: string) => rmSync(dirname(file), { recursive: true })],
  ])("because it is %s: the run exits with 12, and recover keeps every value", async (_, arrange) => {
    for (const count of [1, 3]) {
      const { service, state, environment } = await setStage();
      const file = join(makeFolder(), "below", "new.txt");
      mkdirSync(dirname(file));
      let come = 0;
      service.onRequest(({ operation }) => {
        if (operation !== "check") come += 1;
        if (come === count) arrange(file);
      });
      const input = Array.from({ length: count }, () => service.addToken()).join("\n");
      const words = ["token", "reset", "--yes", "--concurrency", "1", "--output-file", file];
      expect((await runMain(words, { environment, input })).code).toBe(12);
      const shown = await runMain(["recover", "show", state.ids()[0] ?? "none"], { environment });
      expect(service.writes).toHaveLength(count);
      for (const { value } of service.writes) expect(shown.stdout).toContain(value);
    }
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

test("--resume leaves a foreign file unchanged, and continues a file that a power cut truncated", async () => {
  const { service, state, environment } = await setStage();
  service.plan(ofWrites((_, position) => (position === 1 ? { instead: tooSlow } : undefined)));
  const input = Array.from({ length: 2 }, () => service.addToken()).join("\n");
  const folder = makeFolder();
  const [file, log] = [join(folder, "new.txt"), join(folder, "log.ndjson")];
  const words = ["token", "reset", "--yes", "--concurrency", "1"];
  expect((await runMain([...words, "--output-file", file], { environment, input })).code).toBe(9);
  writeFileSync(log, '{"line":1}\n', { mode: 0o644 });
  service.plan(() => undefined);
  const resume = [...words, "--resume", state.ids()[0] ?? "none", "--output-file"];
  const refused = await runMain([...resume, log], { environment, input });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("hint: Use a new file")]);
  expect([readFileSync(log, "utf8"), statSync(log).mode & 0o777]).toEqual(['{"line":1}\n', 0o644]);
  writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.alloc(512), Buffer.from("\n")]));
  expect((await runMain([...resume, file], { environment, input })).code).toBe(0);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as object)).toHaveLength(2);
});

test("--resume does not read an output file that is too large", async () => {
  const { service, state, environment } = await setStage();
  service.plan(ofWrites((_, position) => (position === 1 ? { instead: tooSlow } : undefined)));
  const input = Array.from({ length: 2 }, () => service.addToken()).join("\n");
  const file = join(makeFolder(), "new.txt");
  const words = ["token", "reset", "--yes", "--concurrency", "1", "--output-file", file];
  expect((await runMain(words, { environment, input })).code).toBe(9);
  const before = service.requests.length;
  truncateSync(file, 1 << 30);
  const run = await runMain([...words, "--resume", state.ids()[0] ?? "none"], { environment, input });
  expect([run.code, run.stderr]).toEqual([
    2,
    expect.stringMatching(/new\.txt cannot be read: it is larger than 256 MiB\nhint: Use a new file/),
  ]);
  expect(service.requests).toHaveLength(before);
  expect(statSync(file).size).toBe(1 << 30);
});
