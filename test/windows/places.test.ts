// Where things are on Windows: profiles, folders that variables name, long paths, names of devices, files that Windows'
// own programs wrote.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openAccount } from "../support/account.ts";
import { startTruthService } from "../support/truth-service.ts";
import { makeWindowsUser, noWindowsReason, runOnWindows, windowsPath } from "../support/windows.ts";

describe.skipIf(noWindowsReason !== null)(`places on Windows (${noWindowsReason ?? "Wine"})`, () => {
  test("two profiles keep two addresses, and the file that has them may come from an editor of Windows", async () => {
    const user = makeWindowsUser();
    for (const name of ["one", "zwei.2"])
      await runOnWindows(
        ["config", "set", "base_url", `https://${name[0] ?? ""}.example`, "--profile", name],
        user,
      );
    const file = join(user.home, "AppData", "Roaming", "grantctl", "config.json");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, `\uFEFF${text.replaceAll("\n", "\r\n")}`);
    const get = ["config", "get", "base_url", "--profile", "zwei.2"];
    expect(await runOnWindows(get, user)).toEqual({ code: 0, stdout: "https://z.example\n", stderr: "" });
    const listed = await runOnWindows(["config", "list", "--json"], user);
    expect([listed.code, listed.stderr]).toEqual([0, ""]);
    expect(listed.stdout).toContain("https://o.example");
  });

  test("GRANTCTL_CONFIG_DIR and GRANTCTL_STATE_DIR are taken as Windows writes them, with either slash", async () => {
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

  test("without a user's folder in the environment the system is asked for it, and nothing is written here", async () => {
    const user = makeWindowsUser();
    const nothing = { ...user.variables, USERPROFILE: null, APPDATA: null, LOCALAPPDATA: null };
    const { code, stdout } = await runOnWindows(["config", "path"], { ...user, variables: nothing });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^[A-Z]:\\.*\\grantctl\\config\.json\n$/)]);
    expect(existsSync(join(user.home, "grantctl"))).toBe(false);
  });

  test("a path of more than 260 characters takes a value, and gives tokens", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService();
    const folder = join(user.home, ...["a", "b", "c"].map((letter) => letter.repeat(100)));
    mkdirSync(folder, { recursive: true });
    const file = join(folder, "token.txt");
    const create = ["authorization", "create", "--note", "long", "--output-file", windowsPath(file)];
    expect((await runOnWindows(create, user, service)).code).toBe(0);
    expect(readFileSync(file, "utf8").trim()).toBe(service.writes[0]?.value);
    const revoke = ["token", "revoke", "--yes", "--token-file", windowsPath(file)];
    expect((await runOnWindows(revoke, user, service)).code).toBe(0);
    expect(service.isLive(service.writes[0]?.value ?? "")).toBe(false);
  });

  test("tokens that PowerShell wrote as UTF-16 are refused with what to do, before anything is sent", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService();
    const input = Buffer.from(`\uFEFF${service.addToken()}\r\n`, "utf16le");
    const checked = await runOnWindows(["token", "check"], user, { ...service, input });
    expect([checked.code, service.requests.length]).toEqual([2, 0]);
    expect(checked.stderr).toContain("UTF-16");
  });

  test("a query is read from a file whose lines end as Windows ends them, and REST addresses keep their slashes", async () => {
    const user = makeWindowsUser();
    const account = await openAccount();
    onTestFinished(() => account.sandbox.close());
    const file = join(user.home, "my query.graphql");
    writeFileSync(file, "{\r\n  viewer { login }\r\n}\r\n");
    const login = account.sandbox.description.username;
    const asked = await runOnWindows(["graphql", `@${windowsPath(file)}`], user, account);
    expect(asked).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(asked.stdout)).toEqual({ data: { viewer: { login } } });
    const read = await runOnWindows(["api", "/user", "--jq", ".login"], user, account);
    expect(read).toEqual({ code: 0, stdout: `${login}\n`, stderr: "" });
  });

  test("a report goes to a file, and lines end on standard output as they do everywhere", async () => {
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

  test("jq's program and a path with backslashes come through as they were typed", async () => {
    const user = makeWindowsUser();
    const service = await startTruthService();
    service.addToken();
    const jq = '.[0] | "\\(.id) \\\\ " + "100 % \\"ü\\""';
    const { code, stdout } = await runOnWindows(["authorization", "list", "--jq", jq], user, service);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+ \\ 100 % "ü"\n$/)]);
  });
});
