// Basic credentials: their encoding, and what is rejected.
import { assert, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeBasic } from "../../src/http/authorization.ts";
import { failureOf } from "../support/failure-of.ts";

function decode(header: string): string {
  const encoded = /^Basic ([A-Za-z0-9+/]+=*)$/.exec(header)?.[1];
  if (encoded === undefined) throw new Error(`not a Basic header: ${header}`);
  return Buffer.from(encoded, "base64").toString("utf8");
}

describe("the Authorization header", () => {
  test.each([
    // The examples of RFC 7617.
    ["Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="],
    ["test", "123£", "Basic dGVzdDoxMjPCow=="],
    ["octo", "", "Basic b2N0bzo="],
    ["", "x", "Basic Ong="],
  ])("for '%s' and '%s'", (username, password, header) => {
    expect(encodeBasic({ username, password })).toBe(header);
  });

  test("encodes any password without control characters unchanged", () => {
    assert(
      property(string({ unit: "grapheme" }), string({ unit: "grapheme" }), (name, password) => {
        const username = name.replaceAll(":", "");
        expect(decode(encodeBasic({ username, password }))).toBe(`${username}:${password}`);
      }),
    );
  });

  test.each(["a:b", ":", "octo:"])(
    "rejects a user name with a colon without revealing the password: %s",
    async (username) => {
      const failure = await failureOf(() => encodeBasic({ username, password: "hunter2" }));
      expect(failure.kind).toBe("usage");
      expect(failure.message).not.toContain("hunter2");
    },
  );

  test("rejects a control character in the user name or password, and reveals neither", async () => {
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
