// The configuration file: what is accepted, and the line and key of each mistake, without its value.
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readConfiguration } from "../../src/config/configuration.ts";
import { splitCommand } from "../../src/config/command-words.ts";
import { makeConfigurationFolder } from "../support/configuration.ts";
import { failureOf } from "../support/failure-of.ts";

const userId = process.getuid?.() ?? null;
const parse = (source: string): ReturnType<typeof readConfiguration> =>
  readConfiguration(makeConfigurationFolder(source).file, userId);

test("comments, trailing commas, a byte order mark and any line ends are accepted", async () => {
  const source = `// mine\n{\n"profiles": { /* twice */\n"work": { "username": "é🔑 \\u0061", "format": "json", },\n},\n}`;
  for (const text of [source, source.replaceAll("\n", "\r\n"), `\uFEFF${source}\r\n`])
    expect([...(await parse(text)).profiles]).toEqual([["work", { username: "é🔑 a", format: "json" }]]);
  for (const text of ["", " \r\n\t", "\uFEFF", "{}"]) expect((await parse(text)).profiles.size).toBe(0);
  const words = ["sh", "-c", "echo 'a b' \"c\"\n"];
  const { profiles } = await parse(JSON.stringify({ profiles: { toString: { password_command: words } } }));
  expect(splitCommand(profiles.get("toString")?.password_command ?? "")).toEqual(words);
});

/** In the profile `a`, on line 2. */
const inProfile: readonly (readonly [content: string, says: string])[] = [
  ['"host": "C"', "profiles.a.host is not a setting"],
  ['"password": "C"', "profiles.a.password is not allowed"],
  ['"username": 99887766', "profiles.a.username must be text"],
  ['"username": null', "profiles.a.username must be text"],
  ['"base_url": ""', "profiles.a.base_url is empty"],
  ['"username": "x", "username": "C"', "profiles.a.username appears here twice"],
  ['"__proto__": {"username": "C"}', "profiles.a.__proto__ is a name"],
  ['"\\u005f_proto__": "C"', "__proto__ is a name"],
  ['"constructor": "C"', "profiles.a.constructor is a name"],
  ['"toString": "C"', "profiles.a.toString is not a setting"],
  ['"base_url": "C.test"', "profiles.a.base_url must be an http"],
  ['"base_url": "file:///C"', "profiles.a.base_url must be an http"],
  ['"base_url": "https://u:C@x.test"', "profiles.a.base_url must be"],
  ['"base_url": "https://x.test/\\u001bC"', "profiles.a.base_url must not contain control"],
  ['"username": "\\u009bC"', "profiles.a.username must not contain control"],
  ['"username": "x:C"', "profiles.a.username must not contain a colon"],
  ['"client_id": "C"', "profiles.a.client_id must have exactly 20"],
  ['"header_word": "X\\r\\nC"', "profiles.a.header_word"],
  ['"ca_cert": "C.pem"', "profiles.a.ca_cert must be an absolute"],
  ['"password_command": "./C"', "profiles.a.password_command must be a command"],
  ['"otp_command": ["../x", "C"]', "profiles.a.otp_command must be"],
  ['"client_secret_command": "echo C | cat"', "profiles.a.client_secret_command must be"],
  ['"otp_command": ["x", ["C"]]', "profiles.a.otp_command"],
  ['"otp_command": []', "profiles.a.otp_command"],
  ['"format": "C"', "profiles.a.format must be one of table, tsv"],
  ['"username": "C', "invalid JSON"],
];
const stored = '{"origin": "https://x.test", "kind": "password", "user": "u"';
const mistakes: readonly (readonly [content: string, line: number, says: string])[] = [
  ...inProfile.map(([text, says]) => [`{"profiles": {"a": {\n${text}}}}`, 2, says] as const),
  ['{\n"colour": "C"\n}', 2, "colour is not a setting"],
  ['{\n"token": "C"}', 2, "token is not allowed"],
  ['\n["C"]', 2, "the configuration must be an object"],
  ['\n\n"C"', 3, "the configuration must be an object"],
  ['{"profiles":{\n"a": "C"}}', 2, "profiles.a must be an object"],
  ['{\n"profiles": ["C"]}', 2, "profiles must be an object"],
  ['{"profiles":{\n"a b": {"username": "C"}}}', 2, "is not a valid profile name"],
  ['{\n"default_profile": "../C"}', 2, "default_profile is not a valid profile name"],
  ['{"profiles":{"a":{},\n"a":{"username": "C"}}}', 2, "profiles.a appears here twice"],
  ['{"profiles":{\n"constructor": {"username": "C"}}}', 2, "profiles.constructor is a name"],
  ['{\n"stored_secrets": {"secret": "C"}}', 2, "stored_secrets must be a list"],
  [`{"stored_secrets": [${stored}, "store": "file"},\n${stored}}]}`, 2, "stored_secrets.1.store"],
  [`{"stored_secrets": [${stored}, "store": "file",\n"secret": "C"}]}`, 2, "stored_secrets.0.secret is not"],
  [`{"stored_secrets": [${stored},\n"store": "C"}]}`, 2, "stored_secrets.0.store"],
  ['{"profiles":{\n"a":{"username": "C"}\n"b":{}}}', 3, "invalid JSON"],
  ["{\n'profiles': 'C'}", 2, "invalid JSON"],
  ["{}\nC", 2, "invalid JSON"],
  ["{}\n/* C", 2, "invalid JSON"],
  ["// C", 1, "invalid JSON"],
  ['{\n"profiles": NaN}', 2, "invalid JSON"],
];

