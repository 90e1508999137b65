// `grantctl config`: the output of each verb in every format, and its changes to the file.
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { profileKeyNames, type ProfileKey } from "../../../src/config/profile-keys.ts";
import { makeConfigurationFolder } from "../../support/configuration.ts";
import { runMain, type World } from "../../support/test-host.ts";

/** A valid value for each key. */
const values: Readonly<Record<ProfileKey, string>> = {
  operator: "github",
  base_url: "https://ghe.example.com/api/v3",
  username: "octavia",
  client_id: "0123456789abcdef0123",
  header_word: "GitHub",
  otp_command: "oathtool --totp -b 'JBSW Y3DP'",
  password_command: "pass show 'work/a b'",
  client_secret_command: "/usr/bin/op read op://x/y",
  introspection_path: "/oauth/introspect",
  revocation_path: "/oauth/revoke?tenant=a",
  client_auth: "post",
  ca_cert: "/etc/ca.pem",
  client_cert: "/etc/client.pem",
  client_key: "/etc/client.key",
  allow_http: "true",
  headers: "X-Trace: a b",
  format: "csv",
};

const two = {
  default_profile: "work",
  profiles: { work: { base_url: "https://w.test", format: "json" }, home: { username: 'é🔑, "q"' } },
};

function run(
  folder: { environment: Readonly<Record<string, string>> },
  words: readonly string[],
  world: Omit<World, "argv"> = {},
): ReturnType<typeof runMain> {
  return runMain(words, { ...world, environment: { ...folder.environment, ...world.environment } });
}

describe("config set, get, unset", () => {
  test.each(profileKeyNames)("%s keeps its value until it is unset", async (key) => {
    const folder = makeConfigurationFolder();
    const set = await run(folder, ["config", "set", key, values[key]]);
    expect(set).toEqual({ code: 0, stdout: "", stderr: "" });
    const stored = key === "headers" ? [values[key]] : values[key];
    expect(folder.content()).toEqual({ profiles: { default: { [key]: stored } } });
    const got = await run(folder, ["config", "get", key, "--format", "tsv"]);
    expect(got).toEqual({ code: 0, stdout: `${values[key]}\n`, stderr: "" });
    const json = await run(folder, ["config", "get", key, "--json"]);
    expect(JSON.parse(json.stdout)).toEqual({ profile: "default", key, value: values[key] });
    expect(await run(folder, ["config", "unset", key])).toEqual({ code: 0, stdout: "", stderr: "" });
    const gone = await run(folder, ["config", "get", key]);
    expect([gone.code, gone.stdout]).toEqual([3, ""]);
    expect(gone.stderr).toContain(`${key} is not set in the profile default`);
  });

  test.each<[string, string]>([
    ["base_url", ""],
    ["base_url", "ghe.example.com"],
    ["base_url", "https://u:hunter2@x.test"],
    ["base_url", "https://x.test/?q=hunter2"],
    ["base_url", "https://x.test/a/../hunter2"],
    ["base_url", "https://x.test/hunter2 b"],
    ["base_url", "https:\\\\x.test\\hunter2"],
    ["base_url", "http://x.test"],
    ["username", "octavia:hunter2"],
    ["username", "hunter2\u001b[2J"],
    ["client_id", "hunter2"],
    ["header_word", "hunter2 x"],
    ["password_command", "./hunter2"],
    ["password_command", "echo hunter2 | cat"],
    ["otp_command", "'hunter2"],
    ["format", "hunter2"],
    ["default_profile", "../hunter2"],
    ["password", "hunter2"],
    ["client_secret", "hunter2"],
    ["token", "hunter2"],
    ["__proto__", "hunter2"],
    ["toString", "hunter2"],
    ["stored_secrets", "hunter2"],
    ["profiles", "hunter2"],
  ])("set %s '%s' is rejected and writes nothing", async (key, value) => {
    const folder = makeConfigurationFolder(two);
    const before = folder.text();
    const set = await run(folder, ["config", "set", key, value]);
    expect([set.code, set.stdout]).toEqual([2, ""]);
    expect(folder.text()).toBe(before);
    expect(set.stderr).not.toContain("hunter2");
    expect(set.stderr).not.toContain("\u001b");
  });

  test("accepts plain http with allow_http", async () => {
    const folder = makeConfigurationFolder();
    expect((await run(folder, ["config", "set", "allow_http", "true"])).code).toBe(0);
    expect((await run(folder, ["config", "set", "base_url", "http://x.test"])).code).toBe(0);
    expect(folder.content()).toEqual({
      profiles: { default: { allow_http: "true", base_url: "http://x.test" } },
    });
  });

  test("stores a relative file path as an absolute one", async () => {
    const folder = makeConfigurationFolder();
    expect((await run(folder, ["config", "set", "ca_cert", "ca.pem"])).code).toBe(0);
    expect(folder.content()).toEqual({ profiles: { default: { ca_cert: join(process.cwd(), "ca.pem") } } });
  });

  test.each(["constructor", "__proto__", "prototype", "a b", "-a", "../a", "a/b", "é", "a".repeat(65)])(
    "rejects the profile name '%s'",
    async (name) => {
      const folder = makeConfigurationFolder();
      const set = await run(folder, [`--profile=${name}`, "config", "set", "username", "u"]);
      expect(set.code).toBe(2);
      expect(folder.names()).toEqual([]);
    },
  );

  test("sets the default profile to an existing one, and can unset a missing one", async () => {
    const folder = makeConfigurationFolder(two);
    expect((await run(folder, ["config", "set", "default_profile", "home"])).code).toBe(0);
    expect((await run(folder, ["config", "get", "default_profile"])).stdout).toBe("home\n");
    folder.write({ default_profile: "gone", profiles: two.profiles });
    const lost = await run(folder, ["config", "list"]);
    expect(lost.code).toBe(2);
    expect(lost.stderr).toContain("default_profile names gone");
    const hint = /hint: Run `grantctl (.*)`/.exec(lost.stderr)?.[1]?.split(" ") ?? [];
    expect((await run(folder, hint)).code).toBe(0);
    expect((await run(folder, ["config", "list"])).code).toBe(0);
    expect(folder.content()).toEqual({ profiles: two.profiles });
  });

  test("unset reports a missing profile and does not create it", async () => {
    const folder = makeConfigurationFolder(two);
    const before = folder.text();
    const unset = await run(folder, ["--profile", "nobody", "config", "unset", "username"]);
    expect([unset.code, unset.stderr]).toEqual([
      2,
      expect.stringContaining("there is no profile named nobody; existing profiles: work, home"),
    ]);
    expect(folder.text()).toBe(before);
  });

  test("escapes control characters in values on a terminal, but not in a pipe", async () => {
    const command = 'printf "a\u001b]0;title\u0007\u202eb"';
    const folder = makeConfigurationFolder({ profiles: { default: { password_command: command } } });
    expect((await run(folder, ["config", "get", "password_command"])).stdout).toBe(`${command}\n`);
    for (const words of [
      ["config", "get", "password_command"],
      ["config", "list"],
    ]) {
      const { code, stdout } = await run(folder, words, { columns: 200 });
      expect(code).toBe(0);
      expect(stdout).toContain("title");
      expect(stdout).not.toMatch(/[\u0007\u202e]|\u001b\]/);
    }
  });

  test("warns that commands apply to the new server if base_url changes", async () => {
    const folder = makeConfigurationFolder({
      profiles: { default: { base_url: "https://a.test/x", password_command: "pass x", otp_command: "otp" } },
    });
    const same = await run(folder, ["config", "set", "base_url", "https://A.test:443/y"]);
    expect(same).toMatchObject({ code: 0, stderr: "" });
    const moved = await run(folder, ["config", "set", "base_url", "https://b.test"]);
    expect(moved.stderr).toBe(
      "warning: password_command, otp_command of this profile now apply to https://b.test\n",
    );
  });
});

