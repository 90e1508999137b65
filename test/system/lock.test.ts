// Locks of the kernel: one holder, whatever its process does, across namespaces, and passed on to a child.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:fs/promises";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openLocked, withLock } from "../../src/system/lock.ts";
import { makeFolder } from "../support/state-folder.ts";

const flags = constants.O_RDWR | constants.O_CREAT;

test("a file has one holder at a time, and a child that inherits the descriptor holds it as well", async () => {
  const path = join(makeFolder(), "file");
  const held = await openLocked(path, flags);
  if (held === null) throw new Error("not locked");
  expect(await openLocked(path, flags)).toBeNull();
  const child = spawn("cat", { stdio: ["pipe", "ignore", "ignore", held.fd] });
  await held.close();
  expect(await openLocked(path, flags)).toBeNull();
  child.stdin?.end();
  await once(child, "exit");
  const again = await openLocked(path, flags);
  expect(again).not.toBeNull();
  await again?.close();
});

const namespaces = ["--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--time", "--uts"];
const noNamespaces = spawnSync("unshare", [...namespaces, "true"]).status !== 0;

test.skipIf(noNamespaces)(
  "a holder in another PID and time namespace is seen, and a killed one is not (skipped if unshare is not permitted)",
  async () => {
    const path = join(makeFolder(), "file");
    writeFileSync(path, "");
    const script = `exec 9<>${path}; flock -x -n 9 || exit 1; echo held; read line`;
    const child = spawn("unshare", [...namespaces, "sh", "-c", script], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    await once(child.stdout, "data");
    expect(await openLocked(path, flags)).toBeNull();
    child.stdin.end();
    await once(child, "exit");
    const locked = await openLocked(path, flags);
    expect(locked).not.toBeNull();
    await locked?.close();
  },
);

test("changes by six at a time are made one after another", async () => {
  const path = join(makeFolder(), "counter");
  writeFileSync(path, "0");
  const increase = (): Promise<void> =>
    withLock(path, "the counter", async () => {
      const before = Number(readFileSync(path, "utf8"));
      await new Promise((resolve) => setImmediate(resolve));
      writeFileSync(path, String(before + 1));
    });
  for (let round = 0; round < 2; round += 1) await Promise.all(Array.from({ length: 6 }, increase));
  expect(readFileSync(path, "utf8")).toBe("12");
});

test("a file that cannot be opened is the system's error", async () => {
  const missing = openLocked(join(makeFolder(), "none", "file"), flags);
  await expect(missing).rejects.toMatchObject({ code: "ENOENT" });
});
