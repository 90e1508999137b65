// Each run announces the leftovers of earlier runs in one line until they are settled. Nothing on disk holds a secret
// before a response arrives.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runBinary } from "../support/binary.ts";
import { startProgram } from "../support/killed-program.ts";
import { makeStateFolder, type StateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { credentials } from "../support/recording-server.ts";
import { on, startTruthService, type TruthService } from "../support/truth-service.ts";

interface Left {
  readonly service: TruthService;
  readonly state: StateFolder;
  readonly environment: Readonly<Record<string, string>>;
  readonly token: string;
}

/** A reset without a response. */
async function leaveUnknown(): Promise<Left> {
  const service = await startTruthService(on("reset", { cutAt: 0 }));
  const state = makeStateFolder();
  const environment = { ...service.environment, ...state.environment };
  const token = service.addToken();
  expect((await runMain(["token", "reset", "--yes"], { environment, input: token })).code).toBe(13);
  return { service, state, environment, token };
}

const announcement = "note: earlier runs left 1 unknown outcome. Run `grantctl recover list`.\n";

describe("a leftover", () => {
  test("is announced in one line by the next run, at most once an hour, until it is forgotten", async () => {
    const { state, environment } = await leaveUnknown();
    const [id = "none"] = state.ids();
    // At most once an hour, so that loops of runs stay readable.
    const start = Date.now();
    for (const [minutes, said] of [
      [0, announcement],
      [1, ""],
      [59, ""],
      [61, announcement],
      [62, ""],
    ] as const) {
      const now = (): number => start + minutes * 60_000;
      expect(await runMain(["authorization", "list"], { environment, now })).toMatchObject({
        code: 0,
        stderr: said,
      });
    }
    const listed = await runMain(["recover", "list"], { environment });
    expect(listed.stdout).toMatch(new RegExp(`^${id}\treset\toutcome unknown\t`));
    expect(await runMain(["recover", "forget", id], { environment })).toMatchObject({ code: 0, stderr: "" });
    expect((await runMain(["authorization", "list"], { environment })).stderr).toBe("");
    expect(state.content()).toBe("");
  });

  test.each([
    [["--version"]],
    [["--help"]],

    [["recover", "list"]],
    [["recover", "show", "none"]],
    [["authorization", "list", "--quiet"]],
  ])("is not announced by %j", async (words) => {
    const { environment } = await leaveUnknown();
    const run = await runMain(words, { environment });
    expect(run.stderr + run.stdout).not.toContain("note: earlier runs");
  });

  test("is announced before a usage error of the command, and changes no exit code", async () => {
    const { environment } = await leaveUnknown();
    const run = await runMain(["token", "reset", "--yes"], { environment, input: "" });
    expect(run.code).toBe(2);
    expect(run.stderr.split("earlier runs")).toHaveLength(2);
  });

  test.each([["--json"], ["--format", "ndjson"], ["--jq", ".[].id"]])(
    "with %s is announced after the output, and only if the run succeeds",
    async (...flags) => {
      const { environment } = await leaveUnknown();
      // With JSON output, a failed run prints a single object on standard error.
      const failed = await runMain(["grant", "view", "99", ...flags], { environment });
      expect(failed.code).not.toBe(0);
      expect(JSON.parse(failed.stderr)).toHaveProperty("error");
      const run = await runMain(["authorization", "list", ...flags], { environment });
      expect(run).toMatchObject({ code: 0, stderr: announcement });
      expect((await runMain(["authorization", "list", ...flags], { environment })).stderr).toBe("");
    },
  );

  test("that is damaged is counted and does not change the exit code", async () => {
    const { state, environment } = await leaveUnknown();
    writeFileSync(join(state.path, "broken.journal"), "not a journal\n");
    const run = await runMain(["authorization", "list"], { environment });
    expect(run).toMatchObject({ code: 0 });
    expect(run.stderr).toContain("1 unknown outcome and 1 damaged journal");
  });

  test("is announced only after the process that holds its lock has ended", async () => {
    const service = await startTruthService(on("reset", { delayAnswerMs: 600_000 }));
    const state = makeStateFolder();
    const environment = { ...service.environment, ...state.environment };
    const words = ["token", "reset", "--yes", "--timeout", "600"];
    const { child, finished } = startProgram(words, environment, service.addToken());
    await new Promise<void>((resolve) => {
      service.onRequest(({ operation }) => {
        if (operation !== "check") resolve();
      });
    });
    expect(state.journals()).toHaveLength(1);
    const meanwhile = await runBinary(["authorization", "list"], { environment });
    expect(meanwhile).toMatchObject({ code: 0, stderr: "" });
    const [id = "none"] = state.ids();
    expect((await runBinary(["recover", "forget", id], { environment })).code).toBe(2);
    expect(state.journals()).toHaveLength(1);
    child.kill("SIGKILL");
    await finished;
    const afterwards = await runBinary(["authorization", "list"], { environment });
    expect(afterwards).toMatchObject({ code: 0, stderr: announcement });
  });
});

test("no file contains a secret before a response is kept", async () => {
  const service = await startTruthService(() => ({ delayMs: 150 }));
  const state = makeStateFolder();
  const environment = { ...service.environment, ...state.environment };
  const token = service.addToken();
  const secrets = [credentials.password, credentials.clientSecret, token, "the note", "my machine"];
  const spellings = secrets.flatMap((secret) => [
    secret,
    Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  ]);
  const seen: string[] = [];
  service.onRequest(() => seen.push(state.content()));
  const words = ["--note", "the note", "--fingerprint", "my machine"];
  // Notes are unique.
  const others = ["--note", "the note again", "--fingerprint", "my machine 2"];
  for (const [typed, input] of [
    [["token", "reset", "--yes"], token],
    [["token", "reset", "--yes"], `${service.addToken()}\n${service.addToken()}`],
    [["authorization", "create", ...words], ""],
    [["authorization", "create", ...others, "--client-id", credentials.clientId], ""],
    [["authorization", "get-or-create", "--note", "the note at last", "--fingerprint", "my machine 3"], ""],
  ] as const) {
    const { code, stderr } = await runMain(typed, { environment, input });
    expect([typed, code, stderr]).toEqual([typed, 0, ""]);
  }
  // Nothing is recorded before the read that precedes the write of a token.
  const recorded = seen.filter((content) => content !== "");
  expect(recorded).toHaveLength(6);
  for (const content of recorded) {
    expect(content).toContain('"state":"sent"');
    for (const secret of spellings) expect(content).not.toContain(secret);
  }
  expect(state.content()).toBe("");
});
