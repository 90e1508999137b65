// Responses that are not trusted although they contain a new value: compressed and cut off, or with a failure status after
// the change. The value is kept, and nothing else is mistaken for one.
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { on, startTruthService } from "../support/truth-service.ts";

/** The words of the commands that get a value only once, and the input of `reset`. */
const makings = {
  create: ["authorization", "create", "--note", "note 1"],
  "get-or-create": ["authorization", "get-or-create", "--fingerprint", "machine-1"],
  reset: ["token", "reset", "--yes"],
};

type Pack = (body: Buffer) => Buffer;

/** The same response with a compressed body and these headers. */
function packed(answer: Buffer, headers: string, pack: Pack): Buffer {
  const start = answer.indexOf("\r\n\r\n") + 4;
  const body = pack(answer.subarray(start));
  const head = answer
    .subarray(0, start - 2)
    .toString("latin1")
    .replace(/Content-Length: \d+/, `Content-Length: ${body.length}`);
  return Buffer.concat([Buffer.from(`${head}${headers}\r\n`, "latin1"), body]);
}

type Rewrite = (answer: Buffer) => Buffer;

/** Makes a token with a rewritten response, and runs `recover show`. */
async function makeAndRecover(name: keyof typeof makings, rewrite: Rewrite) {
  const service = await startTruthService(on(name, { rewrite }));
  const state = makeStateFolder();
  const input = name === "reset" ? service.addToken() : "";
  const world = { environment: { ...service.environment, ...state.environment }, input };
  const made = await runMain(makings[name], world);
  const shown = await runMain(["recover", "show", state.ids()[0] ?? "none"], world);
  return { made, shown, value: service.writes.at(-1)?.value ?? "none" };
}

const gzip = "Content-Encoding: gzip\r\n";

const failed: Rewrite = (answer) =>
  Buffer.from(answer.toString("latin1").replace(/^HTTP\/1.1 \d+/, "HTTP/1.1 500"), "latin1");

/** The body with this text, as JSON has it, at the end of its token. */
function withTokenEnd(body: Buffer, end: string): Buffer {
  return Buffer.from(body.toString("utf8").replace(/"token":"([^"]+)"/, `"token":"$1${end}"`));
}

test.each<[keyof typeof makings, string, Rewrite, string]>([
  ["create", "of status 500", failed, ""],
  ["get-or-create", "of status 500", failed, ""],
  ["reset", "of status 500", failed, ""],
  [
    "reset",
    "with a line feed after the token",
    (answer) => packed(answer, "", (body) => withTokenEnd(body, String.raw`\n`)),
    "token is not a token's value",
  ],
])("the value of %s is kept from a response that is %s", async (name, _, rewrite, said) => {
  const { made, shown, value } = await makeAndRecover(name, rewrite);
  expect(made).toMatchObject({ code: 13, stdout: "" });
  expect(made.stderr).toContain(said);
  expect(made.stderr).toMatch(/grantctl (?:recover show|token reset .*--resume)/);
  expect(shown).toMatchObject({ code: 0, stdout: `${value}\n` });
});

test.each<[string, Pack]>([
  ["a coding that it does not have", (body) => body],
  ["gzip of which the end is missing", (body) => gzipSync(body).subarray(0, -12)],
])("keeps the value of %s", async (_, pack) => {
  const { made, shown, value } = await makeAndRecover("create", (answer) => packed(answer, gzip, pack));
  expect(made.code).toBe(13);
  expect(shown).toMatchObject({ code: 0, stdout: `${value}\n` });
});

test.each<[string, string, Pack]>([
  ["a coding nobody knows", "Content-Encoding: x-rot13\r\n", () => Buffer.from("gbxra")],
  ["a bomb", gzip, () => gzipSync(Buffer.alloc(17 * 1024 * 1024))],
])("reports an unknown result for %s", async (_, headers, pack) => {
  const { made, shown } = await makeAndRecover("create", (answer) => packed(answer, headers, pack));
  expect(made.code).toBe(13);
  expect(shown).toMatchObject({ code: 13, stdout: "" });
});

test("a response with a token that cannot be read is named, and does not count as missing", async () => {
  const { made, shown } = await makeAndRecover("reset", (answer) =>
    packed(answer, "", (body) => withTokenEnd(body, " and more")),
  );
  expect(made).toMatchObject({ code: 13, stdout: "" });
  expect(shown).toMatchObject({ code: 13, stdout: "" });
  expect(shown.stderr).toMatch(
    /1 response with no token that grantctl can read, or with one of another item, saved in \S+\/\w/,
  );
  expect(shown.stderr).not.toMatch(/got no response|outcome of 1 is unknown/);
});
