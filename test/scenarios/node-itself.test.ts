// The behaviour of Node around the program: crashes, warnings, dumps. Planted secrets must not appear in any
// stream or written file. Problems are caused by a preloaded script, as used for instrumentation.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { program, runBinary, type Finished } from "../support/binary.ts";
import { jsonAnswer, startRawServer, type RawServer } from "../support/raw-server.ts";
import { runUntilStruck } from "../support/struck.ts";

const planted = {
  GRANTCTL_PASSWORD: "canary-PASSWORD/1",
  GRANTCTL_CLIENT_SECRET: "canary-SECRET-2",
  GRANTCTL_TOKEN: "canary-TOKEN-3",
  GRANTCTL_OTP: "canary4567",
};
const canary = /canary(?!\.)/;

let silent: RawServer;
/** Called for each request. */
let onArrival = (): void => undefined;
beforeAll(async () => {
  silent = await startRawServer(() => onArrival());
});
afterAll(() => silent.close());

interface Trouble extends Finished {
  /** The contents of the files in the working directory. */
  readonly files: readonly string[];
  /** True if a delayed problem has occurred. */
  readonly wasTroubled: boolean;
}

/** Only to detect a run that hangs. */
const longSeconds = 100;

/** Runs a list on a service that never responds, with a preloaded script that causes a problem in the meantime. */
async function runWith(
  {
    script,
    node = "",
    words = [],
    seconds = 1,
  }: { script?: string; node?: string; words?: readonly string[]; seconds?: number },
  environment: Readonly<Record<string, string>> = {},
): Promise<Trouble> {
  const folder = mkdtempSync(join(tmpdir(), "grantctl-crash-"));
  const preload = join(mkdtempSync(join(tmpdir(), "grantctl-preload-")), "preload.cjs");
  const arrived = `${preload}.arrived`;
  onArrival = () => writeFileSync(arrived, "");
  writeFileSync(preload, script ?? "");
  const run = await runBinary(["grant", "list", "--timeout", String(seconds), ...words], {
    folder,
    environment: {
      ...planted,
      GRANTCTL_USERNAME: "octavia",
      GRANTCTL_BASE_URL: silent.root,
      NODE_OPTIONS: `${script === undefined ? "" : `--require "${preload}"`} ${node}`,
      ...environment,
    },
  });
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
  return { ...run, files, wasTroubled: existsSync(`${preload}.troubled`) };
}

/** Runs the code once the request has arrived, however long the program takes to start. */
const later = (code: string): string => `
  const look = setInterval(() => {
    try { require("node:fs").renameSync(__filename + ".arrived", __filename + ".troubled"); } catch { return; }
    clearInterval(look);
    ${code}
  }, 10).unref();`;

/** Runs until the time limit, long enough for the problem to occur. */
const runToLimit = (problem: {
  script: string;
  node?: string;
  words?: readonly string[];
}): Promise<Trouble> =>
  runUntilStruck(
    1,
    (seconds) => runWith({ ...problem, seconds }),
    ({ wasTroubled }) => wasTroubled,
  );
const secret = JSON.stringify(planted.GRANTCTL_PASSWORD);

test("a run ends even if the service keeps the connection open", async () => {
  let closed: string | null = null;
  const service = await startRawServer((socket) => {
    socket.on("close", () => (closed = "by the client"));
    socket.write(jsonAnswer(200, []));
  });
  const own = { GRANTCTL_BASE_URL: service.root };
  const { code } = await runWith({ words: ["--json", "id"], seconds: longSeconds }, own);
  expect(code).toBe(0);
  await expect.poll(() => closed).toBe("by the client");
  await service.close();
});

