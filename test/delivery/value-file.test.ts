// The output file for values: a group of values is written completely or reported as failed, and a later run writes
// none twice.
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openValueFile } from "../../src/delivery/value-file.ts";
import type { Delivery, ValueReceiver } from "../../src/delivery/receiver.ts";
import { makeFolder } from "../support/state-folder.ts";

const usual = { beforeSignalEnds: () => () => undefined, checkUnclaimed: () => Promise.resolve() };
const open = (path: string, ...jobOutputFiles: string[]): Promise<ValueReceiver> =>
  openValueFile(path, { mayReplace: false, jobOutputFiles, ...usual });

/** Deliveries of these texts. */
const texts = (...lines: readonly string[]): readonly Delivery[] =>
  lines.map((text) => ({ text, value: { token: text.trimEnd(), id: null } }));

test("several values are written in order, and later ones are appended", async () => {
  const path = join(makeFolder(), "new.txt");
  const file = await open(path);
  await file.write(texts("a\n", "b\n", "c\n"));
  await file.write(texts("d\n"));
  await file.write(texts("e\n", "f\n"));
  await file.close();
  expect(readFileSync(path, "utf8")).toBe("a\nb\nc\nd\ne\nf\n");
});

test("values from an earlier run are not written again, and a partial last line is removed", async () => {
  const path = join(makeFolder(), "new.txt");
  const before = await open(path);
  await before.write(texts("a\n", "b\n"));
  await before.close();
  // Simulates a kill in the middle of a group.
  appendFileSync(path, "c\nd");
  const file = await open(path, before.identity ?? "");
  await file.write(texts("b\n", "c\n", "d\n"));
  await file.write(texts("a\n"));
  await file.close();
  expect(readFileSync(path, "utf8")).toBe("a\nb\nc\nd\n");
});

test("a resumed run gets no hint to replace a file that is not in the journal", async () => {
  const path = join(makeFolder(), "new.txt");
  writeFileSync(path, "a\n");
  await expect(
    openValueFile(path, { mayReplace: false, jobOutputFiles: [], ...usual }),
  ).rejects.toMatchObject({
    kind: "usage",
    message: `${path} already exists, and is not the output file of this job`,
    details: { hint: "Use a new file for the tokens of this job that are not delivered yet." },
  });
  await expect(
    openValueFile(path, { mayReplace: false, jobOutputFiles: null, ...usual }),
  ).rejects.toMatchObject({
    details: { hint: "Use a new file, or add --force to replace it." },
  });
});

test("a group in a file that was deleted meanwhile counts as not delivered", async () => {
  const path = join(makeFolder(), "new.txt");
  const file = await open(path);
  await file.write(texts("a\n", "b\n"));
  rmSync(path);
  await expect(file.write(texts("c\n", "d\n"))).rejects.toMatchObject({ kind: "undelivered" });
  await file.close();
});
