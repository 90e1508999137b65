// From a command line to an exit code: the guarantees of main for every command.
import { expect, test } from "vitest";
import { Failure, exitCodeOfSignal, riskierKind, type FailureKind } from "../src/errors/errors.ts";
import { main } from "../src/main.ts";
import { version, type Host } from "../src/system/host.ts";
import { startRecordingServer } from "./support/recording-server.ts";
import { authorizationJson } from "./support/resources.ts";
import { runUntilStruck } from "./support/struck.ts";
import { createTestHost, runMain } from "./support/test-host.ts";

test("--version prints the version and opens no file", async () => {
  await expect(runMain(["--version"])).resolves.toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

test("help and usage errors touch neither standard input nor the terminal", async () => {
  for (const words of [
    ["--help"],
    ["grant"],
    ["token", "reset", "--help"],
    ["nosuch"],
    ["grant", "list", "--x"],
  ]) {
    const { host } = createTestHost({
      argv: words,
      openTerminal: () => {
        throw new Error("the terminal was opened");
      },
    });
    const guarded = Object.defineProperty({ ...host }, "stdin", {
      get() {
        throw new Error("standard input was opened");
      },
    });
    expect([0, 2]).toContain(await main(guarded));
  }
});

test("exits with code 8 if a read times out, and with 13 if a write does", async () => {
  for (const [words, code] of [
    [["grant", "list"], 8],
    [["grant", "delete", "1", "--yes"], 13],
  ] as const) {
    const run = await runUntilStruck(
      0.2,
      async (seconds) => {
        const { environment, requests } = await startRecordingServer(() => new Promise(() => undefined));
        const flags = ["--timeout", String(seconds)];
        return { ...(await runMain([...words, ...flags], { environment })), requests };
      },
      ({ requests }) => requests.length > 0,
    );
    expect([run.code, run.stdout, run.requests.length]).toEqual([code, code === 13 ? "unknown\t1\n" : "", 1]);
  }
});

test.each(["EPIPE", "ENOSPC"])(
  "a value that standard output rejects with %s exits with code 12",
  async (error) => {
    const server = await startRecordingServer(() => ({
      status: 201,
      body: authorizationJson({ token: "abc", note: "n", scopes: [] }),
    }));
    const code = await runWithFailingOutput(
      ["authorization", "create", "--note", "n"],
      server.environment,
      error,
    );
    expect(code).toBe(12);
  },
);

test("does not report a completed deletion as unsent if its line cannot be written", async () => {
  const server = await startRecordingServer(() => ({ status: 204 }));
  for (const ids of [["1"], ["1", "2", "3"]]) {
    const code = await runWithFailingOutput(
      ["grant", "delete", ...ids, "--yes"],
      server.environment,
      "ENOSPC",
    );
    expect.soft([ids, code]).not.toEqual([ids, 0]);
    expect.soft([ids, code]).not.toEqual([ids, 2]);
  }
});

test("finishes a job even if its reader closed the pipe", async () => {
  const server = await startRecordingServer(() => ({ status: 204 }));
  const code = await runWithFailingOutput(
    ["grant", "delete", "1", "2", "3", "--yes", "--concurrency", "1"],
    server.environment,
    "EPIPE",
  );
  expect(code).toBe(0);
  expect(server.requests).toHaveLength(3);
});

test("does not report a completed update as unsent if its result cannot be written", async () => {
  const server = await startRecordingServer(() => ({ status: 200, body: authorizationJson() }));
  const code = await runWithFailingOutput(
    ["authorization", "update", "1", "--note", "n"],
    server.environment,
    "ENOSPC",
  );
  expect(code).not.toBe(0);
  expect(code).not.toBe(2);
});

test("the exit codes are those of the contract", () => {
  const codes: Readonly<Record<FailureKind, number>> = {
    refused: 1,
    usage: 2,
    "not-found": 3,
    authentication: 4,
    otp: 4,
    sso: 6,
    "rate-limited": 8,
    network: 8,
    incomplete: 9,
    exists: 10,
    findings: 14,
    protocol: 1,
    undelivered: 12,
    unknown: 13,
    internal: 1,
  };
  for (const [kind, code] of Object.entries(codes)) {
    expect(new Failure(kind as FailureKind, "x").exitCode).toBe(code);
    expect(riskierKind(kind as FailureKind, "unknown")).toBe("unknown");
  }
  expect(riskierKind("incomplete", "undelivered")).toBe("undelivered");
  expect(riskierKind("refused", "incomplete")).toBe("incomplete");
  expect(exitCodeOfSignal("SIGINT")).toBe(130);
});

/** Runs with a standard output that fails on the first write. */
function runWithFailingOutput(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  code: string,
): Promise<number> {
  const { host } = createTestHost({ argv: words, environment });
  const write: Host["stdout"]["write"] = (_, done) => {
    done(Object.assign(new Error(code), { code }));
  };
  return main({ ...host, stdout: { ...host.stdout, write } });
}
