// A misbehaving keychain helper: in every case there is a response within the limit, a clear message, no remaining
// process, and no leaked secret.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  createKeychain,
  type Keychain,
  type KeychainLimits,
  type KeychainResult,
} from "../../src/credentials/keychain.ts";
import { makeConfigurationFolder } from "../support/configuration.ts";
import { startRecordingServer } from "../support/recording-server.ts";
import { makeFolder } from "../support/state-folder.ts";
import { runUntilStruck } from "../support/struck.ts";
import { runMain } from "../support/test-host.ts";

const request = { call: "get", service: "grantctl:https://x.test", account: "octavia" } as const;
/** These only detect a helper or a call that hangs. */
const limits: KeychainLimits = { start: 100_000, call: 100_000 };
/** For helpers that never respond. */
const shortCall: KeychainLimits = { ...limits, call: 600 };

/** A ready helper with this Node script: `line` is called with each request, `reply` sends a response. */
function helperOf(script: string): readonly [string, ...string[]] {
  return silentHelperOf(`reply({ ready: true }); ${script}`);
}

/** The same, but the script itself reports that it is ready. */
function silentHelperOf(script: string): readonly [string, ...string[]] {
  const path = join(makeFolder(), "helper.cjs");
  const frame = `
    const reply = (value) => process.stdout.write(typeof value === "string" ? value : JSON.stringify(value) + "\\n");
    let line = () => {};
    require("node:readline").createInterface({ input: process.stdin })
      .on("line", (text) => line(JSON.parse(text))).on("close", () => process.exit());
    ${script}`;
  writeFileSync(path, frame);
  return [process.execPath, path];
}

function keychainOf(script: string, within = limits, helper = helperOf): Keychain {
  return createKeychain({ helper: helper(script), environment: { PATH: process.env["PATH"] ?? "" } }, within);
}

async function answerOf(script: string, within = limits, helper = helperOf): Promise<KeychainResult> {
  const keychain = keychainOf(script, within, helper);
  try {
    return await keychain.call(request);
  } finally {
    keychain.close();
  }
}

describe("a helper that responds", () => {
  test.each<[string, string, KeychainResult]>([
    ["with a secret", `line = () => reply({ secret: "é\\u2028 x" })`, { secret: "é\u2028 x" }],
    ["with nothing", `line = () => reply({ secret: null })`, { secret: null }],
    [
      "with problem",
      `line = () => reply({ problem: "locked", reason: "r" })`,
      { problem: "locked", reason: "r" },
    ],
    [
      "in pieces",
      `line = () => { reply('{"secret":'); setTimeout(reply, 100, '"whole"}\\n') }`,
      { secret: "whole" },
    ],
  ])("%s is understood", async (_, script, wanted) => {
    expect(await answerOf(script)).toEqual(wanted);
  });

  test("gets one request at a time from one process, with the secret on standard input", async () => {
    const keychain = keychainOf(`
      let busy = false;
      line = (request) => {
        const wasBusy = busy; busy = true;
        setTimeout(() => { busy = false; reply({ secret: [wasBusy, process.pid, request.account, request.secret ?? "-", process.argv.length].join(" ") }) }, 50);
      };`);
    const results = await Promise.all([
      keychain.call(request),
      keychain.call({ ...request, call: "set", account: "b", secret: "s3cret" }),
      keychain.call(request),
    ]);
    keychain.close();
    const words = results.map((result) => ("secret" in result ? (result.secret ?? "").split(" ") : []));
    expect(words.map(([isBusy, , account, secret, count]) => [isBusy, account, secret, count])).toEqual([
      ["false", "octavia", "-", "2"],
      ["false", "b", "s3cret", "2"],
      ["false", "octavia", "-", "2"],
    ]);
    expect(new Set(words.map(([, pid]) => pid)).size).toBe(1);
  });
});

describe("a helper that starts slowly", () => {
  test("has a start-up limit separate from that of the call", async () => {
    const late = `setTimeout(() => { reply({ ready: true }); reply({ secret: "late" }) }, 1000)`;
    expect(await answerOf(late, { start: 100_000, call: 800 }, silentHelperOf)).toEqual({ secret: "late" });
  });

  test("is abandoned if it never reports that it is ready", async () => {
    expect(await answerOf("", { start: 600, call: 100_000 }, silentHelperOf)).toEqual({
      problem: "timed-out",
      reason: "its helper did not start within 0.6 s",
    });
  });

  test("reports that it is ready once; a second report is not a response", async () => {
    expect(await answerOf(`line = () => reply({ ready: true })`)).toMatchObject({ problem: "failed" });
  });
});

