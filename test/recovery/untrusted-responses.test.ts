// Responses that are not trusted although they hold a new value: compressed without having been asked for, as some proxies
// do, or of a failure, as if something went wrong behind the change. The value is kept, and nothing else is taken for one.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { makings } from "../support/cut-responses.ts";
import { makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { startTruthService } from "../support/truth-service.ts";

type Pack = (body: Buffer) => Buffer;

/** The same response, its body packed, with these headers for it. */
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

interface Ending {
  readonly made: Awaited<ReturnType<typeof runMain>>;
  readonly shown: Awaited<ReturnType<typeof runMain>>;
  readonly value: string;
}

/** Makes a token with a rewritten response, and runs `recover show`. */
async function makeAndRecover(name: keyof typeof makings, rewrite: Rewrite): Promise<Ending> {
  const service = await startTruthService(({ operation }) => (operation === name ? { rewrite } : undefined));
  const state = makeStateFolder();
  const { words, input } = makings[name](service, 1);
  const world = { environment: { ...service.environment, ...state.environment }, input };
  const made = await runMain(words, world);
  const shown = await runMain(["recover", "show", state.ids()[0] ?? "none"], world);
  return { made, shown, value: service.writes.at(-1)?.value ?? "none" };
}

const gzip = "Content-Encoding: gzip\r\n";

const failed: Rewrite = (answer) =>
  Buffer.from(answer.toString("latin1").replace(/^HTTP\/1.1 \d+/, "HTTP/1.1 500"), "latin1");

const untrusted: readonly (readonly [string, Rewrite, string])[] = [
  [
    "compressed",
    (answer) => packed(answer, gzip, gzipSync),
    "is compressed, although compression was not requested",
  ],
  ["of status 500", failed, ""],
];

test.each(
  untrusted.flatMap(([kind, rewrite, said]) =>
    Object.keys(makings).map((name) => [name as keyof typeof makings, kind, rewrite, said] as const),
  ),
)("the value of %s is kept from a response that is %s", async (name, _, rewrite, said) => {
  const { made, shown, value } = await makeAndRecover(name, rewrite);
  expect(made).toMatchObject({ code: 13, stdout: "" });
  expect(made.stderr).toContain(said);
  expect(made.stderr).toContain("grantctl recover show");
  expect(shown).toMatchObject({ code: 0, stdout: `${value}\n` });
});

test.each<[string, string, Pack]>([
  ["br", "Content-Encoding: br\r\n", brotliCompressSync],
  ["deflate", "Content-Encoding: Deflate\r\n", deflateSync],
  ["deflate without its frame", "Content-Encoding: deflate\r\n", deflateRawSync],
  ["x-gzip", "Content-Encoding: x-gzip\r\n", gzipSync],
  ["two codings", "Content-Encoding: gzip, br\r\n", (body) => brotliCompressSync(gzipSync(body))],
  ["a coding that it does not have", gzip, (body) => body],
  ["gzip of which the end is missing", gzip, (body) => gzipSync(body).subarray(0, -12)],
])("a value is kept of %s", async (_, headers, pack) => {
  const { made, shown, value } = await makeAndRecover("create", (answer) => packed(answer, headers, pack));
  expect(made.code).toBe(13);
  expect(shown).toMatchObject({ code: 0, stdout: `${value}\n` });
});

test.each<[string, string, Pack]>([
  ["a coding nobody knows", "Content-Encoding: x-rot13\r\n", () => Buffer.from("gbxra")],
  ["a bomb", gzip, () => gzipSync(Buffer.alloc(5_000_000))],
])("nothing is known of %s", async (_, headers, pack) => {
  const { made, shown } = await makeAndRecover("create", (answer) => packed(answer, headers, pack));
  expect(made.code).toBe(13);
  expect(shown).toMatchObject({ code: 13, stdout: "" });
});

test("nothing is known of a 500 with a token whose last eight characters are of another", async () => {
  const { made, shown } = await makeAndRecover("create", (answer) =>
    Buffer.from(
      // Of the same length, so that the head of the response still fits.
      failed(answer)
        .toString("latin1")
        .replace(/("token_last_eight"\s*:\s*")[^"]{8}/, "$1zzzzzzzz"),
      "latin1",
    ),
  );
  expect(made.code).toBe(13);
  expect(shown).toMatchObject({ code: 13, stdout: "" });
});
