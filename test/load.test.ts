// What V8 compiled is kept for the next start: only whole, only under the same switches, and taken only from files that
// nobody else may change. That a start is quicker by it is the benchmark's.
import { spawn, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { describe, expect, test } from "vitest";
import { program, runBinary } from "./support/binary.ts";
import { startRecordingServer } from "./support/recording-server.ts";
import { makeFolder } from "./support/state-folder.ts";
import { mountSmallDisk, whyNoSmallDisk } from "./support/tracing.ts";

const noDisk = whyNoSmallDisk();

interface Loader {
  load(name: string): unknown;
  isComplete(): boolean;
  keep(): void;
}

const { createLoader, keptFolder } = createRequire(import.meta.url)("../bin/load.js") as {
  readonly createLoader: (dist: string, kept: string | null, ran: () => number) => Loader;
  readonly keptFolder: (
    self: Pick<NodeJS.Process, "env" | "execArgv" | "platform" | "version" | "arch" | "getuid">,
  ) => string | null;
};

/** Names and inodes: a file that is written anew has another one. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${name} ${statSync(join(parentPath, name)).ino}`)
    .toSorted();
}

describe("runs of the program", () => {
  const page = [{ id: 1, app: null, scopes: [], created_at: "", updated_at: "", url: "" }];

  test("the first makes the folder, the second fills it, and the others take what is there", async () => {
    const server = await startRecordingServer(() => ({ status: 200, body: page }));
    const environment = { ...server.environment, XDG_CACHE_HOME: makeFolder() };
    const folder = environment.XDG_CACHE_HOME;
    const run = async (): Promise<readonly string[]> => {
      const { code, stdout } = await runBinary(["grant", "list", "--json"], { environment });
      expect([code, JSON.parse(stdout)]).toEqual([0, page]);
      return filesIn(folder);
    };
    expect(await run()).toEqual([]);
    const kept = await run();
    expect(kept.map((file) => file.replace(/-.*/, ""))).toEqual(
      expect.arrayContaining(["connection", "parser", "run"]),
    );
    expect(await run()).toEqual(kept);
    // One chunk more, so that all are written anew, with what was compiled now.
    await runBinary(["grant", "list", "--json", "--sort", "id"], { environment });
    expect(filesIn(folder).length).toBeGreaterThan(kept.length);
  });

  test("what was kept imports nothing by itself, which Node 20 refuses it, and does what it did the first time", async () => {
    const dist = join(program, "../../dist");
    // The helper is a program of its own, of which nothing is kept.
    const chunks = readdirSync(dist).filter((name) => name.endsWith(".cjs") && !name.startsWith("keychain-"));
    const importing = chunks.filter((name) =>
      /(?<![\w$.])import\((?!\))/.test(
        readFileSync(join(dist, name), "utf8").replaceAll(/"(?:[^"\\\n]|\\.)*"/g, ""),
      ),
    );
    expect(importing).toEqual([]);
    const server = await startRecordingServer(() => ({ status: 200, body: page }));
    const file = join(makeFolder(), "ca.pem");
    writeFileSync(file, rootCertificates[0] ?? "");
    const environment = { ...server.environment, XDG_CACHE_HOME: makeFolder() };
    for (const words of [
      ["--json"],
      ["--json"],
      ["--ca-cert", file],
      ["--jq", ".[].id"],
      ["--jq", ".[].id"],
      ["--jq", ".[].id"],
    ]) {
      const { code, stderr } = await runBinary(["grant", "list", ...words], { environment });
      expect([words, code, stderr]).toEqual([words, 0, ""]);
    }
  });

  test
    .skipIf(process.platform === "win32")
    .for([
      { who: "an empty home", home: { HOME: "" } },
      { who: "a relative home", home: { HOME: "home" } },
      ...(process.getuid?.() === 0 ? [{ who: "a user whom nobody knows", home: {}, uid: 54_321 }] : []),
    ])("$who: nothing is kept, least of all in the current folder", ({ home, uid }, { skip }) => {
    const cwd = makeFolder();
    chmodSync(cwd, 0o777);
    const start = (...words: string[]): SpawnSyncReturns<string> =>
      spawnSync(process.execPath, words, {
        cwd,
        env: { PATH: process.env["PATH"] ?? "", ...home },
        ...(uid === undefined ? {} : { uid }),
        encoding: "utf8",
      });
    const canStart = start("-e", `fs.readFileSync(${JSON.stringify(program)})`).status === 0;
    skip(!canStart, "this Node or the program is where that user may not read");
    for (let time = 1; time <= 2; time += 1) {
      const { status, stderr } = start(program, "--help");
      expect([status, stderr]).toEqual([0, ""]);
    }
    expect(readdirSync(cwd)).toEqual([]);
  });

  test.skipIf(process.platform === "win32")(
    "a sandbox that was stopped keeps what it was made of",
    async () => {
      const folder = makeFolder();
      const environment = { PATH: process.env["PATH"] ?? "", XDG_CACHE_HOME: folder };
      const kept = keptFolder({ ...process, env: environment, execArgv: [] });
      mkdirSync(kept ?? "", { recursive: true });
      const sandbox = spawn(process.execPath, [program, "sandbox", "start", "--json"], {
        stdio: ["ignore", "pipe", "inherit"],
        env: environment,
      });
      const ended = once(sandbox, "exit");
      await once(sandbox.stdout, "data");
      sandbox.kill("SIGTERM");
      expect(await ended).toEqual([143, null]);
      expect(filesIn(folder).map((file) => file.replace(/-.*/, ""))).toEqual(
        expect.arrayContaining(["sandbox", "start", "store"]),
      );
    },
  );

  test("what was kept loads what is no part of it, too", async () => {
    const server = await startRecordingServer(() => ({ status: 200, body: page }));
    const environment = { ...server.environment, XDG_CACHE_HOME: makeFolder() };
    for (let time = 0; time < 4; time += 1) {
      const run = await runBinary(["grant", "list", "--jq", "map(.id)|add"], { environment });
      expect([run.code, run.stdout, run.stderr]).toEqual([0, "1\n", ""]);
    }
  });

  test.each([
    ["a run that failed", 2, ["nosuch"], {}],
    ["Node with switches", 0, ["--help"], { NODE_OPTIONS: "--max-old-space-size=512" }],
    ["NODE_DISABLE_COMPILE_CACHE", 0, ["--help"], { NODE_DISABLE_COMPILE_CACHE: "1" }],
  ])("%s keeps nothing", async (_, code, words, more) => {
    const folder = makeFolder();
    const environment = { ...more, XDG_CACHE_HOME: folder };
    expect(await runBinary(words, { environment })).toMatchObject({ code });
    expect(await runBinary(words, { environment })).toMatchObject({ code });
    expect(filesIn(folder)).toEqual([]);
  });

  test.each([
    ["is a file", program],
    ["can have nothing made in it", "/proc/none"],
  ])("a folder for caches that %s is no failure", async (_, folder) => {
    const environment = { XDG_CACHE_HOME: folder };
    expect(await runBinary(["--help"], { environment })).toMatchObject({ code: 0, stderr: "" });
  });
});