describe.each([
  ["an error that nobody catches", `throw new Error("boom " + ${secret} + "\\n\\u001b[2J")`],
  ["a rejection that nobody hears", `Promise.reject(new TypeError("boom " + ${secret}))`],
  ["a rejection with nothing", "Promise.reject(null)"],
  ["something thrown that is no error", `throw { toString() { return ${secret} }, stack: ${secret} }`],
  ["a stack overflow", "(function again() { again(); })()"],
  [
    "an error whose stack lies",
    `throw Object.assign(new Error("x"), { stack: "Error\\n    at " + ${secret} })`,
  ],
])("%s", (_, code) => {
  // With --debug the most is shown; the other forms differ in their frame alone.
  test.each(code.includes("throw new Error") ? [[[]], [["--json"]], [["--debug"]]] : [[["--debug"]]])(
    "with %j is one message and 70, without secrets and source",
    async (words) => {
      const run = await runWith({ script: later(code), words, seconds: longSeconds });
      expect([run.code, run.stdout]).toEqual([1, ""]);
      const lines = run.stderr.trimEnd().split("\n");
      const told = lines.filter((line) => !line.startsWith("debug: "));
      expect(told.join("\n")).toMatch(
        words.includes("--json")
          ? /^\{"error":\{"class":"internal",.*"exit_code":1,.*\}\}$/
          : /^grantctl: this is a bug in grantctl: .*\nhint: .*$/,
      );
      expect(lines.some((line) => line.startsWith("debug:    at "))).toBe(
        words.includes("--debug") && !code.includes("null") && !code.includes("toString"),
      );
      expect(run.stderr).not.toMatch(canary);
      expect(run.stderr.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
      expect(run.stderr).not.toContain("Node.js v");
      expect(run.files).toEqual([]);
    },
  );
});

test.each(["warn", "none", "strict"])(
  "a rejection exits with 1 with --unhandled-rejections=%s too",
  async (mode) => {
    const script = later(`Promise.reject(new Error("boom " + ${secret}))`);
    const node = `--unhandled-rejections=${mode}`;
    const run = await runWith({ script, node, seconds: longSeconds });
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(
      /^grantctl: this is a bug in grantctl: Error: boom \[secret\]\nhint: [^\n]*\n$/,
    );
  },
);

test("a promise that never settles exits with 1, not with the code for an unknown result", async () => {
  const script = `
    const { setTimeout: original } = globalThis;
    globalThis.setTimeout = (...words) => original(...words).unref();
    setInterval(() => { for (const handle of process._getActiveHandles()) handle.unref?.(); }, 5).unref();`;
  const run = await runWith({ script });
  expect(run.code).toBe(1);
  expect(run.stderr).toMatch(
    /^grantctl: this is a bug in grantctl: Error: the event loop is empty[^\n]*\nhint: [^\n]*\n$/,
  );
});

test("Node's warnings are not printed; with --debug they are redacted, on one line", async () => {
  const script = later(`process.emitWarning("careful\\n" + ${secret})`);
  const quiet = await runToLimit({ script });
  expect([quiet.code, quiet.stderr]).toEqual([8, expect.stringMatching(/^grantctl: .*\nhint: .*\n$/)]);
  const talkative = await runToLimit({ script, words: ["--debug"], node: "--trace-warnings" });
  expect(talkative.stderr).toContain("debug: Warning: careful\\n[secret]\n");
  expect(talkative.stderr).not.toMatch(canary);
});

test("a diagnostic report contains no secret of the environment", async () => {
  const run = await runToLimit({ script: later("process.report.writeReport()") });
  expect(run.code).toBe(8);
  expect(run.files).toHaveLength(1);
  expect(run.files[0]).toContain("GRANTCTL_USERNAME");
  expect(run.files[0]).not.toMatch(canary);
});

test.skipIf(process.platform === "win32")("SIGUSR1 has no effect and starts no debugger", async () => {
  const child = spawn(process.execPath, [program, "grant", "list", "--timeout", "1.5"], {
    env: {
      PATH: "",
      GRANTCTL_USERNAME: "octavia",
      GRANTCTL_BASE_URL: silent.root,
      GRANTCTL_STATE_DIR: tmpdir(),
      ...planted,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const before = silent.received.length;
  while (silent.received.length === before) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill("SIGUSR1");
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect(code).toBe(8);
  expect(stderr).toMatch(/^grantctl: [^\n]*no complete response[^\n]*\nhint: [^\n]*\n$/);
});
