// Several containers or hosts share one state folder. No process takes, resumes or deletes the journal of a process
// that it cannot see: its lock counts as held until a person releases it.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  readLockHolder,
  isLocked,
  releaseForeign,
  takeLock,
  type ProcessTable,
} from "../../src/files/lock.ts";
import { runBinary, runProgram, program } from "../support/binary.ts";
import { createClosingJournals } from "../support/closing-journals.ts";
import { seededRandom } from "../support/killed-program.ts";
import { inFull } from "../support/soak.ts";
import { makeFolder, makeStateFolder } from "../support/state-folder.ts";
import { on, startTruthService } from "../support/truth-service.ts";

const firstSpace = "4026531836";

/** This test process as seen from another host or container. */
function at(machine: string, bootId: string, space: string, isRunning = true): ProcessTable {
  const place = { machine, hostname: `host-${machine}`, space, isProcOfOther: true };
  return { pid: process.pid, bootId, isRunning: () => isRunning, scope: place };
}

const holder = at("a", "boot-1", "10");

describe("a lock of a process that has ended, seen from", () => {
  test.each([
    ["its own container", at("a", "boot-1", "10", false), false],
    ["another container of the machine", at("a", "boot-1", "11", false), true],
    ["another machine", at("b", "boot-2", "10", false), true],
    ["another machine of the same boot ID", at("b", "boot-1", "10", false), true],
    ["a container of the same name after a restart of the machine", at("a", "boot-2", "10", false), true],
  ])("%s", async (_, other, isHeld) => {
    const path = join(makeFolder(), "a.lock");
    expect(await takeLock(path, holder)).not.toBeNull();
    expect(await isLocked(path, other)).toBe(isHeld);
    expect((await takeLock(path, other)) === null).toBe(isHeld);
  });

  test("the same machine, outside of containers, after a restart", async () => {
    const path = join(makeFolder(), "a.lock");
    await takeLock(path, at("a", "boot-1", firstSpace));
    expect(await isLocked(path, at("a", "boot-2", firstSpace))).toBe(false);
  });
});

test("the holder is named, and a person can release its lock unless its process is visibly running", async () => {
  const path = join(makeFolder(), "a.lock");
  await takeLock(path, holder);
  expect(await releaseForeign(path, holder)).toBe(false);
  const other = at("b", "boot-2", "10");
  expect(await readLockHolder(path, other)).toEqual({
    pid: String(process.pid),
    hostname: "host-a",
    isVisible: false,
  });
  expect(await releaseForeign(path, other)).toBe(true);
  expect(await takeLock(path, other)).not.toBeNull();
});

test(
  "a reader elsewhere never deletes the journal of a writer, in a thousand attempts",
  { tags: "soak" },
  async () => {
    const folder = join(makeFolder(true), "state");
    const reader = createClosingJournals(folder, at("b", "boot-2", "11", false));
    const writer = createClosingJournals(folder, holder);
    const random = seededRandom(1);
    for (let time = 0; time < inFull(100, 1000); time += 1) {
      const head = {
        version: 1 as const,
        operation: "create" as const,
        address: "https://api.example.com",
        requester: "0",
        created_at: new Date(time * 1000).toISOString(),
        total: 1,
        list: "0",
      };
      const steps = [
        (): Promise<unknown> => reader.leftovers(),
        (): Promise<unknown> => reader.laterLeftovers(),
      ];
      const read = async (): Promise<void> => {
        for (let count = Math.floor(random() * 3); count > 0; count -= 1)
          await steps[Math.floor(random() * steps.length)]?.();
      };
      const [journal] = await Promise.all([writer.create(head), read()]);
      await Promise.all([read(), random() < 0.5 ? journal.mark({ item: "1", state: "sent" }) : undefined]);
      await read();
      expect(existsSync(journal.path)).toBe(true);
      await expect(reader.reopen(journal.path)).rejects.toMatchObject({ kind: "usage" });
      await expect(reader.forget({ id: journal.id, path: journal.path })).rejects.toMatchObject({
        kind: "usage",
      });
      expect(existsSync(journal.path)).toBe(true);
      await Promise.all([journal.remove(), read()]);
    }
  },
);

const namespaces = ["--pid", "--fork", "--mount-proc"];
const hasNamespaces = spawnSync("unshare", [...namespaces, "true"]).status === 0;

describe.skipIf(!hasNamespaces)(
  `with real PID namespaces${hasNamespaces ? "" : " (not permitted here)"}`,
  () => {
    test.each([
      ["another PID namespace", namespaces],
      [
        "another host name",
        ["--uts", "--pid", "--fork", "--mount-proc", "sh", "-c", 'hostname other; exec "$@"', "sh"],
      ],
    ])(
      "%s: the journal of a running creation is unchanged, and a person can recover its value",
      async (_, space) => {
        const service = await startTruthService();
        const state = makeStateFolder();
        const answered = join(makeFolder(), "answer");
        service.plan(on("create", { afterFile: answered }));
        const environment = { ...service.environment, ...state.environment };
        const words = [process.execPath, program, "authorization", "create", "--note", "a"];
        const creation = runProgram("unshare", [...space, ...words], { environment });
        while (service.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
        const [id = ""] = state.ids();
        const listed = await runBinary(["grant", "list"], { environment });
        expect(listed.stderr).not.toContain("earlier runs");
        const shown = await runBinary(["recover", "show", id], { environment });
        expect(shown.code).toBe(2);
        expect(shown.stderr).toContain(`grantctl recover forget ${id} --force`);
        expect((await runBinary(["recover", "forget", id], { environment })).code).toBe(2);
        const rows = await runBinary(["recover", "list", "--json", "id,state"], { environment });
        expect(JSON.parse(rows.stdout)).toEqual([{ id, state: "locked" }]);
        expect(rows.stderr).toContain(`grantctl recover forget ${id} --force`);
        expect(state.ids()).toEqual([id]);
        writeFileSync(answered, "");
        expect((await creation).code).toBe(0);
        expect(state.ids()).toEqual([]);
      },
    );

    test("a leftover of an ended container is released with --force, and keeps its value", async () => {
      const service = await startTruthService();
      const state = makeStateFolder();
      const environment = { ...service.environment, ...state.environment };
      // The output fails, so the value stays in the journal.
      const words = [
        process.execPath,
        program,
        "authorization",
        "create",
        "--note",
        "a",
        "--to-command",
        "false",
      ];
      expect((await runProgram("unshare", [...namespaces, ...words], { environment })).code).toBe(12);
      const [id = ""] = state.ids();
      // Simulates a kill, which leaves the lock.
      const lock = join(state.path, `${id}.journal.lock`);
      await takeLock(lock, holder);
      expect(readFileSync(lock, "utf8")).toContain("host-a");
      expect((await runBinary(["recover", "forget", id, "--force"], { environment })).code).toBe(0);
      const shown = await runBinary(["recover", "show", id], { environment });
      expect(shown).toMatchObject({ code: 0, stdout: `${service.writes[0]?.value}\n` });
      expect((await runBinary(["recover", "forget", id, "--force"], { environment })).code).toBe(0);
      expect(state.ids()).toEqual([]);
    });
  },
);
