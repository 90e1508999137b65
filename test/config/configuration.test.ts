// The configuration file: what is accepted, and the key of each mistake, without its value.
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { editConfiguration, readConfiguration, type Configuration } from "../../src/config/configuration.ts";
import { makeConfigurationFolder } from "../support/configuration.ts";
import { thrownFailure } from "../support/thrown-failure.ts";

const trust = { userId: null, named: [] };
const parse = (text: string): Configuration => readConfiguration(makeConfigurationFolder(text).file, trust);

test("what is written is read again: lists of headers, switches, any text", async () => {
  const values = { username: "é🔑 \u{2028}", headers: "A: 1\nB: 2", allow_http: "true" };
  const key = { profile: "toString", base_url: "https://x.test/y", kind: "password", name: "u" } as const;
  const folder = makeConfigurationFolder();
  const empty = readConfiguration(folder.file, trust);
  const before = {
    ...empty,
    defaultProfile: "toString",
    profiles: new Map([["toString", values]]),
    storedSecrets: [
      { ...key, store: "file", verified: null },
      { ...key, name: "v", store: "keychain", verified: "2026-11-28, by hand" },
    ] as const,
  };
  const machine = { userId: null, homeFolder: "/" };
  const host = { environment: {}, platform: process.platform, machine };
  await editConfiguration({ host, configured: { configuration: empty } }, () => before);
  expect(folder.content()).toMatchObject({
    profiles: { toString: { headers: ["A: 1", "B: 2"], allow_http: true } },
  });
  expect(readConfiguration(folder.file, trust)).toEqual(before);
  const paths = {
    introspection_path: "none",
    revocation_path: "https://b.test:8/r?a=b",
    userinfo_path: "/u",
  };
  expect(parse(JSON.stringify({ profiles: { a: paths } })).profiles.get("a")).toEqual(paths);
  expect(parse(' {"profiles": {"a": {"allow_http": "true", "headers": "A: 1"}}} ').profiles.get("a")).toEqual(
    { allow_http: "true", headers: "A: 1" },
  );
});

const inProfile: readonly (readonly [content: string, says: string])[] = [
  ['"host": "C"', "host is not a setting"],
  ['"password": "C"', "password is not a setting"],
  ['"username": 99887766', "username must be text"],
  ['"username": null', "username must be text"],
  ['"base_url": ""', "base_url is empty"],
  ['"__proto__": {"username": "C"}', "__proto__ is not a setting"],
  ['"toString": "C"', "toString is not a setting"],
  ['"base_url": "C test"', "base_url must be an http"],
  ['"base_url": "file:///C"', "base_url must be an http"],
  ['"base_url": "https://u:C@x.test"', "base_url must be"],
  ['"base_url": "https://x.test/\\u001bC"', "base_url must be"],
  ['"username": "\\u009bC"', "username must not contain a colon or control"],
  ['"username": "x:C"', "username must not contain a colon"],
  ['"header_word": "X\\r\\nC"', "header_word may contain only"],
  ['"headers": ["A: 1", "C"]', "headers must have the form"],
  ['"allow_http": "C"', "allow_http must be true or false"],
  ['"revocation_path": "http://x.test/C"', "revocation_path must be a path"],
  ['"userinfo_path": "https://x.test:C/"', "userinfo_path must be a path"],
  ['"introspection_path": "https://x.test/../C"', "introspection_path must be a path"],
  ['"ca_cert": "C.pem"', "ca_cert must be an absolute"],
  ['"password_command": "./C"', "password_command must be a command"],
  ['"client_secret_command": "echo C | cat"', "client_secret_command must be"],
  ['"otp_command": ["x", "C"]', "otp_command must be text"],
  ['"client_auth": "C"', "client_auth must be one of basic, post"],
];
const stored = '{"profile": "a", "base_url": "https://x.test/y", "kind": "password", "name": "u"';
const mistakes: readonly (readonly [content: string, says: string])[] = [
  ...inProfile.map(([text, says]) => [`{"profiles": {"a": {${text}}}}`, `profiles.a.${says}`] as const),
  ['{"colour": "C"}', "colour is not a setting"],
  ['["C"]', "the configuration must be an object"],
  ['{"profiles":{"a": "C"}}', "profiles.a must be an object"],
  ['{"profiles": ["C"]}', "profiles must be an object"],
  ['{"profiles":{"a b": {"username": "C"}}}', "is not a valid profile name"],
  ['{"default_profile": "../C"}', "default_profile is not a valid profile name"],
  ['{"stored_secrets": {"secret": "C"}}', "stored_secrets is not grantctl's"],
  [`{"stored_secrets": [${stored}, "store": "C", "verified": null}]}`, "stored_secrets is not grantctl's"],
  ['{"profiles": "C', "the configuration must be an object"],
  ['{"profiles": {} // C\n}', "the configuration must be an object"],
  ["[".repeat(200_000), "the configuration must be an object"],
];

test.each(mistakes)("%j is a mistake: %s", async (content, says) => {
  const failure = await thrownFailure(() =>
    Promise.resolve().then(() => parse(content.replaceAll(/\bC\b/g, "c4nary"))),
  );
  expect(failure.kind).toBe("usage");
  expect(failure.message).toContain("/config.json: ");
  expect(failure.message).toContain(says);
  expect(`${failure.message} ${failure.details.hint}`).not.toMatch(/c4nary|99887766/);
});

test("the file must be UTF-8", async () => {
  const { file } = makeConfigurationFolder("{}");
  writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d]));
  const failure = await thrownFailure(() => Promise.resolve().then(() => readConfiguration(file, trust)));
  expect(failure.message).toContain("not UTF-8");
});
