// Values and jobs on Windows: output files and their rules, kept values, and resuming a killed job.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startTruthService, type TruthService } from "../support/truth-service.ts";
import {
  makeWindowsUser,
  noWindowsReason,
  runOnWindows,
  startOnWindows,
  windowsPath,
  windowsProgram,
  type WindowsUser,
} from "../support/windows.ts";

/** Characters in the names of directories on Windows, up to the limit that Windows accepts. */
const folders = ["plain", "with space", "Grüße & 100 %", "x".repeat(120)];

function waitFor(service: TruthService, requests: number): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (service.requests.length >= requests) resolve();
    };
    service.onRequest(look);
    look();
  });
}

function journalsOf(user: WindowsUser): readonly string[] {
  const folder = join(user.home, "AppData", "Local", "grantctl", "state");
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
}

describe.skipIf(noWindowsReason !== null)(`on Windows (${noWindowsReason ?? "Wine"})`, () => {
  test.each(folders)("--output-file writes a value in a folder called %s", async (name) => {
    const user = makeWindowsUser();
    const service = await startTruthService();
    mkdirSync(join(user.home, name));
    const file = join(user.home, name, "new token.txt");
    const words = ["authorization", "create", "--note", name, "--output-file", windowsPath(file)];
    const created = await runOnWindows(words, user, { environment: service.environment });
    expect(created).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(readFileSync(file, "utf8").trim()).toBe(service.writes[0]?.value);
    expect(journalsOf(user).filter((entry) => entry.endsWith(".jsonl"))).toEqual([]);
  });

  test("rejects an existing file before anything is sent, and replaces it with --force", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService();
    const file = join(user.home, "there.txt");
    writeFileSync(file, "mine");
    const words = ["authorization", "create", "--note", "n", "--output-file", windowsPath(file)];
    expect((await runOnWindows(words, user, { environment: service.environment })).code).toBe(2);
    expect([readFileSync(file, "utf8"), service.requests.length]).toEqual(["mine", 0]);
    const forced = await runOnWindows([...words, "--force"], user, { environment: service.environment });
    expect(forced).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(file, "utf8").trim()).toBe(service.writes[0]?.value);
  });

  test.each(["\\\\.\\NUL", "C:\\nowhere\\new.txt", "nul", "new.txt:values"])(
    "rejects %s as an output file before the request",
    async (path) => {
      const user = makeWindowsUser();
      const service = await startTruthService();
      const words = ["authorization", "create", "--note", "n", "--output-file", path];
      const { code } = await runOnWindows(words, user, { environment: service.environment });
      expect([code, service.requests.length]).toEqual([2, 0]);
    },
  );

  test("a missing response exits with code 13, and recover lists it", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService(() => ({ cutAt: 20 }));
    const words = ["authorization", "create", "--note", "lost"];
    const { code } = await runOnWindows(words, user, { environment: service.environment });
    expect(code).toBe(13);
    const left = await runOnWindows(["recover", "list", "--json"], user, {
      environment: service.environment,
    });
    expect(left.code).toBe(0);
    expect(JSON.parse(left.stdout)).toHaveLength(1);
  });

  test("resumes a killed bulk reset, with no token lost or reset twice", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService(() => ({ delayMs: 20 }));
    const tokens = Array.from({ length: 40 }, () => service.addToken());
    const input = `${tokens.join("\r\n")}\r\n`;
    const file = join(user.home, "new.jsonl");
    const words = ["token", "reset", "--yes", "--output-file", windowsPath(file)];
    const { child, finished } = startOnWindows([...windowsProgram, ...words], user, {
      environment: service.environment,
      input,
    });
    await waitFor(service, 12);
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await finished;
    const left = await runOnWindows(["recover", "list", "--json"], user, {
      environment: service.environment,
    });
    const [job] = JSON.parse(left.stdout) as readonly { readonly id: string }[];
    const resumed = await runOnWindows([...words, "--resume", job?.id ?? ""], user, {
      environment: service.environment,
      input,
    });
    expect([0, 9, 13]).toContain(resumed.code);
    const resets = service.writes.filter(({ operation }) => operation === "reset");
    expect(new Set(resets.map(({ subject }) => subject)).size).toBe(resets.length);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const delivered = new Set(lines.map((line) => (JSON.parse(line) as { readonly token: string }).token));
    const missing = resets.filter(({ value }) => value !== null && !delivered.has(value));
    // A request in flight at the kill may be lost, but never silently.
    expect(missing.length).toBeLessThanOrEqual(8);
    expect(resumed.code === 9).toBe(missing.length > 0);
    expect(tokens.filter((token) => service.isLive(token))).toEqual([]);
  });

  test("a bulk deletion accepts ids with Windows line endings", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService();
    const tokens = Array.from({ length: 5 }, () => service.addToken());
    const ids = tokens.map((token) => service.idOf(token));
    const deleted = await runOnWindows(["authorization", "delete", "-", "--yes"], user, {
      environment: service.environment,
      input: `${ids.join("\r\n")}\r\n`,
    });
    expect(deleted.code).toBe(0);
    expect(tokens.filter((token) => service.isLive(token))).toEqual([]);
  });

  test("sends nothing without --yes and without a console", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService();
    const { code } = await runOnWindows(["authorization", "delete", "1"], user, {
      environment: service.environment,
    });
    expect([code, service.writes]).toEqual([2, []]);
  });
});
