// Reading the configuration file: the accepted syntax, and a message for every mistake with its line and its key,
// but without the value.
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { configurationPath, readConfiguration } from "../../src/config/configuration.ts";
import { failureOf } from "../support/failure-of.ts";
import { makeConfigurationFolder } from "../support/configuration.ts";
import { makeFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";

const canary = "c4nary-Value";
const userId = process.getuid?.() ?? null;
const isWindows = process.platform === "win32";

function read(content: unknown): ReturnType<typeof readConfiguration> {
  return readConfiguration(makeConfigurationFolder(content).file, userId);
}

describe("a valid file", () => {
  test("may have comments, trailing commas, a byte order mark and any line endings", async () => {
    const lines = [
      "// mine",
      "{",
      '  "default_profile": "work", /* twice */',
      '  "profiles": {',
      '    "work": { "username": "é🔑 \\u0061", "format": "json", },',
      "  },",
      "}",
    ];
    for (const text of [lines.join("\n"), lines.join("\r\n"), `\uFEFF${lines.join("\r\n")}\r\n`]) {
      const { defaultProfile, profiles } = await read(text);
      expect(defaultProfile).toBe("work");
      expect([...profiles]).toEqual([["work", { username: "é🔑 a", format: "json" }]]);
    }
  });

  test.each([
    ["no file", undefined],
    ["an empty file", ""],
    ["white space", " \r\n\t"],
    ["a byte order mark", "\uFEFF"],
    ["an empty object", "{}"],
  ])("%s configures nothing", async (_, content) => {
    const configuration = await read(content);
    expect(configuration).toMatchObject({ defaultProfile: null, storedSecrets: [] });
    expect(configuration.profiles.size).toBe(0);
  });

  test("may have a command as a list of words", async () => {
    const words = ["sh", "-c", "echo 'a b' \"c\"\n"];
    const { profiles } = await read({ profiles: { a: { password_command: words } } });
    const { splitCommand } = await import("../../src/config/command-words.ts");
    expect(splitCommand(profiles.get("a")?.password_command ?? "")).toEqual(words);
  });

  test("may have profiles named like properties of Object.prototype", async () => {
    const { profiles } = await read({ profiles: { toString: { username: "a" }, valueOf: {} } });
    expect([...profiles.keys()]).toEqual(["toString", "valueOf"]);
  });

  test.skipIf(isWindows)("may be a symbolic link to a private file", async () => {
    const folder = makeConfigurationFolder();
    const target = join(makeFolder(), "dotfiles.json");
    writeFileSync(target, '{"profiles":{"a":{}}}', { mode: 0o600 });
    mkdirSync(folder.path);
    symlinkSync(target, folder.file);
    expect((await readConfiguration(folder.file, userId)).profiles.has("a")).toBe(true);
    chmodSync(target, 0o620);
    expect((await failureOf(() => readConfiguration(folder.file, userId))).message).toContain(
      "other users can",
    );
  });
});

/** The content, the line of the mistake, and the text of the message. */
const mistakes: readonly (readonly [name: string, content: string, line: number, says: string])[] = [
  ["an unknown key of the file", `{\n  "colour": "${canary}"\n}`, 2, "colour is not a setting"],
  [
    "an unknown key of a profile",
    `{"profiles": {\n"a": {\n"host": "${canary}"}}}`,
    3,
    "profiles.a.host is not a setting",
  ],
  [
    "a password",
    `{"profiles": {\n"a": {\n\n"password": "${canary}"}}}`,
    4,
    "profiles.a.password is not allowed",
  ],
  ["a token at the top", `{\n"token": "${canary}"}`, 2, "token is not allowed"],
  [
    "a number for a text",
    `{"profiles":\n{"a": {\n"username": 99887766}}}`,
    3,
    "profiles.a.username must be text",
  ],
  ["null", `{"profiles":\n{"a": {\n"username": null}}}`, 3, "profiles.a.username must be text"],
  ["an empty value", `{"profiles":\n{"a": {"base_url":\n""}}}`, 2, "profiles.a.base_url is empty"],
  ["a list at the top", `\n["${canary}"]`, 2, "the configuration must be an object"],
  ["a text at the top", `\n\n"${canary}"`, 3, "the configuration must be an object"],
  ["a profile that is a text", `{"profiles":{\n"a": "${canary}"}}`, 2, "profiles.a must be an object"],
  ["profiles that are a list", `{\n"profiles": ["${canary}"]}`, 2, "profiles must be an object"],
  [
    "a name that is none",
    `{"profiles":{\n"a b": {"username": "${canary}"}}}`,
    2,
    "is not a valid profile name",
  ],
  [
    "a default that is no name",
    `{\n"default_profile": "../${canary}"}`,
    2,
    "default_profile is not a valid profile name",
  ],
  [
    "a key twice",
    `{"profiles":{"a":{\n"username": "x",\n"username": "${canary}"}}}`,
    3,
    "profiles.a.username appears here twice",
  ],
  [
    "a profile twice",
    `{"profiles":{"a":{},\n"a":{"username": "${canary}"}}}`,
    2,
    "profiles.a appears here twice",
  ],
  [
    "__proto__",
    `{"profiles":{"a":{\n"__proto__": {"username": "${canary}"}}}}`,
    2,
    "profiles.a.__proto__ is a name",
  ],
  [
    "__proto__ as a profile",
    `{"profiles":{\n"__proto__": {"username": "${canary}"}}}`,
    2,
    "profiles.__proto__ is a name",
  ],
  [
    "constructor as a key",
    `{"profiles":{"a":{\n"constructor": "${canary}"}}}`,
    2,
    "profiles.a.constructor is a name",
  ],
  [
    "constructor as a profile",
    `{"profiles":{\n"constructor": {"username": "${canary}"}}}`,
    2,
    "profiles.constructor is a name",
  ],
  [
    "__proto__ spelled otherwise",
    `{"profiles":{"a":{\n"\\u005f_proto__": "${canary}"}}}`,
    2,
    "__proto__ is a name",
  ],
  [
    "a method's name as a key",
    `{"profiles":{"a":{\n"toString": "${canary}"}}}`,
    2,
    "profiles.a.toString is not a setting",
  ],
  [
    "an address without a scheme",
    `{"profiles":{"a":{\n"base_url": "${canary}.test"}}}`,
    2,
    "profiles.a.base_url must be an http",
  ],
  [
    "another scheme",
    `{"profiles":{"a":{\n"base_url": "file:///${canary}"}}}`,
    2,
    "profiles.a.base_url must be an http",
  ],
  [
    "an address with a password",
    `{"profiles":{"a":{\n"base_url": "https://u:${canary}@x.test"}}}`,
    2,
    "profiles.a.base_url must be",
  ],
  [
    "an address with an escape",
    `{"profiles":{"a":{\n"base_url": "https://x.test/\\u001b${canary}"}}}`,
    2,
    "profiles.a.base_url must not contain control",
  ],
  [
    "a user name with an escape",
    `{"profiles":{"a":{\n"username": "\\u009b${canary}"}}}`,
    2,
    "profiles.a.username must not contain control",
  ],
  [
    "a user name with a colon",
    `{"profiles":{"a":{\n"username": "x:${canary}"}}}`,
    2,
    "profiles.a.username must not contain a colon",
  ],
  [
    "a client ID of another length",
    `{"profiles":{"a":{\n"client_id": "${canary}"}}}`,
    2,
    "profiles.a.client_id must have exactly 20",
  ],
  [
    "a header word with a line end",
    `{"profiles":{"a":{\n"header_word": "X\\r\\n${canary}"}}}`,
    2,
    "profiles.a.header_word",
  ],
  [
    "a relative file",
    `{"profiles":{"a":{\n"ca_cert": "${canary}.pem"}}}`,
    2,
    "profiles.a.ca_cert must be an absolute",
  ],
  [
    "a relative program",
    `{"profiles":{"a":{\n"password_command": "./${canary}"}}}`,
    2,
    "profiles.a.password_command must be a command",
  ],
  [
    "a program in a folder",
    `{"profiles":{"a":{\n"otp_command": "bin/${canary}"}}}`,
    2,
    "profiles.a.otp_command must be a command",
  ],
  [
    "a relative program in a list",
    `{"profiles":{"a":{\n"otp_command": ["../x", "${canary}"]}}}`,
    2,
    "profiles.a.otp_command must be",
  ],
  [
    "a command for a shell",
    `{"profiles":{"a":{\n"client_secret_command": "echo ${canary} | cat"}}}`,
    2,
    "profiles.a.client_secret_command must be",
  ],
  [
    "a command that is no list of words",
    `{"profiles":{"a":{\n"otp_command": ["x", ["${canary}"]]}}}`,
    2,
    "profiles.a.otp_command",
  ],
  ["an empty list of words", `{"profiles":{"a":{\n"otp_command": []}}}`, 2, "profiles.a.otp_command"],
  [
    "an unknown format",
    `{"profiles":{"a":{\n"format": "${canary}"}}}`,
    2,
    "profiles.a.format must be one of table, tsv",
  ],
  [
    "an index that is no list",
    `{\n"stored_secrets": {"secret": "${canary}"}}`,
    2,
    "stored_secrets must be a list",
  ],
  [
    "an entry of the index without its store",
    `{"stored_secrets": [\n{"origin": "https://x.test", "kind": "password", "user": "u", "store": "file"},\n{"origin": "${canary}",\n"kind": "password", "user": "u"}]}`,
    3,
    "stored_secrets.1.store",
  ],
  [
    "a secret in the index",
    `{"stored_secrets": [{"origin": "https://x.test", "kind": "password",\n"user": "u", "store": "file",\n"secret": "${canary}"}]}`,
    3,
    "stored_secrets.0.secret is not allowed",
  ],
  [
    "an unknown store",
    `{"stored_secrets": [{"origin": "https://x.test", "kind": "password",\n"user": "u", "store": "${canary}"}]}`,
    2,
    "stored_secrets.0.store",
  ],
  ["a comma that is missing", `{"profiles":{\n"a":{"username": "${canary}"}\n"b":{}}}`, 3, "invalid JSON"],
  ["an end that is missing", `{"profiles":{\n"a":{"username": "${canary}"`, 2, "invalid JSON"],
  ["a text that does not end", `{"profiles":{\n"a":{"username": "${canary}}}}`, 2, "invalid JSON"],
  ["single quotes", `{\n'profiles': '${canary}'}`, 2, "invalid JSON"],
  ["something behind the end", `{}\n${canary}`, 2, "invalid JSON"],
  ["a comment that does not end", `{}\n/* ${canary}`, 2, "invalid JSON"],
  ["a comment alone", `// ${canary}`, 1, "invalid JSON"],
  ["not a number", `{\n"profiles": NaN}`, 2, "invalid JSON"],
];

describe("a mistake", () => {
  test.each(mistakes)("%s is reported with its line and key", async (_, content, line, says) => {
    const folder = makeConfigurationFolder(content);
    for (const text of [content, content.replaceAll("\n", "\r\n"), `\uFEFF${content}`]) {
      folder.write(text);
      const run = await runMain(["config", "list"], { environment: folder.environment });
      expect(run.code).toBe(2);
      expect(run.stdout).toBe("");
      expect(run.stderr).toContain(`grantctl: ${folder.file}:${line}: `);
      expect(run.stderr).toContain(says);
      // The text there may be a secret, or contain control characters.
      for (const value of [canary, "99887766", "\u001b", "\u009b"]) expect(run.stderr).not.toContain(value);
    }
  });

  test("stops only commands that use the file, before they send anything", async () => {
    const { environment } = makeConfigurationFolder(`{\n"profiles": 1}`);
    for (const words of [
      ["grant", "list"],
      ["auth", "status"],
      ["auth", "login"],
      ["config", "set", "format", "csv"],
      ["token", "check"],
    ]) {
      const run = await runMain([...words, "--base-url", "http://127.0.0.1:1"], {
        environment,
        input: "x\n",
      });
      expect([run.code, run.stdout]).toEqual([2, ""]);
      expect(run.stderr).toContain("config.json:2: profiles");
    }
    expect((await runMain(["config", "path"], { environment })).code).toBe(0);
    expect((await runMain(["--version"], { environment })).code).toBe(0);
  });

  test("is reported as one object with --json", async () => {
    const { environment } = makeConfigurationFolder(`{\n"password": "${canary}"}`);
    const run = await runMain(["config", "list", "--json"], { environment });
    expect(JSON.parse(run.stderr)).toMatchObject({ error: { class: "usage", exit_code: 2 } });
    expect(run.stderr).not.toContain(canary);
  });

  test("in a key's name is escaped on the terminal", async () => {
    const { environment } = makeConfigurationFolder('{"\\u001b]0;x\\u0007\\u202e": 1}');
    const run = await runMain(["config", "list"], { environment });
    expect(run.code).toBe(2);
    expect(run.stderr).not.toMatch(/[\u001b\u0007\u202e]/);
  });
});

describe("an unusable file", () => {
  test.each([
    ["larger than 1 MiB", `{"profiles":{}}${" ".repeat(1024 * 1024)}`, "larger than 1 MiB"],
    ["nested deep", `{"profiles":${"[".repeat(200_000)}${"]".repeat(200_000)}}`, "nested too deep"],
    ["nested deep, and cut off", `{"profiles":${'{"a":'.repeat(100_000)}`, "nested too deep"],
  ])("%s is rejected", async (_, content, says) => {
    const failure = await failureOf(() => read(content));
    expect([failure.kind, failure.exitCode]).toEqual(["usage", 2]);
    expect(failure.message).toContain(says);
  });

  test("is accepted if it has exactly 1 MiB", async () => {
    const content = '{"profiles":{"a":{}}}';
    expect((await read(content.padEnd(1024 * 1024))).profiles.size).toBe(1);
  });

  test("is rejected if it is not valid UTF-8", async () => {
    const folder = makeConfigurationFolder("{}");
    writeFileSync(folder.file, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]));
    expect((await failureOf(() => readConfiguration(folder.file, userId))).message).toContain("not UTF-8");
  });

  test("is rejected if it is a folder, or if its parent is a file", async () => {
    const folder = makeConfigurationFolder("{}");
    const path = configurationPath(folder.file);
    expect((await failureOf(() => readConfiguration(path, userId))).message).toContain(
      "a part of its path is not a directory",
    );
    const inside = makeConfigurationFolder();
    mkdirSync(inside.file, { recursive: true });
    expect((await failureOf(() => readConfiguration(inside.file, userId))).message).toContain(
      "is not a file",
    );
  });

  test.skipIf(isWindows)("is rejected without waiting if it is a pipe", async () => {
    const folder = makeConfigurationFolder();
    mkdirSync(folder.path);
    execFileSync("mkfifo", ["-m", "600", folder.file]);
    const failure = await failureOf(() => readConfiguration(folder.file, userId));
    expect(failure.message).toContain("is not a file");
  });

  test.skipIf(isWindows).each([0o620, 0o602])("is rejected if others can write it (%o)", async (mode) => {
    const folder = makeConfigurationFolder(`{"profiles":{"a":{"password_command":"echo ${canary}"}}}`);
    chmodSync(folder.file, mode);
    const run = await runMain(["config", "list"], { environment: folder.environment });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain("other users can change");
    expect(run.stderr).toContain(`chmod 600 ${folder.file}`);
    expect(run.stdout + run.stderr).not.toContain(canary);
  });

  test.skipIf(isWindows).each([0o400, 0o644])("is accepted if others can only read it (%o)", async (mode) => {
    const folder = makeConfigurationFolder("{}");
    chmodSync(folder.file, mode);
    expect((await readConfiguration(folder.file, userId)).profiles.size).toBe(0);
  });

  test.skipIf(isWindows || userId === null)("is rejected if owned by another non-root user", async () => {
    const folder = makeConfigurationFolder("{}");
    // Root can change the owner; other users run it with a different user id instead.
    if (userId === 0) chownSync(folder.file, 54321, 54321);
    const reader = (userId ?? 0) + 1;
    expect((await failureOf(() => readConfiguration(folder.file, reader))).message).toMatch(
      /belongs to user \d+, but grantctl runs as user/,
    );
  });
});
