// Standard input: one reader, read completely, as valid text; and the single secret on it.
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { createStandardInput, secretFrom } from "../../src/credentials/standard-input.ts";
import { thrownFailure } from "../support/thrown-failure.ts";

function inputOf(...chunks: (Buffer | string)[]) {
  return createStandardInput({ stream: Readable.from(chunks, { objectMode: true }), isTerminal: false });
}

describe("reading", () => {
  test("returns all input, even if a chunk ends within a character", async () => {
    const bytes = Buffer.from("é🔑\r\nzwei\n");
    expect(await inputOf(...Array.from(bytes, (byte) => Buffer.of(byte))).read("tokens")).toBe(
      "é🔑\r\nzwei\n",
    );
    expect(await inputOf("a", "b").read("tokens")).toBe("ab");
    expect(await inputOf().read("tokens")).toBe("");
  });

  test.each([
    ["Latin-1", Buffer.from([0x70, 0xe9, 0x0a])],
    ["UTF-16", Buffer.from("\ufeffhunter2\n", "utf16le")],
    ["a lone surrogate", Buffer.from([0xed, 0xa0, 0x80])],
    ["a cut character", Buffer.from([0xf0, 0x9f, 0x94])],
  ])("rejects %s instead of changing it into another secret", async (_, bytes) => {
    const failure = await thrownFailure(() => inputOf(bytes).read("the password"));
    expect(failure.kind).toBe("usage");
    expect(failure.message).toContain("the password");
    expect(failure.message).not.toContain("hunter2");
  });

  test("stops endless input at the limit", async () => {
    const chunk = Buffer.alloc(8 * 1024 * 1024, "x");
    let sent = 0;
    const stream = new Readable({
      read() {
        sent += chunk.length;
        this.push(chunk);
      },
    });
    const failure = await thrownFailure(() =>
      createStandardInput({ stream, isTerminal: false }).read("the tokens"),
    );
    expect(failure.kind).toBe("usage");
    expect(sent).toBeLessThan(300 * 1024 * 1024);
    expect(stream.destroyed).toBe(true);
  });
});

describe("the secret in it", () => {
  test.each([
    ["hunter2", "hunter2"],
    ["hunter2\n", "hunter2"],
    ["hunter2\r\n", "hunter2"],
    [" hunter2 \n", " hunter2 "],
    ["hun:ter 2\n", "hun:ter 2"],
    ["pässwörd🔑\n", "pässwörd🔑"],
  ])("%j is %j", (text, secret) => {
    expect(secretFrom(text, "password")).toBe(secret);
  });

  const linesOf = "hunter2\nx|hunter2\n\n|\nhunter2\n|hunter2\rx\n|hunter2\r\nx\r\n|\r\n\r\nhunter2".split(
    "|",
  );
  test.each(linesOf)("rejects %j because it has more than one line, without showing it", async (text) => {
    const failure = await thrownFailure(() => secretFrom(text, "client secret"));
    expect(failure.kind).toBe("usage");
    expect(failure.message).not.toContain("hunter2");
  });
});
