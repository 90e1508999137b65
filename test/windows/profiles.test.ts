// Facilities of Windows: the user's directories, the Credential Manager, the name of the machine, and the user's
// programs.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import {
  makeWindowsUser,
  noWindowsReason,
  runOnWindows,
  windowsNode,
  windowsPath,
  type WindowsUser,
} from "../support/windows.ts";

describe.skipIf(noWindowsReason !== null)(`on Windows (${noWindowsReason ?? "Wine"})`, () => {
  let account: Account;
  beforeAll(async () => {
    account = await openAccount();
  });
  afterAll(() => account.sandbox.close());

  /** The URL of the server, without credentials. */
  function address(): Readonly<Record<string, string>> {
    return { GRANTCTL_BASE_URL: account.sandbox.description.base_url };
  }

  async function logIn(user: WindowsUser, ...flags: readonly string[]): ReturnType<typeof runOnWindows> {
    const { username, password } = account.sandbox.description;
    return runOnWindows(["auth", "login", "--username", username, "--password-stdin", ...flags], user, {
      environment: address(),
      input: `${password}\r\n`,
    });
  }

  test("--version and --help print the same as on other systems", async () => {
    const user = makeWindowsUser();
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string };
    expect(await runOnWindows(["--version"], user)).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
    const help = await runOnWindows(["grant", "--help"], user);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toContain("grantctl grant");
  });

  test("the configuration is in AppData\\Roaming, whatever the name of the user's folder", async () => {
    const user = makeWindowsUser();
    const file = join(user.home, "AppData", "Roaming", "grantctl", "config.json");
    const set = await runOnWindows(["config", "set", "base_url", "https://service.example"], user);
    expect(set.code).toBe(0);
    expect(existsSync(file)).toBe(true);
    const get = await runOnWindows(["config", "get", "base_url"], user);
    expect(get.stdout).toBe("https://service.example\n");
  });

  test("without APPDATA it is below the user's folder", async () => {
    const user = makeWindowsUser();
    const poor = { ...user, variables: { ...user.variables, APPDATA: null, LOCALAPPDATA: null } };
    const set = await runOnWindows(["config", "set", "base_url", "https://service.example"], poor);
    expect(set.code).toBe(0);
    expect(existsSync(join(user.home, "AppData", "Roaming", "grantctl", "config.json"))).toBe(true);
  });

  test("nothing is read from the current folder", async () => {
    const user = makeWindowsUser();
    const folder = join(user.home, "elsewhere");
    mkdirSync(folder);
    writeFileSync(
      join(folder, "config.json"),
      '{"version":1,"profiles":{"default":{"base_url":"https://evil.example"}}}',
    );
    for (const name of ["reg.exe", "reg.cmd", "reg.bat", "node.exe", "pass.exe"])
      writeFileSync(join(folder, name), "not a program");
    expect(await runOnWindows(["config", "list"], user, { cwd: folder })).toMatchObject({
      code: 0,
      stdout: "",
    });
    const { GRANTCTL_BASE_URL = "" } = address();
    const created = await runOnWindows(
      ["authorization", "create", "--note", "here", "--machine-fingerprint", "--json"],
      user,
      { cwd: folder, environment: { ...account.environment, GRANTCTL_BASE_URL } },
    );
    expect(created).toMatchObject({ code: 0, stderr: "" });
    const { fingerprint } = JSON.parse(created.stdout) as { readonly fingerprint: string };
    expect(fingerprint.length).toBeGreaterThan(8);
  });

  test("the Credential Manager stores and deletes a password", async () => {
    const user = makeWindowsUser();
    const login = await logIn(user);
    expect(login.code).toBe(0);
    const listed = await runOnWindows(["grant", "list", "--json", "id"], user, { environment: address() });
    expect(listed.code).toBe(0);
    const file = join(user.home, "AppData", "Roaming", "grantctl", "config.json");
    expect(readFileSync(file, "utf8")).not.toContain(account.sandbox.description.password);
    expect(existsSync(join(user.home, "AppData", "Roaming", "grantctl", "credentials.json"))).toBe(false);
    expect((await runOnWindows(["auth", "logout"], user, { environment: address() })).code).toBe(0);
    const after = await runOnWindows(["grant", "list"], user, { environment: address() });
    expect(after.code).toBe(4);
  });

  test("--store file keeps the password in a file", async () => {
    const user = makeWindowsUser();
    expect((await logIn(user, "--store", "file")).code).toBe(0);
    expect(existsSync(join(user.home, "AppData", "Roaming", "grantctl", "credentials.json"))).toBe(true);
    const listed = await runOnWindows(["grant", "list", "--json", "id"], user, { environment: address() });
    expect(listed.code).toBe(0);
  });

  test("a wrong password exits with code 3 and is not stored", async () => {
    const user = makeWindowsUser();
    const login = await runOnWindows(["auth", "login", "--username", "octavia", "--password-stdin"], user, {
      environment: address(),
      input: "wrong\r\n",
    });
    expect(login.code).toBe(3);
    expect((await runOnWindows(["grant", "list"], user, { environment: address() })).code).not.toBe(0);
  });

  test("runs a password command whose path contains a space", async () => {
    const user = makeWindowsUser();
    const { username, password } = account.sandbox.description;
    writeFileSync(
      join(user.home, "say it.cjs"),
      `process.stdout.write(${JSON.stringify(`${password}\r\n`)});`,
    );
    const words = [windowsPath(windowsNode), windowsPath(join(user.home, "say it.cjs"))];
    const command = words.map((word) => `'${word}'`).join(" ");
    expect((await runOnWindows(["config", "set", "password_command", command], user)).code).toBe(0);
    const listed = await runOnWindows(["grant", "list", "--json", "id"], user, {
      environment: { ...address(), GRANTCTL_USERNAME: username },
    });
    expect(listed).toMatchObject({ code: 0, stderr: "" });
  });

  test("doctor finds nothing wrong", async () => {
    const user = makeWindowsUser();
    const doctor = await runOnWindows(["doctor", "--json"], user, { environment: account.environment });
    expect(doctor).toMatchObject({ code: 0, stderr: "" });
    const rows = JSON.parse(doctor.stdout) as readonly { readonly check: string; readonly status: string }[];
    expect(rows.filter(({ status }) => status === "wrong")).toEqual([]);
    // Nothing is claimed about modes, which Windows does not have.
    expect(rows.find(({ check }) => check === "folders")?.status).toBe("note");
    expect(doctor.stdout).toContain("an entry was stored, read and deleted");
  });

  test("--ca-cert takes a Windows path, and rejects a missing file", async () => {
    const user = makeWindowsUser();
    const missing = await runOnWindows(["grant", "list", "--ca-cert", "C:\\nowhere\\ca.pem"], user, {
      environment: account.environment,
    });
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain("C:\\nowhere\\ca.pem");
  });
});
