// Durability: the process is killed at random moments, and the store still contains everything that it had reported.
import Libsql from "libsql";
import { execFileSync } from "node:child_process";
import { cpSync, watch, type FSWatcher } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../src/sandbox/store/database.ts";
import { inFull } from "../support/soak.ts";
import { makeFolder } from "../support/state-folder.ts";
import { mountSmallDisk, whyNoSmallDisk } from "../support/tracing.ts";
import { authorizationOf, authorizationsOf, type AuthorizationJson } from "./resource-shapes.ts";
import { basic, sendTo, startTestSandbox, type Reply, type TestSandbox } from "./sandbox-client.ts";
import { bundleSandboxProgram, startSandboxProcess } from "./sandbox-process.ts";

const rounds = 4;
const workers = 4;

/** Resolves after so many file events in the folder. */
function changesOf(watcher: FSWatcher, count: number): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    const countDown = (): void => {
      left -= 1;
      if (left < 0) resolve();
    };
    watcher.on("change", countDown);
    countDown();
  });
}

/** The state of each authorization according to the responses: its note, or null if it was deleted. */
type Promises = Map<number, string | null>;

/**
 * Creates, updates and deletes until the server is killed. A change without a response may or may not be stored; one
 * with a response must be.
 */
async function keepWriting(
  send: (method: string, path: string, body?: unknown) => Promise<Reply>,
  promises: Promises,
  name: string,
  onAnswer: () => void,
): Promise<void> {
  try {
    for (let index = 0; ; index += 1) {
      const note = `${name} ${index}`;
      const { id } = authorizationOf(await send("POST", "/authorizations", { note }));
      promises.set(id, note);
      onAnswer();
      for (const [method, promised] of [
        ["PATCH", `${note} changed`],
        ["DELETE", null],
      ] as const) {
        if (method === "DELETE" && index % 3 !== 0) continue;
        promises.delete(id);
        const reply = await send(method, `/authorizations/${id}`, { note: promised });
        expect(reply.status).toBe(method === "PATCH" ? 200 : 204);
        promises.set(id, promised);
        onAnswer();
      }
    }
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

test("a killed sandbox loses nothing that it has reported", async () => {
  const dataFolder = makeFolder();
  const program = await bundleSandboxProgram(makeFolder());
  const promises: Promises = new Map();
  for (let round = 0; round < rounds; round += 1) {
    const sandbox = startSandboxProcess(program, dataFolder);
    onTestFinished(sandbox.kill);
    const description = await sandbox.ready;
    if (description === null) throw new Error("the sandbox did not start");
    const { base_url, username, password } = description;
    const send = (method: string, path: string, body?: unknown): Promise<Reply> =>
      sendTo(base_url, method, path, { headers: basic(username, password), body });
    let answersToCome = 40 + Math.floor(Math.random() * 80);
    const countAnswer = (): void => {
      answersToCome -= 1;
      if (answersToCome === 0) void sandbox.kill();
    };
    await Promise.all(
      Array.from({ length: workers }, (_, worker) =>
        keepWriting(send, promises, `${round}/${worker}`, countAnswer),
      ),
    );
    await sandbox.kill();
  }
  expect(promises.size).toBeGreaterThan(rounds * workers);

  const after = await startTestSandbox({ dataFolder });
  const notes = new Map<number, string | null>();
  for (let page = 1; ; page += 1) {
    const reply = await after.asAccount("GET", `/authorizations?per_page=100&page=${page}`);
    const rows: AuthorizationJson[] = authorizationsOf(reply);
    for (const { id, note } of rows) notes.set(id, note);
    if (rows.length < 100) break;
  }
  const broken = [...promises].filter(([id, promised]) => (notes.get(id) ?? null) !== promised);
  expect(broken).toEqual([]);
  await after.close();

  const store = new Libsql(join(dataFolder, "sandbox.db"));
  expect(store.prepare("PRAGMA integrity_check").all([])).toEqual([{ integrity_check: "ok" }]);
  expect(store.prepare("PRAGMA foreign_key_check").all([])).toEqual([]);
  store.close();
});

test(
  "killed while it is seeded, it is whole at the next start, and its password is known",
  { tags: "soak" },
  async () => {
    const program = await bundleSandboxProgram(makeFolder());
    for (const patience of inFull([0, 2, 20], [0, 1, 2, 4, 8, 20, 60, 200])) {
      const dataFolder = makeFolder();
      const watcher = watch(dataFolder);
      const sandbox = startSandboxProcess(program, dataFolder, 6000);
      await Promise.race([changesOf(watcher, patience), sandbox.ready]);
      await sandbox.kill();
      watcher.close();
      const after = await startTestSandbox({ dataFolder, authorizations: 6000 });
      const last = await after.asAccount("GET", "/authorizations?per_page=100&page=60");
      expect(last.status).toBe(200);
      expect(authorizationsOf(last).at(-1)?.id).toBe(6000);
      const { client_id, tokens } = after.description;
      const check = await after.asApplication(
        "GET",
        `/applications/${client_id}/tokens/${tokens.at(-1)?.token}`,
      );
      expect(check.status).toBe(200);
      await after.close();
    }
  },
);

async function notesIn({ asAccount }: TestSandbox): Promise<readonly unknown[]> {
  const all = authorizationsOf(await asAccount("GET", "/authorizations?per_page=100"));
  return all.map(({ note }) => note);
}

const noDisk = whyNoSmallDisk();

test.skipIf(noDisk !== null)(
  "on a full disk, only what is on disk is answered, and it ends in order",
  async () => {
    const disk = mountSmallDisk(600);
    const dataFolder = join(disk, "data");
    const sandbox = await startTestSandbox({ dataFolder });
    const first = authorizationOf(await sandbox.asAccount("POST", "/authorizations", { note: "first" }));
    execFileSync("sh", ["-c", `cat /dev/zero > '${disk}/fill' 2>/dev/null || true`]);
    const large = { note: "n".repeat(50_000) };
    const replies = await Promise.all([
      sandbox.asAccount("POST", "/authorizations", large),
      sandbox.asAccount("DELETE", `/authorizations/${first.id}`),
      sandbox.asAccount("PATCH", `/authorizations/${first.id}`, large),
    ]);
    expect(replies.map(({ status }) => status)).toContain(500);
    const notes = await notesIn(sandbox);
    await sandbox.close();

    const copy = makeFolder();
    cpSync(dataFolder, copy, { recursive: true });
    expect(await notesIn(await startTestSandbox({ dataFolder: copy }))).toEqual(notes);
  },
);

test.skipIf(noDisk !== null)("a start on a full disk reports it", async () => {
  const dataFolder = join(mountSmallDisk(64), "data");
  await expect(startTestSandbox({ dataFolder })).rejects.toThrow(
    /^\S+ cannot be written: database or disk is full$/,
  );
});

test("on macOS the drive's cache is flushed", () => {
  const database = openDatabase(":memory:");
  onTestFinished(() => database.close());
  const setting = database.prepare<{ fullfsync: number }>("SELECT fullfsync FROM pragma_fullfsync");
  expect(setting.first()).toMatchObject({ fullfsync: 1 });
});
