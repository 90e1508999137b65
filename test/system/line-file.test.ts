// The file of lines: what survives a cut at any byte, zeros, and damage.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createLineFile, openLineFile, readLines } from "../../src/system/line-file.ts";
import { makeFolder } from "../support/state-folder.ts";

const lines = [
  { head: "x".repeat(300) },
  { item: "a", state: "sent" },
  { item: "a", state: "done", text: "ä\n" },
];

async function written(): Promise<string> {
  const path = join(makeFolder(true), "file");
  const [head, ...more] = lines;
  const file = await createLineFile(path, head ?? {});
  await file?.reserve();
  for (const record of more) await file?.append(record);
  await file?.close();
  return path;
}

test("a file of lines is private, has all lines, and room that does not count", async () => {
  const path = await written();
  expect((await readLines(path)).objects).toEqual(lines);
  expect([statSync(path).mode & 0o777, statSync(path).size > 100_000]).toEqual([0o600, true]);
});

test("cut at any byte has the whole lines before it, is not damaged, and goes on from there", async () => {
  const whole = readFileSync(await written());
  const ends = [...whole.keys()].filter((at) => whole[at] === 0x0a).slice(0, 3);
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: (ends[0] ?? 0) + 1, max: (ends[2] ?? 0) + 5 }),
      fc.constantFrom("", "\0".repeat(100), "\n".repeat(100)),
      async (cut, tail) => {
        const path = join(makeFolder(true), "file");
        writeFileSync(path, Buffer.concat([whole.subarray(0, cut), Buffer.from(tail)]));
        const kept = ends.filter((end) => end < cut || (end === cut && tail.startsWith("\n"))).length;
        const reopened = await openLineFile(path);
        expect(reopened?.read).toMatchObject({ objects: lines.slice(0, kept), isDamaged: false });
        await reopened?.file.append({ more: 1 });
        await reopened?.file.close();
        expect((await readLines(path)).objects).toEqual([...lines.slice(0, kept), { more: 1 }]);
      },
    ),
    { numRuns: 100 },
  );
});

test("with a changed byte in an earlier record is damaged, and keeps the others", async () => {
  const path = await written();
  const bytes = readFileSync(path);
  const at = bytes.indexOf('"sent"');
  bytes[at + 1] = 0x58;
  writeFileSync(path, bytes);
  expect(await readLines(path)).toMatchObject({ objects: [lines[0], lines[2]], isDamaged: true });
});

test("is not opened twice", async () => {
  const path = await written();
  const first = await openLineFile(path);
  expect(await openLineFile(path)).toBeNull();
  await first?.file.close();
});
