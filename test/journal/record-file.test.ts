// The record file: written records can be read again, regardless of damage to the bytes after them and of the number of
// concurrent writers.
import { assert, asyncProperty, integer, nat, pre } from "fast-check";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  createRecordFile,
  type ReadRecords,
  readRecords,
  reopenRecordFile,
} from "../../src/journal/record-file.ts";
import { inFull, inTurn } from "../support/soak.ts";
import { makeFolder } from "../support/state-folder.ts";

const accept = ({ records }: ReadRecords): readonly unknown[] => records;

interface Numbered {
  readonly number: number;
}

/** A file with the given number of records, after its writer closed it. */
async function writeRecords(path: string, count: number): Promise<void> {
  const file = await createRecordFile(path);
  await file.append({ number: 0, text: "täxt \u2028 \n \u0000 end" });
  await file.reserve();
  for (let number = 1; number < count; number += 1) await file.append({ number, text: "x".repeat(number) });
  await file.close();
}

/** The bytes before the unused reserved space. */
function usedLength(bytes: Buffer): number {
  const end = bytes.indexOf("\n\n");
  return end === -1 ? bytes.length : end + 1;
}

function numbersOf(records: readonly unknown[]): readonly number[] {
  return records.map((record) => (record as Numbered).number);
}

/** The number of lines that end at or before this offset. */
function wholeLinesBefore(bytes: Buffer, place: number): number {
  return bytes.subarray(0, place).toString("latin1").split("\n").length - 1;
}

describe("records on disk", () => {
  test(
    "a flipped byte damages only its own record, and is reported as damage",
    { tags: "soak" },
    async () => {
      const path = join(makeFolder(), "flipped");
      await writeRecords(path, 8);
      const bytes = readFileSync(path);
      const used = usedLength(bytes);
      await assert(
        asyncProperty(nat(used - 1), integer({ min: 1, max: 255 }), async (place, flip) => {
          // The space after a checksum is not covered by it.
          pre(bytes.at(place) !== 0x20 || bytes.lastIndexOf(0x0a, place) !== place - 17);
          const damaged = Buffer.from(bytes);
          damaged.writeUInt8((damaged.at(place) ?? 0) ^ flip, place);
          writeFileSync(path, damaged);
          const { records, isDamaged } = await readRecords(path);
          const broken = wholeLinesBefore(bytes, place);
          // A damaged line break joins two lines, and both are lost.
          const lost = bytes.at(place) === 0x0a ? [broken - 1, broken, broken + 1] : [broken];
          const all = Array.from({ length: 8 }, (_, number) => number);
          const read = numbersOf(records);
          expect(all.filter((number) => !read.includes(number) && !lost.includes(number))).toEqual([]);
          expect(isDamaged).toBe(broken < Math.max(...read));
        }),
        { numRuns: inFull(120, 500) },
      );
    },
  );

  test(
    "a file cut at any byte keeps the complete lines before it and accepts more after them",
    { tags: "soak" },
    async () => {
      const path = join(makeFolder(), "cut");
      await writeRecords(path, 6);
      const bytes = readFileSync(path);
      const used = usedLength(bytes);
      const lengths = Array.from({ length: used + 1 }, (_, length) => length);
      const near = (length: number): boolean =>
        bytes.subarray(Math.max(0, length - 2), length + 2).includes(0x0a);
      for (const length of inFull([...lengths.filter(near), ...inTurn(lengths, 8, 1)], lengths)) {
        writeFileSync(path, bytes.subarray(0, length));
        const whole = wholeLinesBefore(bytes, length);
        const { file, checked: records } = await reopenRecordFile(path, accept);
        expect(numbersOf(records)).toEqual(Array.from({ length: whole }, (_, number) => number));
        await file.append({ number: 100 });
        await file.close();
        expect(numbersOf((await readRecords(path)).records).at(-1)).toBe(100);
      }
    },
  );
});

describe("reserved space", () => {
  test("never covers a record that is being written meanwhile", { tags: "soak" }, async () => {
    const folder = makeFolder();
    const lost: string[] = [];
    for (let round = 0; round < inFull(15, 60); round += 1) {
      const path = join(folder, `round-${round}`);
      await writeRecords(path, 2);
      const { file } = await reopenRecordFile(path, accept);
      // The first step of a resumed job: one item is finished while another reserves space.
      const [one, other] = [file.append({ number: 10 }), file.reserve()];
      const third = file.append({ number: 11 });
      await Promise.all([one, other, third]);
      await file.append({ number: 12 });
      await file.close();
      const numbers = numbersOf((await readRecords(path)).records);
      if (numbers.join() !== "0,1,10,11,12") lost.push(`round ${round}: ${numbers.join()}`);
    }
    expect(lost).toEqual([]);
  });

  test("is extended when large records have used it up", async () => {
    const path = join(makeFolder(), "large");
    const file = await createRecordFile(path);
    await file.append({ number: 0 });
    const numbers = Array.from({ length: 40 }, (_, index) => index + 1);
    await Promise.all(
      numbers.map(async (number) => {
        await file.reserve();
        await file.append({ number, text: "y".repeat(90_000) });
      }),
    );
    await file.close();
    expect(numbersOf((await readRecords(path)).records).toSorted((a, b) => a - b)).toEqual([0, ...numbers]);
  });
});
