// Paths and files on Windows: profiles, folders named by variables, long paths, device names, and files written by
// Windows' own programs.
import { credentials } from "../support/grantctl.ts";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openAccount } from "../support/account.ts";
import { gitleaksFinding } from "../support/reports.ts";
import { startTruthService } from "../support/truth-service.ts";
import { makeWindowsUser, noWindowsReason, runOnWindows, windowsPath } from "../support/windows.ts";

describe.skipIf(noWindowsReason !== null)(`places on Windows (${noWindowsReason ?? "Wine"})`, () => {
  test("two profiles keep two base URLs, and a Windows editor may have written their file", async () => {
    const user = makeWindowsUser();
    for (const name of ["one", "zwei.2"]) {
      const set = ["config", "set", "base_url", `https://${name[0] ?? ""}.example`, "--profile", name];
      expect(await runOnWindows(set, user)).toEqual({ code: 0, stdout: "", stderr: "" });
    }
    const file = join(user.home, "AppData", "Roaming", "grantctl", "config.json");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, `\uFEFF${text.replaceAll("\n", "\r\n")}`);
    const get = ["config", "get", "base_url", "--profile", "zwei.2"];
    expect(await runOnWindows(get, user)).toEqual({ code: 0, stdout: "https://z.example\n", stderr: "" });
    const listed = await runOnWindows(["config", "list", "--json"], user);
    expect([listed.code, listed.stderr]).toEqual([0, ""]);
    expect(listed.stdout).toContain("https://o.example");
  });

  test("GRANTCTL_CONFIG_DIR and GRANTCTL_STATE_DIR accept Windows paths with either slash", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService(() => ({ cutAt: 20 }));
    const environment = {
      ...service.environment,
      GRANTCTL_CONFIG_DIR: windowsPath(join(user.home, "Einstellungen für mich")),
      GRANTCTL_STATE_DIR: windowsPath(join(user.home, "Zustand")).replaceAll("\\", "/"),
    };
    await runOnWindows(["config", "set", "base_url", "https://x.example"], user, { environment });
    expect(existsSync(join(user.home, "Einstellungen für mich", "config.json"))).toBe(true);
    const lost = await runOnWindows(["authorization", "create", "--note", "n"], user, { environment });
    expect(lost.code).toBe(13);
    expect(existsSync(join(user.home, "Zustand"))).toBe(true);
    expect(existsSync(join(user.home, "AppData", "Local", "grantctl"))).toBe(false);
  });

  test("without a user's folder in the environment the system's is used, and nothing is written to the current folder", async () => {
    const user = makeWindowsUser();
    const nothing = { ...user.variables, USERPROFILE: null, APPDATA: null, LOCALAPPDATA: null };
    const { code, stdout } = await runOnWindows(["config", "list"], { ...user, variables: nothing });
    expect([code, stdout]).toEqual([0, ""]);
    expect(existsSync(join(user.home, "grantctl"))).toBe(false);
  });

  test("writes a value to, and reads tokens from, a path of more than 260 characters", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService();
    const folder = join(user.home, ...["a", "b", "c"].map((letter) => letter.repeat(100)));
    mkdirSync(folder, { recursive: true });
    const file = join(folder, "token.txt");
    const create = [
      "authorization",
      "create",
      "--client-id",
      credentials.clientId,
      "--note",
      "long",
      "--output-file",
      windowsPath(file),
    ];
    expect((await runOnWindows(create, user, service)).code).toBe(0);
    expect(readFileSync(file, "utf8").trim()).toBe(service.writes[0]?.value);
    const revoke = ["token", "revoke", "--yes", "--token-file", windowsPath(file)];
    expect((await runOnWindows(revoke, user, service)).code).toBe(0);
    expect(service.isLive(service.writes[0]?.value ?? "")).toBe(false);
  });

  test("rejects UTF-16 tokens from PowerShell with a hint, before anything is sent", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService();
    const input = Buffer.from(`\uFEFF${service.addToken()}\r\n`, "utf16le");
    const checked = await runOnWindows(["token", "check"], user, { ...service, input });
    expect([checked.code, service.requests.length]).toEqual([2, 0]);
    expect(checked.stderr).toContain("UTF-16");
  });

  test("reads a query from a file with Windows line endings, and keeps the slashes of REST paths", async () => {
    const user = makeWindowsUser();
    const account = await openAccount();
    onTestFinished(() => account.sandbox.close());
    const file = join(user.home, "my query.graphql");
    writeFileSync(file, "{\r\n  viewer { login }\r\n}\r\n");
    const login = account.sandbox.description.username;
    const asked = await runOnWindows(["api", "graphql", "-F", `query=@${windowsPath(file)}`], user, account);
    expect(asked.code).toBe(0);
    expect(JSON.parse(asked.stdout)).toEqual({ data: { viewer: { login } } });
    const read = await runOnWindows(["api", "/user", "--jq", ".login"], user, account);
    expect(read).toEqual({ code: 0, stdout: `${login}\n`, stderr: "" });
  });

  test("writes a report to a file, and line feeds only on standard output", async () => {
    const user = makeWindowsUser();
    const account = await openAccount({ grants: 2, authorizations: 3 });
    onTestFinished(() => account.sandbox.close());
    const file = join(user.home, "report.html");
    const audit = ["audit", "--format", "html", "--output-file", windowsPath(file)];
    expect(await runOnWindows(audit, user, account)).toMatchObject({ code: 0 });
    expect(readFileSync(file, "utf8")).toMatch(/^<!doctype html>/i);
    const listed = await runOnWindows(["authorization", "list", "--format", "tsv"], user, account);
    expect(listed.stdout.split("\n")).toHaveLength(4);
    expect(listed.stdout).not.toContain("\r");
  });

  test("reads each token once from a scanner's report, with its locations as Windows paths", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService();
    const [alive, dead] = [service.addToken(), "d".repeat(40)];
    const places = ["C:\\Quellen\\Grüße\\a.env", "src\\b c.env", "C:\\new\\tab.env"];
    const findings = places.map((place, at) => gitleaksFinding(at === 2 ? dead : alive, place, at + 1));
    const file = join(user.home, "my report.json");
    writeFileSync(file, `\uFEFF${JSON.stringify(findings, null, 1).replaceAll("\n", "\r\n")}\r\n`);
    const words = ["token", "inspect", "--token-file", windowsPath(file), "--json", "status,sources"];
    const { code, stdout } = await runOnWindows(words, user, service);
    const rows = JSON.parse(stdout) as readonly {
      readonly status: string;
      readonly sources: readonly { readonly file: string }[];
    }[];
    expect(code).toBe(9);
    expect(rows.map(({ status, sources }) => [status, ...sources.map((source) => source.file)])).toEqual([
      ["active", places[0], places[1]],
      ["inactive", places[2]],
    ]);
    expect(service.requests.map(({ operation }) => operation)).toEqual(["user", "user"]);
  });

  test("an audit reads an earlier one with Windows line endings", async () => {
    const user = makeWindowsUser();
    const account = await openAccount({ grants: 2, authorizations: 2 });
    onTestFinished(() => account.sandbox.close());
    const folder = join(user.home, "Prüfung 100 %");
    mkdirSync(folder);
    const before = join(folder, "before.json");
    const saved = await runOnWindows(
      ["audit", "--json", "--output-file", windowsPath(before)],
      user,
      account,
    );
    expect(saved.code).toBe(0);
    writeFileSync(before, `\uFEFF${readFileSync(before, "utf8").replaceAll("\n", "\r\n")}`);
    const words = ["audit", "--compare", windowsPath(before), "--fail-on", "new", "--json", "note"];
    expect((await runOnWindows(words, user, account)).code).toBe(0);
    await runOnWindows(["authorization", "create", "--note", "später"], user, account);
    const { code, stdout } = await runOnWindows(words, user, account);
    expect([code, JSON.parse(stdout)]).toEqual([14, expect.arrayContaining([{ note: "später" }])]);
  });

  test("passes a jq expression and a path with backslashes unchanged", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService();
    service.addToken();
    const jq = '.[0] | "\\(.id) \\\\ " + "100 % \\"ü\\""';
    const { code, stdout } = await runOnWindows(["authorization", "list", "--jq", jq], user, service);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+ \\ 100 % "ü"\n$/)]);
  });
});
