// Secrets are redacted in whatever stands around them.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../src/redaction.ts";

/** The forms of a login's secret, by name. */
const forms: Readonly<Record<string, (secret: string) => string>> = {
  "as it is": (secret) => secret,
  "in a URI": encodeURIComponent,
  "in a URI, in lower case": (secret) =>
    encodeURIComponent(secret).replaceAll(/%../g, (escape) => escape.toLowerCase()),
  "in a form": (secret) => new URLSearchParams({ secret }).toString().slice("secret=".length),
  "in JSON": (secret) => JSON.stringify(secret).slice(1, -1),
  "in base64": (secret) => Buffer.from(`octavia:${secret}`).toString("base64").replace(/=+$/, ""),
};

const secrets = fc
  .oneof(
    fc.string({ unit: "grapheme", minLength: 6, maxLength: 30 }),
    fc.stringMatching(/^[%\\+/&"' ]{6,12}$/),
  )
  .filter((secret) => !"[secret][secret]".includes(secret) && !/\p{Surrogate}/u.test(secret));

test.each(Object.entries(forms))("a login's secret %s is redacted", (_, write) => {
  fc.assert(
    fc.property(secrets, fc.string(), fc.string(), (password, before, after) => {
      const redactor = createRedactor();
      redactor.addLogin({ name: "octavia", secret: password });
      const written = write(password);
      fc.pre(![before, after].some((text) => text.includes(written)));
      expect(redactor.redact(`${before}"${written}"${after}`)).not.toContain(written);
      expect(redactor.redact(`<${written}> and more`)).toBe("<[secret]> and more");
    }),
  );
});

describe("a token", () => {
  const jwt = `eyJhbGciOiJIUzI1NiJ9.eyJqdGkiOjF9.${"s".repeat(43)}`;
  const tokens = [
    "ab".repeat(20),
    jwt,
    "canary-1+canary/2~canary==",
    "12|laravel-has-bars",
    "to+ken/with.signs~1==",
  ];
  const redactor = createRedactor();
  for (const token of tokens) redactor.add(token);

  test.each(tokens)("%s is redacted", (token) => {
    const encoded = encodeURIComponent(token);
    for (const text of [
      `the token "${token}" is wrong`,
      `GET /applications/1/tokens/${encoded}.`,
      `{"token":"${token}"}`,
      `client_id=a&token=${encoded}&token_type_hint=b`,
    ]) {
      const shown = redactor.redact(text);
      expect(shown).toContain("[secret]");
      expect(shown).not.toContain(token);
      expect(shown).not.toContain(encoded);
    }
  });

  test("is a whole word, and its last eight characters are shown", () => {
    const text = `${"ab".repeat(20)}c ${"ab".repeat(19)} the token ending in abababab`;
    expect(redactor.redact(text)).toBe(text);
  });
});

test("a longer secret comes first, and a short one stays", () => {
  const redactor = createRedactor();
  for (const secret of ["canary-one", "canary-one-and-more", "hello", ""]) redactor.addSecret(secret);
  expect(redactor.redact("hello canary-one-and-more, canary-one")).toBe("hello [secret], [secret]");
});