test.each(mistakes)("%j is a mistake in line %i: %s", async (content, line, says) => {
  const source = content.replaceAll(/\bC\b/g, "c4nary");
  for (const text of [source, source.replaceAll("\n", "\r\n"), `\uFEFF${source}`]) {
    const { kind, message } = await failureOf(() => parse(text));
    expect([kind, message]).toEqual(["usage", expect.stringContaining(`/config.json:${line}: `)]);
    expect(message).toContain(says);
    expect(message).not.toMatch(/c4nary|99887766/);
  }
});

test.each([
  ["larger than 1 MiB", `{"profiles":{}}${" ".repeat(1024 * 1024)}`],
  ["nested too deep", `{"profiles":${"[".repeat(200_000)}${"]".repeat(200_000)}}`],
  ["nested too deep", `{"profiles":${'{"a":'.repeat(100_000)}`],
])("a file that is %s is refused", async (says, content) => {
  const { file } = makeConfigurationFolder(content);
  expect((await failureOf(() => readConfiguration(file, userId))).message).toContain(says);
});

/** Reads the file after this was done to it. */
const after = async (change: (file: string) => void, reader = userId): Promise<string> => {
  const { file } = makeConfigurationFolder('{"profiles":{}}'.padEnd(1024 * 1024));
  change(file);
  try {
    return String((await readConfiguration(file, reader)).profiles.size);
  } catch (error) {
    return String(error);
  }
};

describe.skipIf(userId === null)("the file", () => {
  test("may be missing, a link to a private file, and readable for others", async () => {
    const { file: target } = makeConfigurationFolder('{"profiles":{"a":{}}}');
    const link = (file: string): void => {
      rmSync(file);
      symlinkSync(target, file);
    };
    expect(await after((file) => rmSync(file))).toBe("0");
    expect(await after((file) => chmodSync(file, 0o644))).toBe("0");
    expect(await after((file) => chmodSync(file, 0o400))).toBe("0");
    expect(await after(link)).toBe("1");
    chmodSync(target, 0o620);
    expect(await after(link)).toContain("other users can");
  });

  test("must be a file of the user that others cannot write, in UTF-8", async () => {
    const replaced = (make: (file: string) => void): Promise<string> =>
      after((file) => {
        rmSync(file);
        make(file);
      });
    expect(await after((file) => chmodSync(file, 0o620))).toContain("other users can change");
    expect(await after((file) => writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d])))).toContain(
      "not UTF-8",
    );
    expect(await replaced((file) => mkdirSync(file))).toContain("is not a file");
    // A pipe is not waited for.
    expect(await replaced((file) => execFileSync("mkfifo", ["-m", "600", file]))).toContain("is not a file");
    // Root can change the owner; other users run it with a different user id instead.
    const give = (file: string): void => {
      if (userId === 0) chownSync(file, 54321, 54321);
    };
    expect(await after(give, (userId ?? 0) + 1)).toMatch(/belongs to user \d+, but grantctl runs as user/);
    const { file } = makeConfigurationFolder("{}");
    const inFile = await failureOf(() => readConfiguration(`${file}/config.json`, userId));
    expect(inFile.message).toContain("a part of its path is not a directory");
  });
});