describe("a helper that misbehaves", () => {
  const nonsense = "the keychain helper sent an invalid response";
  const ended = "the keychain helper ended without a response";
  test.each<[string, string, string, string]>([
    ["prints garbage", `line = () => reply("hunter2 Segmentation fault\\n")`, "failed", nonsense],

    ["prints a number for a secret", `line = () => reply({ secret: 5 })`, "failed", nonsense],
    ["prints another problem", `line = () => reply({ problem: "hunter2", reason: "x" })`, "failed", nonsense],
    ["prints a problem without a reason", `line = () => reply({ problem: "locked" })`, "failed", nonsense],
    ["ends at once", `process.exit(0)`, "failed", ended],
    ["ends when asked", `line = () => process.exit(3)`, "failed", ended],
    ["is killed when asked", `line = () => process.kill(process.pid, "SIGSEGV")`, "failed", ended],
    ["prints half a line and hangs", `line = () => reply('{"secret":"hunter2')`, "timed-out", "within 0.6 s"],
    ["never answers", ``, "timed-out", "within 0.6 s"],
    ["never answers, nor listens", `for (;;);`, "timed-out", "within 0.6 s"],
    [
      "closes its output and stays",
      `line = () => { require("node:fs").closeSync(1) }`,
      "timed-out",
      "within 0.6 s",
    ],
    [
      "talks to standard error alone",
      `line = () => process.stderr.write("hunter2\\n".repeat(1e5))`,
      "timed-out",
      "within 0.6 s",
    ],
  ])("(it %s) is reported", async (_, script, problem, reason) => {
    const result = await answerOf(script, problem === "timed-out" ? shortCall : limits);
    expect(result).toEqual({ problem, reason: expect.stringContaining(reason) });
    expect(JSON.stringify(result)).not.toContain("hunter2");
  });

  test("and exits within a line has no valid response", async () => {
    const result = await answerOf(
      `line = () => process.stdout.write('{"secret":"hunter2', () => process.exit())`,
    );
    expect(result).toMatchObject({ problem: "failed" });
    expect(JSON.stringify(result)).not.toContain("hunter2");
  });

  test("and then responds is ignored", async () => {
    const keychain = keychainOf(
      `line = () => reply("x\\n" + JSON.stringify({ secret: "of another" }) + "\\n")`,
    );
    const results = [await keychain.call(request), await keychain.call(request)];
    keychain.close();
    const failed = { problem: "failed", reason: nonsense };
    expect(results).toEqual([failed, failed]);
  });

  test("and cannot be started is reported", async () => {
    const keychain = createKeychain({ helper: [join(makeFolder(), "none")], environment: {} }, limits);
    expect(await keychain.call(request)).toEqual({
      problem: "failed",
      reason: "the keychain helper could not be run",
    });
    expect(await keychain.call(request)).toMatchObject({ problem: "failed" });
    keychain.close();
  });

  test("once is killed, and is neither awaited nor started again", async () => {
    const mark = join(makeFolder(), "pids");
    const script = `require("node:fs").appendFileSync(${JSON.stringify(mark)}, process.pid + "\\n")`;
    await runUntilStruck(
      0.6,
      async (seconds) => {
        const keychain = keychainOf(script, { ...limits, call: seconds * 1000 });
        const [first, ...others] = [1, 2, 3].map(() => keychain.call(request));
        expect(await first).toMatchObject({ problem: "timed-out" });
        const stillAsked = new Promise((resolve) => setImmediate(resolve, "still asked"));
        expect(await Promise.race([Promise.all(others), stillAsked])).toEqual([await first, await first]);
        keychain.close();
      },
      () => existsSync(mark),
    );
    const pids = readFileSync(mark, "utf8").trim().split("\n");
    expect(pids).toHaveLength(1);
    await expect.poll(() => isGone(pids[0] ?? "")).toBe(true);
  });

  test("does not inherit NODE_OPTIONS", async () => {
    const keychain = createKeychain(
      {
        helper: helperOf(`line = () => reply({ secret: JSON.stringify(Object.keys(process.env)) })`),
        environment: { NODE_OPTIONS: "--no-warnings", NODE_DEBUG: "net", NODE_PATH: ".", KEPT: "yes" },
      },
      limits,
    );
    const result = await keychain.call(request);
    keychain.close();
    expect(result).toEqual({ secret: '["KEPT"]' });
  });
});

describe("a run whose helper misbehaves", () => {
  const profile = { base_url: "", username: "octavia" };
  const run = async (script: string, words: readonly string[], input?: string) => {
    const server = await startRecordingServer(() => ({ status: 200, body: [] }));
    const folder = makeConfigurationFolder({
      profiles: { default: { ...profile, base_url: server.root } },
      stored_secrets: [
        { profile: "default", base_url: server.root, kind: "password", name: "octavia", store: "keychain" },
      ],
    });
    const before = folder.text();
    const ended = await runMain(words, {
      environment: folder.environment,
      keychainHelper: helperOf(script),
      ...(input === undefined ? {} : { input }),
    });
    expect(folder.text()).toBe(before);
    expect(existsSync(join(folder.path, "credentials.json"))).toBe(false);
    return { ...ended, requests: server.requests };
  };

  test.each([
    ["prints garbage", `line = () => reply("hunter2\\n")`],
    ["ends", `line = () => process.exit(1)`],
    ["is locked", `line = () => reply({ problem: "locked", reason: "\\u001b[2J" })`],
  ])("(it %s) sends nothing, and reports it", async (_, script) => {
    const list = await run(script, ["grant", "list"]);
    expect([list.code, list.stdout, list.requests]).toEqual([4, "", []]);
    expect(list.stderr).toMatch(/^grantctl: the keychain .*\nhint: .*\n$/);
    expect(list.stderr).not.toMatch(/hunter2|\u001b|bug in grantctl/);
    const login = await run(script, ["auth", "login", "--password-stdin"], "n3w-secret");
    // Before any prompt or request.
    expect([login.code, login.stdout, login.requests]).toEqual([2, "", []]);
    expect(login.stderr).toContain("--store file");
    expect(login.stderr).not.toContain("n3w-secret");
    const logout = await run(script, ["auth", "logout"]);
    expect([logout.code, logout.stdout]).toEqual([2, ""]);
  });

  test("(it accepts a secret and returns another) stores nothing, and reports it", async () => {
    const script = `line = ({ call }) => reply(call === "set" ? { problem: "failed", reason: "it does not contain the stored entry" } : { secret: null })`;
    const login = await run(script, ["auth", "login", "--password-stdin"], "n3w-secret");
    expect([login.code, login.stdout]).toEqual([2, ""]);
    expect(login.stderr).toContain("it does not contain the stored entry");
  });
});

function isGone(pid: string): boolean {
  try {
    // A zombie has ended, but its parent has not reaped it yet.
    return /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return true;
  }
}
