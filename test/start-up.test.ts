// The modules loaded at start-up: the built program's chunks, and slow modules of Node. The benchmark measures the
// time; this test detects additional large modules.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { program, runBinary, runProgram } from "./support/binary.ts";
import { startRecordingServer } from "./support/recording-server.ts";
import { makeFolder } from "./support/state-folder.ts";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));

/** Modules of Node that load many others. */
const heavy = ["child_process", "crypto", "http", "http2", "perf_hooks", "tls", "tty", "zlib"];

interface Loaded {
  /** Names of our files, without the folder and the hash. */
  readonly chunks: readonly string[];
  readonly kilobytes: number;
  readonly heavyModules: readonly string[];
  readonly code: number | null;
}

/** Runs the program with its input closed, and returns the modules that it loaded. */
async function loadedBy(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Loaded> {
  const folder = makeFolder();
  const witness = join(folder, "witness.cjs");
  const list = join(folder, "modules");
  writeFileSync(
    witness,
    `process.on("exit", () => require("node:fs").writeFileSync(${JSON.stringify(list)}, process.moduleLoadList.join("\\n")));`,
  );
  const run = await runProgram(process.execPath, ["--require", witness, program, ...words], {
    environment: { ...environment, NODE_V8_COVERAGE: folder },
  });
  const files = readdirSync(folder)
    .filter((name) => name.startsWith("coverage-"))
    .flatMap((name) => urlsIn(readFileSync(join(folder, name), "utf8")))
    .filter((url) => url.startsWith("file:"))
    .map((url) => fileURLToPath(url))
    .filter((path) => path.startsWith(dist));
  const modules = readFileSync(list, "utf8").split("\n");
  return {
    chunks: files.map((path) => path.replace(/^.*\//, "").replace(/(?:-[\w-]{8})?\.cjs$/, "")).toSorted(),
    kilobytes: files.reduce((sum, path) => sum + statSync(path).size, 0) / 1024,
    heavyModules: heavy.filter((name) => modules.includes(`NativeModule ${name}`)),
    code: run.code,
  };
}

function urlsIn(coverage: string): readonly string[] {
  return (JSON.parse(coverage) as { result: readonly { url: string }[] }).result.map(({ url }) => url);
}

test("--version loads none of our modules", async () => {
  expect(await loadedBy(["--version"])).toEqual({ chunks: [], kilobytes: 0, heavyModules: [], code: 0 });
});

test("--help loads only the parser", async () => {
  const { chunks, kilobytes, heavyModules } = await loadedBy(["--help"]);
  expect(chunks).toEqual(["main", "parser", "rolldown-runtime"]);
  expect(heavyModules).toEqual([]);
  expect(kilobytes).toBeLessThan(130);
});

test.each([
  ["grant", "list"],
  ["token", "reset"],
  ["authorization", "rotate"],
])("%s %s --help loads flags, and no code that runs a command", async (...words) => {
  const { chunks, heavyModules } = await loadedBy([...words, "--help"]);
  expect(
    chunks.filter((chunk) => /^(?:connection|run|view|delete|table|prompts|sandbox)$/.test(chunk)),
  ).toEqual([]);
  expect(heavyModules).toEqual([]);
});

test("an unknown command loads every command's flags for its suggestion, and nothing large", async () => {
  const { chunks, code } = await loadedBy(["nosuch"]);
  expect(code).toBe(2);
  expect(chunks).toEqual(expect.arrayContaining(["parser", "usage-errors"]));
  expect(chunks.filter((chunk) => /^(?:table|prompts|jq|sandbox)$/.test(chunk))).toEqual([]);
});

describe("a list", () => {
  const page = [{ id: 1, app: null, scopes: [], created_at: "", updated_at: "", url: "" }];
  const lightest = ["connection", "lists", "main", "parser", "rolldown-runtime", "run"];
  test.each([
    [["--json"], lightest],
    [["--format", "tsv"], lightest],
    [
      ["--format", "table"],
      [...lightest, "drawing", "table"],
    ],
    [
      ["--json", "--app", "x"],
      [...lightest, "filters", "fold-text"],
    ],
    [
      ["--json", "--sort", "id"],
      [...lightest, "sorting"],
    ],
  ])("with %j loads no more than it needs", async (flags, expected) => {
    const server = await startRecordingServer(() => ({ status: 200, body: page }));
    const loaded = await loadedBy(["grant", "list", ...flags], server.environment);
    expect(loaded).toMatchObject({ code: 0, chunks: expected.toSorted() });
    expect(loaded.heavyModules.filter((name) => name !== "tty")).toEqual([]);
    expect(loaded.kilobytes).toBeLessThan(600);
  });
});

test("a command that does not read standard input does not open it", async () => {
  const server = await startRecordingServer(() => ({ status: 200, body: [] }));
  const witness = join(makeFolder(), "witness.cjs");
  writeFileSync(
    witness,
    `const { get } = Object.getOwnPropertyDescriptor(process, "stdin");
    Object.defineProperty(process, "stdin", { get() { process.stderr.write("opened"); return get.call(process); } });`,
  );
  const run = (words: readonly string[]): ReturnType<typeof runProgram> =>
    runProgram(process.execPath, ["--require", witness, program, ...words], {
      environment: server.environment,
    });
  expect((await run(["grant", "list", "--json"])).stderr).not.toContain("opened");
  expect((await run(["token", "check"])).stderr).toContain("opened");
});

test("a single object on a terminal loads no tables", async () => {
  const body = { id: 1, app: null, scopes: [], created_at: "", updated_at: "", url: "" };
  const server = await startRecordingServer(() => ({ status: 200, body }));
  const { code, chunks } = await loadedBy(["grant", "view", "1", "--format", "table"], server.environment);
  expect(code).toBe(0);
  expect(chunks.filter((chunk) => /labels|table/.test(chunk))).toEqual(["labels"]);
});

test("a sandbox loads neither undici nor GraphQL", async () => {
  const { chunks, code } = await loadedBy(["sandbox", "run", "--", "true"]);
  expect(code).toBe(0);
  expect(chunks.filter((chunk) => /connection|graphql|table|prompts|journals/.test(chunk))).toEqual([]);
});

test("loads no code from the cache folder of 0.2.0, and keeps none there", async () => {
  const caches = makeFolder();
  const leftover = join(
    caches,
    "grantctl",
    `${process.version}-${process.platform}-${process.arch}-${process.getuid?.()}`,
  );
  mkdirSync(leftover, { recursive: true, mode: 0o700 });
  const chunks = readdirSync(dist).filter((name) => name.endsWith(".cjs"));
  // Opening a pipe would wait for a writer.
  execFileSync(
    "mkfifo",
    chunks.map((name) => join(leftover, name)),
  );
  const environment = { XDG_CACHE_HOME: caches };
  expect(await runBinary(["--help"], { environment })).toMatchObject({ code: 0 });
  const empty = { XDG_CACHE_HOME: makeFolder() };
  for (const words of [["--help"], ["config", "path"], ["--help"]])
    expect(await runBinary(words, { environment: empty })).toMatchObject({ code: 0 });
  expect(readdirSync(empty.XDG_CACHE_HOME)).toEqual([]);
});