/** A chunk as the build writes it. */
function chunkOf(code: string): string {
  return `(function (exports, require, module, __filename) { ${code} })`;
}

describe("what is kept", () => {
  const name = "sum-AbCd1234.cjs";

  /** A loader of one chunk, and the file that it keeps. */
  function arrange(): { readonly open: () => Loader; readonly dist: string; readonly file: string } {
    const dist = makeFolder();
    const kept = makeFolder();
    writeFileSync(join(dist, name), chunkOf("exports.sum = (a, b) => a + b; exports.where = __filename;"));
    const open = (): Loader => createLoader(dist, kept, () => 0);
    const loader = open();
    expect(loader.load(name)).toMatchObject({ where: join(dist, name) });
    expect(loader.isComplete()).toBe(false);
    loader.keep();
    return { open, dist, file: join(kept, name) };
  }

  function isTaken(open: () => Loader): boolean {
    const loader = open();
    expect((loader.load(name) as { sum(a: number, b: number): number }).sum(1, 2)).toBe(3);
    return loader.isComplete();
  }

  test("is taken", () => {
    const { open, file } = arrange();
    expect(isTaken(open)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("is not taken where a part of it is missing", () => {
    const { open, file } = arrange();
    truncateSync(file, statSync(file).size - 1);
    expect(isTaken(open)).toBe(false);
    truncateSync(file, 0);
    expect(isTaken(open)).toBe(false);
  });

  test("is not taken where others may change it", () => {
    const { open, file } = arrange();
    chmodSync(file, 0o622);
    expect(isTaken(open)).toBe(false);
  });

  test("is not taken for other code of the same name", () => {
    const { open, dist } = arrange();
    writeFileSync(join(dist, name), chunkOf("exports.sum = (a, b) => b + a;"));
    expect(isTaken(open)).toBe(false);
  });

  test("is written over, whole, by the next run", () => {
    const { open, file } = arrange();
    truncateSync(file, 10);
    const loader = open();
    loader.load(name);
    loader.keep();
    expect(isTaken(open)).toBe(true);
    expect(readdirSync(join(file, ".."))).toEqual([name]);
  });

  test("leaves no draft where it cannot be written", () => {
    const { open, file } = arrange();
    rmSync(file);
    mkdirSync(file);
    writeFileSync(join(file, "in the way"), "");
    const loader = open();
    loader.load(name);
    loader.keep();
    expect(readdirSync(join(file, ".."))).toEqual([name]);
  });

  test.skipIf(noDisk !== null)(`nor on a full disk${noDisk ?? ""}`, () => {
    const dist = makeFolder();
    const kept = mountSmallDisk(4);
    writeFileSync(join(kept, "all there is"), Buffer.alloc(4096));
    writeFileSync(join(dist, name), chunkOf("exports.one = 1;"));
    const loader = createLoader(dist, kept, () => 0);
    expect(loader.load(name)).toEqual({ one: 1 });
    loader.keep();
    expect(readdirSync(kept)).toEqual(["all there is"]);
  });

  test("is nothing of a file without a hash in its name", () => {
    const dist = makeFolder();
    const kept = join(makeFolder(), "kept");
    mkdirSync(kept);
    writeFileSync(join(dist, "plain.cjs"), chunkOf("exports.one = 1;"));
    const loader = createLoader(dist, kept, () => 0);
    expect(loader.load("plain.cjs")).toEqual({ one: 1 });
    loader.keep();
    expect(readdirSync(kept)).toEqual([]);
  });
});
