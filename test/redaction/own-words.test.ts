// A password may equal a word in grantctl's own messages. It stays in these messages, because a gap would reveal it,
// and is redacted in text from elsewhere.
import { describe, expect, test } from "vitest";
import { Failure } from "../../src/errors/errors.ts";
import { foreign, splitForeign, withoutMarks } from "../../src/errors/foreign.ts";
import { createRedactor } from "../../src/redaction/redact.ts";
import { startRecordingServer, type ArrangedAnswer } from "../support/recording-server.ts";
import { ownText } from "../support/test-host.ts";

/** The standard error of a run with this password. */
async function said(answer: ArrangedAnswer, password: string, words: readonly string[]): Promise<string> {
  const server = await startRecordingServer(() => Promise.resolve(answer));
  const run = await server.run([...words], {
    environment: { GRANTCTL_PASSWORD: password },
  });
  return run.stderr;
}

const answers: readonly ArrangedAnswer[] = [
  { status: 404, body: {} },
  { status: 401, body: {} },
  { status: 403, body: {} },
  { status: 429, body: {}, headers: { "Retry-After": "3600" } },
  { status: 500, body: "" },
  { status: 200, body: [1] },
  { status: 302, body: "" },
];

test.each(answers)("grantctl's own words are not redacted: $status", async (answer) => {
  const words = ["grant", "list", "--json"];
  const plain = await said(answer, "Xk93-vm20-unlikely", words);
  expect(plain).not.toContain("[secret]");
  const spoken = plain.split(/\W+/).filter((word) => word !== "");
  for (const password of new Set([spoken[3], spoken.at(-1), plain.at(-4), spoken[6]?.slice(0, 4)]))
    expect([password, await said(answer, password ?? "x", words)]).toEqual([password, plain]);
});

test.each(["the", "a", "404", "server rejected"])(
  "%j is redacted in the server's text, but not in grantctl's",
  async (password) => {
    const text = await said({ status: 403, body: { message: `<${password}> it is` } }, password, [
      "grant",
      "list",
    ]);
    expect(text.split("\n")[0]).toBe(
      "grantctl: the server rejected the request: <[secret]> it is (status 403)",
    );
  },
);

describe("a message", () => {
  const redactor = createRedactor(ownText);
  for (const secret of ["wrong", "x", "canary-9-SECRET", "p4ss", "123456", "correct horse"])
    redactor.add(secret);

  test("has every secret redacted in marked parts, and elsewhere all but grantctl's own words", () => {
    expect(redactor.redactMessage(`wrong x ${foreign("wrong, x")} wrong`)).toBe(
      "wrong x [secret], [secret] wrong",
    );
    expect(redactor.redactMessage("at canary-9-SECRET, p4ss and 123456")).toBe(
      "at [secret], [secret] and [secret]",
    );
    expect(redactor.redactMessage(`canary-9-${foreign("SECRET")} stays`)).toBe("[secret] stays");
  });

  test("that is embedded in another one keeps its marks", () => {
    const inner = new Failure("refused", `it said ${foreign("wrong")}`);
    const outer = new Failure("refused", `wrong: ${inner.marked}`);
    expect(outer.message).toBe("wrong: it said wrong");
    expect(redactor.redactMessage(outer.marked)).toBe("wrong: it said [secret]");
  });

  test("cannot be marked from outside", () => {
    const hostile = foreign("\uFDD1wrong\uFDD0");
    expect(withoutMarks(hostile)).toBe("wrong");
    expect(redactor.redactMessage(`a ${hostile} b`)).toBe("a [secret] b");
    expect(splitForeign("a \uFDD0b")).toEqual({ text: "a b", foreignRanges: [{ start: 2, end: 3 }] });
  });

  test("of a program with unreadable source text has every secret redacted", () => {
    const careful = createRedactor(() => "");
    careful.add("wrong");
    expect(careful.redactMessage("wrong")).toBe("[secret]");
  });
});
