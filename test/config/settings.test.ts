// The forms of a few settings; which source of a setting wins is a script.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { checkClientId, isSwitchedOn, resolveSettings } from "../../src/config/settings.ts";

const resolve = (options: object, environment: Record<string, string>): object =>
  resolveSettings({ options, environment, profile: {} });

test("no flag holds a secret, and inherited properties are no variables", () => {
  const nothing = resolve({}, {});
  expect(resolve({ password: "x", clientSecret: "x", otpCommand: "x" }, {})).toEqual(nothing);
  expect(resolve({}, Object.create({ toString: "x" }) as Record<string, string>)).toEqual(nothing);
});

test.each(["Service", "GitHub", "a", "A-1", "x".repeat(64)])("%j is a header word", (value) => {
  expect(resolve({}, { GRANTCTL_HEADER_WORD: value })).toMatchObject({ headerWord: { value } });
});

test.each(["-a", "a-", "a b", "a\r\nX: y", "a:", "é", "x".repeat(65), "a/b", "ſ", "\u212a"])(
  "%j is no header word",
  (value) => {
    expect(() => resolve({}, { GRANTCTL_HEADER_WORD: value })).toThrow(/^GRANTCTL_HEADER_WORD may contain/);
  },
);

test("a client ID is 20 printable characters, for OAuth 2.0 any number", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[!-~]{20}$/), (text) => {
      expect(checkClientId(text, {})).toBe(text);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii", maxLength: 30 }), (text) => {
      fc.pre(!/^[!-~]{20}$/.test(text));
      expect(() => checkClientId(text, {})).toThrow(/20 characters|printable/);
    }),
  );
  expect(checkClientId("0123456789abcdef0123", {})).toBe("0123456789abcdef0123");
  expect(() => checkClientId("0123456789abcdef012\n", {})).toThrow(/printable/);
  expect(checkClientId("app", { serverType: { value: "oauth", source: "flag" } })).toBe("app");
});

test("a variable may end with a line feed, as a block of YAML and a secret in Kubernetes do", () => {
  expect(resolve({}, { GRANTCTL_HEADERS: "A: 1\nB: 2\n", GRANTCTL_CLIENT_SECRET: "s\n" })).toMatchObject({
    headers: { value: "A: 1\nB: 2" },
    clientSecret: { value: "s" },
  });
});

test("a switch in a profile takes other words, too", () => {
  const { revokeInactive } = resolveSettings({
    options: {},
    environment: {},
    profile: { revoke_inactive: "no" },
  });
  expect(revokeInactive).toEqual({ value: "false", source: "profile" });
});

test("a switch is off without a value, and for 0, false, no and off", () => {
  expect(["1", "true", "yes please"].filter(isSwitchedOn)).toHaveLength(3);
  expect(["0", "false", "No", "off", undefined].filter(isSwitchedOn)).toEqual([]);
});

test.each([
  ["the profile's own base URL", {}, ["command", "otp", "secret", "cert", "http", "headers"]],
  [
    "the same, spelled otherwise",
    { baseUrl: "a.test/x/" },
    ["command", "otp", "secret", "cert", "http", "headers"],
  ],
  ["another path of its host", { baseUrl: "https://a.test/y" }, ["cert", "http"]],
  ["another port", { baseUrl: "https://a.test:8443/x" }, []],
  ["plain http", { baseUrl: "http://a.test/x" }, []],
  ["another host", { baseUrl: "https://b.test/x" }, []],
  ["another user", { username: "hubert" }, ["secret", "cert", "http", "headers"]],
  ["another application", { clientId: "b" }, ["command", "otp", "cert", "http", "headers"]],
])("what opens secrets, or shows who the user is, is for the profile's own: %s", (_, options, left) => {
  const profile = {
    base_url: "https://a.test/x",
    username: "octavia",
    client_id: "a",
    password_command: "command",
    otp_command: "otp",
    client_secret_command: "secret",
    client_cert: "cert",
    allow_http: "http",
    headers: "headers",
  };
  const settings = resolveSettings({ options, environment: {}, profile });
  const values = Object.values(settings).map(({ value }) => value);
  expect(values.filter((value) => /^(?:command|otp|secret|cert|http|headers)$/.test(value))).toEqual(left);
});

test("what belongs to a profile is for any server if the profile names none", () => {
  const profile = { password_command: "x", headers: "A: b" };
  const options = { baseUrl: "https://a.test", username: "octavia" };
  expect(resolveSettings({ options, environment: {}, profile })).toMatchObject({
    passwordCommand: { value: "x" },
    headers: { value: "A: b" },
  });
});
