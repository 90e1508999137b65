// An answer with a new value that is compressed although nobody asked for it, as some proxies do: it is not trusted,
// and its value is kept all the same, as of any other answer that could not be delivered.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { makings } from "../support/cut-answers.ts";
import { makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { startTruthService } from "../support/truth-service.ts";

type Pack = (body: Buffer) => Buffer;

/** The same answer, its body packed, with these headers for it. */
function packed(answer: Buffer, headers: string, pack: Pack): Buffer {
  const start = answer.indexOf("\r\n\r\n") + 4;
  const body = pack(answer.subarray(start));
  const head = answer
    .subarray(0, start - 2)
    .toString("latin1")
    .replace(/Content-Length: \d+/, `Content-Length: ${body.length}`);
  return Buffer.concat([Buffer.from(`${head}${headers}\r\n`, "latin1"), body]);
}

interface Ending {
  readonly made: Awaited<ReturnType<typeof runMain>>;
  readonly shown: Awaited<ReturnType<typeof runMain>>;
  readonly value: string;
}

/** Makes a token whose answer is packed so, and asks `recover` for it. */
async function makeAndRecover(name: keyof typeof makings, headers: string, pack: Pack): Promise<Ending> {
  const service = await startTruthService(({ operation }) =>
    operation === name ? { rewrite: (answer) => packed(answer, headers, pack) } : undefined,
  );
  const state = makeStateFolder();
  const { words, input } = makings[name](service, 1);
  const world = { environment: { ...service.environment, ...state.environment }, input };
  const made = await runMain(words, world);
  const shown = await runMain(["recover", "show", state.ids()[0] ?? "none"], world);
  return { made, shown, value: service.writes.at(-1)?.value ?? "none" };
}

const gzip = "Content-Encoding: gzip\r\n";

test.each(Object.keys(makings) as readonly (keyof typeof makings)[])(
  "the value of %s is kept",
  async (name) => {
    const { made, shown, value } = await makeAndRecover(name, gzip, gzipSync);
    expect(made).toMatchObject({ code: 13, stdout: "" });
    expect(made.stderr).toContain("is compressed, which nobody asked for");
    expect(made.stderr).toContain("grantctl recover show");
    expect(shown).toMatchObject({ code: 0, stdout: `${value}\n` });
  },
);

test.each<[string, string, Pack]>([
  ["br", "Content-Encoding: br\r\n", brotliCompressSync],
  ["deflate", "Content-Encoding: Deflate\r\n", deflateSync],
  ["deflate without its frame", "Content-Encoding: deflate\r\n", deflateRawSync],
  ["x-gzip", "Content-Encoding: x-gzip\r\n", gzipSync],
  ["two codings", "Content-Encoding: gzip, br\r\n", (body) => brotliCompressSync(gzipSync(body))],
  ["a coding that it does not have", gzip, (body) => body],
  ["gzip of which the end is missing", gzip, (body) => gzipSync(body).subarray(0, -12)],
])("a value is kept of %s", async (_, headers, pack) => {
  const { made, shown, value } = await makeAndRecover("create", headers, pack);
  expect(made.code).toBe(13);
  expect(shown).toMatchObject({ code: 0, stdout: `${value}\n` });
});

test.each<[string, string, Pack]>([
  ["a coding nobody knows", "Content-Encoding: x-rot13\r\n", () => Buffer.from("gbxra")],
  ["a bomb", gzip, () => gzipSync(Buffer.alloc(5_000_000))],
])("nothing is known of %s", async (_, headers, pack) => {
  const { made, shown } = await makeAndRecover("create", headers, pack);
  expect(made.code).toBe(13);
  expect(shown).toMatchObject({ code: 13, stdout: "" });
});