describe("config list", () => {
  const rows = [
    { profile: null, key: "default_profile", value: "work" },
    { profile: "work", key: "base_url", value: "https://w.test" },
    { profile: "work", key: "format", value: "json" },
    { profile: "home", key: "username", value: 'é🔑, "q"' },
  ];

  test("prints every setting in every format", async () => {
    const folder = makeConfigurationFolder(two);
    const stdout = async (...flags: string[]): Promise<string> => {
      const listed = await run(folder, ["config", "list", ...flags]);
      expect([listed.code, listed.stderr]).toEqual([0, ""]);
      return listed.stdout;
    };
    expect(JSON.parse(await stdout("--json"))).toEqual(rows);
    // Uses the profile's format.
    expect(JSON.parse(await stdout())).toEqual(rows);
    expect(
      (await stdout("--format", "ndjson"))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(rows);
    expect(await stdout("--format", "tsv")).toBe(
      '\tdefault_profile\twork\nwork\tbase_url\thttps://w.test\nwork\tformat\tjson\nhome\tusername\té🔑, "q"\n',
    );
    expect(await stdout("--format", "csv")).toMatch(/^PROFILE,KEY,VALUE\r?\n,default_profile,work\r?\n/i);
    expect(await stdout("--format", "csv")).toContain('home,username,"é🔑, ""q"""');
    expect(await stdout("--format", "table")).toMatch(/PROFILE +KEY +VALUE/);
    expect(JSON.parse(await stdout("--json", "key"))).toEqual(rows.map(({ key }) => ({ key })));
  });

  test("is limited to the profile selected by flag or variable", async () => {
    const folder = makeConfigurationFolder(two);
    const named = await run(folder, ["--profile", "home", "config", "list", "--json"]);
    expect(JSON.parse(named.stdout)).toEqual([rows[3]]);
    const byVariable = await run(folder, ["config", "list", "--json"], {
      environment: { GRANTCTL_PROFILE: "home" },
    });
    expect(byVariable.stdout).toBe(named.stdout);
  });

  test("is an empty list without settings", async () => {
    const folder = makeConfigurationFolder();
    expect(await run(folder, ["config", "list", "--json"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\[\s*\]\n$/),
    });
    expect(await run(folder, ["config", "list"])).toMatchObject({ code: 0, stdout: "" });
    expect(folder.names()).toEqual([]);
  });

  test("rejects an unknown field and lists the valid ones", async () => {
    const listed = await run(makeConfigurationFolder(two), ["config", "list", "--json", "value,secret"]);
    expect([listed.code, listed.stdout]).toEqual([2, ""]);
    expect(listed.stderr).toContain("profile, key, value");
  });
});
