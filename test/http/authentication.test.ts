// Basic credentials: their encoding, and what is rejected.
import { assert, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeBasic } from "../../src/http/authentication.ts";
import { thrownFailure } from "../support/thrown-failure.ts";

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
  ])("for '%s' and '%s'", (name, secret, header) => {
    expect(encodeBasic({ name, secret })).toBe(header);
  });

  test("encodes any password without control characters unchanged", () => {
    assert(
      property(string({ unit: "grapheme" }), string({ unit: "grapheme" }), (text, secret) => {
        const name = text.replaceAll(":", "");
        expect(decode(encodeBasic({ name, secret }))).toBe(`${name}:${secret}`);
      }),
    );
  });

  test.each(["a:b", ":", "octo:"])(
    "rejects a user name with a colon without revealing the password: %s",
    async (name) => {
      const failure = await thrownFailure(() => encodeBasic({ name, secret: "hunter2" }));
      expect(failure.kind).toBe("usage");
      expect(failure.message).not.toContain("hunter2");
    },
  );

  test("rejects a control character in the user name or password, and reveals neither", async () => {
    for (const control of ["\u0000", "\t", "\n", "\r", "\r\nX-Evil: 1", "\u001b", "\u001f", "\u007f"]) {
      for (const credentials of [
        { name: `hunter2${control}`, secret: "hunter2" },
        { name: "octo", secret: `${control}hunter2` },
      ]) {
        const failure = await thrownFailure(() => encodeBasic(credentials));
        expect(failure.kind).toBe("usage");
        expect(failure.message).not.toContain("hunter2");
      }
    }
  });
});
