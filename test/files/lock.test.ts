// The lock of a journal: one holder at a time, even with many concurrent attempts, and no holder that has ended.
import { createHash } from "node:crypto";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { isLocked, takeLock, type ProcessTable } from "../../src/files/lock.ts";
import { inFull } from "../support/soak.ts";
import { makeFolder } from "../support/state-folder.ts";

const alive: ProcessTable = {
  pid: process.pid,
  bootId: null,
  scope: null,
  isRunning: (pid) => pid === process.pid,
};
const gone = 2 ** 22 + 1;

test("is taken once, is private, and can be taken again after its release", async () => {
  const path = join(makeFolder(), "a.lock");
  const lock = await takeLock(path, alive);
  expect(await takeLock(path, alive)).toBeNull();
  expect(await isLocked(path, alive)).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await lock?.release();
  expect(await isLocked(path, alive)).toBe(false);
  expect(await takeLock(path, alive)).not.toBeNull();
});

test.each([
  ["of a process that is gone", `${gone} 1 0123456789abcdef\n`],
  ["of another process with the same id", `${process.pid} 1 0123456789abcdef\n`],
  ["without a word in it", ""],
  ["with anything in it", "\u0000\u0000\u0000"],
])("a lock %s counts as free", async (_, content) => {
  const path = join(makeFolder(), "a.lock");
  writeFileSync(path, content);
  expect(await isLocked(path, alive)).toBe(false);
  expect(await takeLock(path, alive)).not.toBeNull();
});

test.runIf(existsSync("/proc/self/stat"))("of a zombie process counts as free", async () => {
  // The background process ends as a child of `sleep`, which never waits for it.
  const parent = spawn("sh", ["-c", "exec 3<&0; sh -c 'read line <&3' & echo $!; exec sleep 1000"]);
  onTestFinished(() => void parent.kill());
  const pid = Number(String((await once(parent.stdout, "data"))[0]));
  const fieldsOf = (): readonly string[] => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  };
  const path = join(makeFolder(), "a.lock");
  writeFileSync(path, `${pid} ${fieldsOf()[19]} 0123456789abcdef\n`);
  const processes: ProcessTable = { ...alive, isRunning: () => true };
  expect(await isLocked(path, processes)).toBe(true);
  parent.stdin.end();
  while (fieldsOf()[0] !== "Z") await setImmediate();
  expect(await isLocked(path, processes)).toBe(false);
  expect(await takeLock(path, processes)).not.toBeNull();
});

function turnOf(holder: string): string {
  return createHash("sha256").update(holder).digest("hex").slice(0, 16);
}

test(
  "is taken by exactly one of many processes that detect a stale lock at the same time",
  { tags: "soak" },
  async () => {
    const folder = makeFolder();
    const winners: number[] = [];
    for (let round = 0; round < inFull(8, 200); round += 1) {
      const path = join(folder, `${round}.lock`);
      const stale = `${gone} 1 0123456789abcdef\n`;
      writeFileSync(path, stale);
      // Every other time, simulate a process that was killed while removing it.
      if (round % 2 === 1) writeFileSync(`${path}.${turnOf(stale)}`, `${gone} 1 fedcba9876543210\n`);
      const locks = await Promise.all(Array.from({ length: 12 }, () => takeLock(path, alive)));
      winners.push(locks.filter((lock) => lock !== null).length);
    }
    expect(winners.filter((count) => count !== 1)).toEqual([]);
    expect(readdirSync(folder).filter((name) => !name.endsWith(".lock"))).toEqual([]);
  },
);

test.each([
  ["a folder", (path: string) => mkdirSync(path)],
  ["a link that leads nowhere", (path: string) => symlinkSync("nowhere", path)],
  ["a link to itself", (path: string) => symlinkSync(path, path)],
  ["a pipe", (path: string) => execFileSync("mkfifo", [path])],
])("%s instead of a lock causes no wait", async (_, make) => {
  const path = join(makeFolder(), "a.lock");
  make(path);
  await expect(takeLock(path, alive)).rejects.toMatchObject({ code: expect.any(String) as string });
  // Only regular files are locks, so it counts as free, and its journal is listed.
  expect(await isLocked(path, alive)).toBe(false);
});
