// The form of a token: a whole one has it, and a text that lacks or adds a character has not.
import { createHmac } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hasKnownForm, isWholeToken, typeInText } from "../src/token.ts";

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const from = (alphabet: string, length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...alphabet.split("")), minLength: length, maxLength: length });
const hex = "0123456789abcdef";
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

const jwt = fc.string({ maxLength: 200 }).map((sub) => {
  const text = `${encode({ alg: "HS256" })}.${encode({ sub })}`;
  return `${text}.${createHmac("sha256", "key").update(text).digest("base64url")}`;
});
const known = fc.oneof(
  from(hex, 40),
  from(letters, 36).map((text) => `gho_${text}`),
  from(letters, 36).map((text) => `ghp_${text}`),
  from(letters, 76).map((text) => `ghr_${text}`),
  fc.tuple(from(letters, 22), from(letters, 59)).map((parts) => `github_pat_${parts.join("_")}`),
  fc.uuid(),
  jwt,
);

test("a whole token of a known form has it, and no part of it and nothing around it", () => {
  fc.assert(
    fc.property(known, fc.constantFrom(...letters.split(""), ".", "-", "_"), (token, added) => {
      expect(hasKnownForm(token)).toBe(true);
      const others = [token.slice(1), token.slice(0, -1), `${token}${added}`, `${added}${token}`];
      expect(others.filter(hasKnownForm)).toEqual([]);
    }),
  );
});

test.each(["none", "constructor", "__proto__", "toString"])("a JWT with %s has no known form", (alg) => {
  expect(hasKnownForm(`${encode({ alg })}.${encode({})}.${Buffer.alloc(32, 7).toString("base64url")}`)).toBe(
    false,
  );
});

test("a token of 18,000 characters is as good as another", () => {
  const text = `${encode({ alg: "RS256" })}.${encode({ groups: "g".repeat(13_000) })}`;
  expect(hasKnownForm(`${text}.${Buffer.alloc(256, 7).toString("base64url")}`)).toBe(true);
  expect(hasKnownForm(`${text}.${Buffer.alloc(255, 7).toString("base64url")}`)).toBe(false);
});

test.each([
  ["0a".repeat(21), "0b".repeat(21), true],
  ["0a".repeat(21), "0B".repeat(21), false],
  ["0a".repeat(21), "0z".repeat(21), false],
  ["aZ-_".repeat(11), "0b".repeat(22), true],
  ["aZ-_".repeat(10), "aZ+/".repeat(10), false],
  ["aZ.~".repeat(10), "aZ+/".repeat(10), true],
  ["aZ-_".repeat(10), "aZ-_".repeat(9), false],
])("beside an accepted %s, %s has its form: %s", (accepted, text, isSame) => {
  expect(isWholeToken(text, [accepted])).toBe(isSame);
});

const jwtOf = (more: object): string =>
  `${encode({ alg: "HS256" })}.${encode({ typ: "Bearer", iss: "one", azp: "app", aud: ["app"], jti: "1", ...more })}.${Buffer.alloc(32, 7).toString("base64url")}`;

test.each<[object, boolean]>([
  [{ jti: "2" }, true],
  [{ azp: "web" }, false],
  [{ aud: ["account"] }, false],
  [{ iss: "another" }, false],
  [{ typ: "Refresh" }, false],
])("a JWT with %j instead has the type of the first: %s", (claims, isSame) => {
  expect(typeInText(jwtOf({})) === typeInText(jwtOf(claims))).toBe(isSame);
});
