// Files that never end and pipes without a writer: no read blocks on either.
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readInputFile, readPlainFile, Unreadable } from "../../src/files/bounded-reads.ts";

const folder = mkdtempSync(join(tmpdir(), "grantctl-reads-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const mebibyte = 1024 * 1024;

function file(name: string, text: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe.each([
  ["an input", readInputFile],
  ["a file of ours", readPlainFile],
])("%s", (_, read) => {
  test("of any size is read completely", async () => {
    for (const size of [0, 1, 65_535, 65_536, 65_537, mebibyte, 3 * mebibyte + 1]) {
      const path = file("sized", Buffer.alloc(size, "x"));
      expect((await read(path, 4 * mebibyte)).length).toBe(size);
      expect((await read(path, size)).length).toBe(size);
    }
  });

  test("is not read if it is larger than the limit", async () => {
    for (const size of [1, 65_536, mebibyte + 1]) {
      const path = file("large", Buffer.alloc(size, "x"));
      await expect(read(path, size - 1)).rejects.toThrow(Unreadable);
    }
  });

  test("may report a size of zero", async () => {
    expect((await read("/proc/self/status")).toString()).toContain("Pid:");
  });

  test("that is missing, a folder or a link to itself fails with the system's code", async () => {
    symlinkSync(join(folder, `loop-${read.name}`), join(folder, `loop-${read.name}`));
    mkdirSync(join(folder, `folder-${read.name}`));
    const absent = { message: "no such file or directory", code: "ENOENT" };
    await expect(read(join(folder, "nosuch"))).rejects.toMatchObject(absent);
    await expect(read(join(folder, `loop-${read.name}`))).rejects.toMatchObject({ code: "ELOOP" });
    await expect(read(join(folder, `folder-${read.name}`))).rejects.toThrow(Unreadable);
  });
});

test("an endless input fails at the limit", async () => {
  await expect(readInputFile("/dev/zero", 2 * mebibyte)).rejects.toThrow("it is larger than 2 MiB");
});

test("an input may be a pipe", async () => {
  const path = join(folder, "pipe");
  execFileSync("mkfifo", [path]);
  const read = readInputFile(path);
  appendFileSync(path, "piped");
  expect((await read).toString()).toBe("piped");
});

test("readPlainFile rejects devices and pipes without waiting", async () => {
  const path = join(folder, "silent");
  execFileSync("mkfifo", [path]);
  for (const other of [path, "/dev/zero", "/dev/null"]) {
    await expect(readPlainFile(other)).rejects.toThrow("it is not a plain file");
  }
});
