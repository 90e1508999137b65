// Basic credentials: how they are written, and that they are on every request from the first.
import { assert, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { authorizationLayer, encodeBasic } from "../../src/http/authorization.ts";
import type { HttpRequest } from "../../src/http/request.ts";
import { failureOf } from "../support/failure-of.ts";
import { makeAnswer, makeRequest } from "./doubles.ts";

function decode(header: string): string {
  const encoded = /^Basic ([A-Za-z0-9+/]+=*)$/.exec(header)?.[1];
  if (encoded === undefined) throw new Error(`not a Basic header: ${header}`);
  return Buffer.from(encoded, "base64").toString("utf8");
}

describe("the header", () => {
  test.each([
    // The examples of RFC 7617.
    ["Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="],
    ["test", "123£", "Basic dGVzdDoxMjPCow=="],
    ["octo", "", "Basic b2N0bzo="],
    ["", "x", "Basic Ong="],
  ])("of '%s' and '%s'", (username, password, header) => {
    expect(encodeBasic({ username, password })).toBe(header);
  });

  test("holds any password but control characters, whole", () => {
    assert(
      property(string({ unit: "grapheme" }), string({ unit: "grapheme" }), (name, password) => {
        const username = name.replaceAll(":", "");
        expect(decode(encodeBasic({ username, password }))).toBe(`${username}:${password}`);
      }),
    );
  });

  test("of a password with colons, blanks, quotes and emoji", () => {
    for (const password of [":", "a:b:c", " a ", "\u00a0", '"', "🔑", "x".repeat(10_000)])
      expect(decode(encodeBasic({ username: "octo", password }))).toBe(`octo:${password}`);
  });

  test.each(["a:b", ":", "octo:"])(
    "a user name with a colon is rejected, and the password not told: %s",
    async (username) => {
      const failure = await failureOf(() => encodeBasic({ username, password: "hunter2" }));
      expect(failure.kind).toBe("usage");
      expect(failure.message).not.toContain("hunter2");
    },
  );

  test("a control character is rejected in either, and neither is reported", async () => {
    for (const control of ["\u0000", "\t", "\n", "\r", "\r\nX-Evil: 1", "\u001b", "\u001f", "\u007f"]) {
      for (const credentials of [
        { username: `hunter2${control}`, password: "hunter2" },
        { username: "octo", password: `${control}hunter2` },
      ]) {
        const failure = await failureOf(() => encodeBasic(credentials));
        expect(failure.kind).toBe("usage");
        expect(failure.message).not.toContain("hunter2");
      }
    }
  });
});

test("the layer puts it on every request, beside the headers that are there", async () => {
  const sent: HttpRequest[] = [];
  const send = authorizationLayer("Basic bzpw")((request) => {
    sent.push(request);
    return Promise.resolve(makeAnswer(200));
  });
  const request = makeRequest({ headers: { "X-Kept": "1" } });
  await Promise.all([send(request), send(request)]);
  expect(sent).toHaveLength(2);
  for (const { headers } of sent) expect(headers).toEqual({ "X-Kept": "1", Authorization: "Basic bzpw" });
});
