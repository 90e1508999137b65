// Resumes a job with the same input and the same account until it is complete, and reports the items that were in
// flight when it was interrupted.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runBinary } from "../support/binary.ts";
import { startProgram } from "../support/killed-program.ts";
import { makeStateFolder } from "../support/state-folder.ts";
import { runMain, typing } from "../support/test-host.ts";
import { ofWrites, startTruthService } from "../support/truth-service.ts";

type Interrupted = Awaited<ReturnType<typeof leaveJournal>>;

/** A job of three revocations, the last of which meets a rate limit. */
async function leaveJournal() {
  const slow = { status: 429, headers: { "Retry-After": "100000" }, body: { message: "slow" } };
  const service = await startTruthService(
    ofWrites((_, position) => (position === 2 ? { instead: slow } : undefined)),
  );
  const state = makeStateFolder();
  const environment = { ...service.environment, ...state.environment };
  const tokens = [service.addToken(), service.addToken(), service.addToken()];
  const input = `${tokens.join("\n")}\n`;
  const run = await runMain(["token", "revoke", "--yes", "--concurrency", "1"], { environment, input });
  expect(run.code).toBe(9);
  const [journal = "none"] = state.journals();
  expect(run.stderr).toContain(`grantctl token revoke --yes --concurrency 1 --resume ${state.ids()[0]}\``);
  service.plan(() => undefined);
  return { service, state, environment, tokens, input, journal };
}

test("recover show of an interrupted job exits with 9 and reports its progress", async () => {
  const { state, environment, service } = await leaveJournal();
  const before = service.requests.length;
  const run = await runMain(["recover", "show", state.ids()[0] ?? "none"], { environment });
  expect([run.code, run.stdout]).toEqual([9, ""]);
  expect(run.stderr).toContain(
    `the revoke job at ${service.root} is unfinished: 2 of 3 done\nhint: Run \`grantctl token revoke`,
  );
  expect(service.requests).toHaveLength(before);
});

describe("--resume", () => {
  test("asks for confirmation of the pending items, not the whole input", async () => {
    const { service, state, environment, tokens, input } = await leaveJournal();
    const before = service.requests.length;
    const no = typing("n\n");
    const words = ["token", "revoke", "--resume", state.ids()[0] ?? "none"];
    const world = { environment, input };
    expect((await runMain(words, { ...world, ...no.world })).code).toBe(130);
    expect(no.shown()).toContain(`Revoke the token ending in ${tokens[0]?.slice(-8)} "`);
    // The question names the pending items, which takes one read.
    expect(service.requests.slice(before).map(({ operation }) => operation)).toEqual(["check"]);
    const all = await leaveJournal();
    const yes = typing("y\n");
    const fresh = { environment: all.environment, input: all.input };
    expect((await runMain(["token", "revoke"], { ...fresh, ...yes.world })).code).toBe(0);
    expect(yes.shown()).toContain("Revoke 3 tokens");
  });

  test("sends only the pending items, in any order of the same input", async () => {
    const { service, state, environment, tokens } = await leaveJournal();
    const before = service.requests.length;
    const input = `${tokens.toReversed().join("\r\n")}\n\n`;
    const run = await runMain(["token", "revoke", "--yes", "--resume", state.ids()[0] ?? ""], {
      environment,
      input,
    });
    expect(run).toMatchObject({ code: 0, stdout: `revoked\t${tokens[0]?.slice(-8)}\n` });
    expect(service.requests.length - before).toBe(2);
    expect(state.journals()).toEqual([]);
  });

  test.each([
    ["with nothing of its input", () => ({ input: `${"f".repeat(40)}\n` })],
    ["for another application", () => ({ more: { GRANTCTL_CLIENT_ID: "f".repeat(20) } })],
    ["for another operation", () => ({ verb: "reset" })],
    ["for an operation that is nearly the same", () => ({ verb: "revoke-grant" })],
    ["at another service", () => ({ more: { GRANTCTL_BASE_URL: "http://127.0.0.1:9/" } })],
    ["without a journal there", (job: Interrupted) => ({ id: `${job.state.ids()[0]}x` })],
  ] as const)("%s is rejected before anything is sent, with the journal unchanged", async (_, change) => {
    const job = await leaveJournal();
    const {
      input,
      verb,
      more,
      id = job.state.ids()[0] ?? "",
    }: Partial<{ input: string; verb: string; more: Record<string, string>; id: string }> = change(job);
    const before = { requests: job.service.requests.length, journal: readFileSync(job.journal) };
    const run = await runMain(["token", verb ?? "revoke", "--yes", "--resume", id], {
      environment: { ...job.environment, ...more },
      input: input ?? job.input,
    });
    expect(run.code).toBe(2);
    expect(run.stdout).toBe("");
    expect(job.service.requests).toHaveLength(before.requests);
    const used = before.journal.toString("latin1").replace(/\n+$/, "\n");
    expect(readFileSync(job.journal, "latin1").replace(/\n+$/, "\n")).toBe(used);
  });

  test("rejects a journal that another process has locked", async () => {
    const service = await startTruthService(() => ({ delayMs: 1_000 }));
    const state = makeStateFolder();
    const environment = { ...service.environment, ...state.environment };
    const input = [service.addToken(), service.addToken()].join("\n");
    const first = startProgram(["token", "revoke", "--yes"], environment, input);
    await new Promise<void>((resolve) => {
      service.onRequest(({ operation }) => {
        if (operation !== "check") resolve();
      });
    });
    const before = service.requests.length;
    const words = ["token", "revoke", "--yes", "--resume", state.ids()[0] ?? "none"];
    const second = await runBinary(words, { environment, input });
    expect(second.code).toBe(2);
    expect(second.stderr).not.toContain("earlier runs");
    expect(service.requests.length).toBeLessThanOrEqual(Math.max(before, 3));
    expect((await first.finished).code).toBe(0);
    expect(service.writes).toHaveLength(2);
  });
});

test("the exit code of an unknown outcome takes precedence over that of the signal", async () => {
  const service = await startTruthService(
    ofWrites((_, position) => ({ delayAnswerMs: 300, ...(position === 0 ? { cutAt: 10 } : {}) })),
  );
  const state = makeStateFolder();
  const environment = { ...service.environment, ...state.environment };
  const input = Array.from({ length: 40 }, () => service.addToken()).join("\n");
  const { child, finished } = startProgram(["token", "reset", "--yes"], environment, input);
  await new Promise<void>((resolve) => {
    service.onRequest(({ operation }) => {
      if (operation !== "check") resolve();
    });
  });
  child.kill("SIGTERM");
  const run = await finished;
  expect(run.stdout).toContain('"status":"unknown"');
  expect(run.code).toBe(13);
});
