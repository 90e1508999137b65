// The sources of settings, and the values that count as unset.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  checkClientId,
  headerWordOf,
  isSwitchedOn,
  resolveSettings,
  type Setting,
  type SettingName,
  type Settings,
} from "../../src/config/settings.ts";
import { isFailure } from "../../src/errors/errors.ts";
import { credentialsOf, startRecordingServer } from "../support/recording-server.ts";

const resolve = (options: object, environment: Record<string, string>, profile = {}): Settings =>
  resolveSettings({ options, environment, profile });

const both: readonly (readonly [SettingName, string])[] = [
  ["baseUrl", "GRANTCTL_BASE_URL"],
  ["username", "GRANTCTL_USERNAME"],
  ["otp", "GRANTCTL_OTP"],
  ["clientId", "GRANTCTL_CLIENT_ID"],
];

test.each(both)(
  "%s: a flag overrides the environment, and an empty value counts as unset",
  (name, variable) => {
    const resolved = (flag: string | undefined, value: string | undefined): unknown =>
      resolve(flag === undefined ? {} : { [name]: flag }, value === undefined ? {} : { [variable]: value })[
        name
      ];
    expect(resolved("f", "e")).toEqual({ value: "f", source: "flag" });
    expect(resolved("f", undefined)).toEqual({ value: "f", source: "flag" });
    expect(resolved(undefined, "e")).toEqual({ value: "e", source: "environment" });
    expect(resolved("", "e")).toEqual({ value: "e", source: "environment" });
    expect(resolved(undefined, "")).toBeUndefined();
    expect(resolved("", "")).toBeUndefined();
    expect(resolved(undefined, undefined)).toBeUndefined();
  },
);

test.each([
  ["password", "GRANTCTL_PASSWORD"],
  ["clientSecret", "GRANTCTL_CLIENT_SECRET"],
  ["otpCommand", "GRANTCTL_OTP_COMMAND"],
] as const)("%s has no flag", (name, variable) => {
  expect(resolve({ [name]: "from a flag" }, {})[name]).toBeUndefined();
  expect(resolve({}, { [variable]: "e" })[name]).toEqual({ value: "e", source: "environment" });
});

test("ignores other variables, lower-case ones and inherited properties", () => {
  expect(resolve({}, { grantctl_username: "x", USERNAME: "x", GITHUB_TOKEN: "x" })).toEqual({
    operator: { value: "service", source: "default" },
    headerWord: { value: "Service", source: "default" },
  });
  expect(resolve({}, Object.create({ GRANTCTL_USERNAME: "x" }) as Record<string, string>)).toEqual(
    resolve({}, { GRANTCTL_USERNAME: "x" }),
  );
});

test("sends the flag's user name to the flag's URL, with the environment's header word", async () => {
  const server = await startRecordingServer(() => ({ status: 200, body: [] }));
  const run = await server.run(
    ["grant", "list", "--username", "petra", "--base-url", server.root, "--otp", "1"],
    { environment: { GRANTCTL_BASE_URL: "https://wrong.test", GRANTCTL_HEADER_WORD: "Acme" } },
  );
  expect(run.code).toBe(0);
  expect(credentialsOf(server.requests[0])).toMatch(/^Basic petra:/);
  expect(server.requests[0]?.headers["x-acme-otp"]).toBe("1");
});

test.each(["Service", "GitHub", "a", "A-1", "x".repeat(64)])("accepts the header word %j", (word) => {
  expect(headerWordOf({ headerWord: { value: word, source: "flag" } })).toBe(word);
});

test.each(["-a", "a-", "a b", "a\r\nX: y", "a:", "é", "x".repeat(65), "a/b", "ſ", "\u212a"])(
  "rejects the header word %j",
  (word) => {
    expect(() => headerWordOf({ headerWord: { value: word, source: "flag" } })).toThrow(/header word/);
  },
);

function hintOf(operator: Setting): unknown {
  try {
    return checkClientId("app", { operator });
  } catch (error) {
    return isFailure(error) ? error.details.hint : error;
  }
}

test("a client ID is any 20 printable characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii", minLength: 0, maxLength: 30 }), (text) => {
      fc.pre(!/^[!-~]{20}$/.test(text));
      expect(() => checkClientId(text, {})).toThrow(/20 characters/);
    }),
  );
  fc.assert(
    fc.property(fc.stringMatching(/^[!-~]{20}$/), (text) => {
      expect(checkClientId(text, {})).toBe(text);
    }),
  );
  expect(checkClientId("0123456789abcdef0123", {})).toBe("0123456789abcdef0123");
  expect(() => checkClientId("0123456789abcdef012\n", {})).toThrow(/20/);
  expect(hintOf({ value: "service", source: "default" })).toContain("--operator oauth");
  expect(hintOf({ value: "service", source: "flag" })).toBeUndefined();
  expect(hintOf({ value: "oauth", source: "flag" })).toBe("app");
});

test.each([
  ["1", true],
  ["true", true],
  ["yes please", true],
  ["0", false],
  ["false", false],
  ["No", false],
  ["off", false],
  [undefined, false],
])("a switch set to %j is on: %s", (value, isOn) => {
  expect(isSwitchedOn(value)).toBe(isOn);
});
