// The promise to scripts: a field that was once published stays, with its types. fields.json holds all that were. New
// ones are written down with `UPDATE=1 npx vitest run test/contract`, which takes none away.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { allSchemas } from "../../src/commands/schema/schema.ts";
import { promisesOf, type Promises } from "../support/schemas.ts";

const file = fileURLToPath(new URL("fields.json", import.meta.url));
const recorded = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, Promises>>;
const current = Object.fromEntries(
  allSchemas().map(({ command, form, document }) => [
    form === "line" ? `${command} --format ndjson` : command,
    promisesOf(document),
  ]),
);

/** Recorded entries that do not exist any more, one per line. */
function goneFields(
  before: Readonly<Record<string, Promises>>,
  now: Readonly<Record<string, Promises>>,
): readonly string[] {
  return Object.entries(before).flatMap(([command, fields]) =>
    Object.entries(fields)
      .filter(([path, types]) => !isKept(types, now[command]?.[path]))
      .map(
        ([path, types]) =>
          `a field that scripts may read is gone: ${command}: ${path} was ${types}, now ${now[command]?.[path] ?? "it is not there"}`,
      ),
  );
}

/** A value may come to have fewer types, and not more; and one that was always there stays so. */
function isKept(before: string, now: string | undefined): boolean {
  return now !== undefined && now.split(" | ").every((type) => before.split(" | ").includes(type));
}

test("no field that scripts may read is gone", () => {
  expect(goneFields(recorded, current)).toEqual([]);
});

test("every field is written down", () => {
  const isComplete = JSON.stringify(recorded) === JSON.stringify(current);
  if (!isComplete && process.env["UPDATE"] === "1" && goneFields(recorded, current).length === 0) {
    writeFileSync(file, `${JSON.stringify(current, null, 2)}\n`);
    return;
  }
  expect(current, "write new fields down: UPDATE=1 npx vitest run test/contract").toEqual(recorded);
});

test.each([
  ["a removed field", {}, "it is not there"],
  ["another type", { "Grant.id": "string" }, "string"],
  ["null as well", { "Grant.id": "integer | null" }, "integer | null"],
  ["one that may be missing", { "Grant.id": "integer | missing" }, "integer | missing"],
])("the comparison sees %s", (_, now: Promises, found) => {
  expect(goneFields({ "grant list": { "Grant.id": "integer" } }, { "grant list": now })).toEqual([
    `a field that scripts may read is gone: grant list: Grant.id was integer, now ${found}`,
  ]);
});

test("the comparison takes one more field for no loss", () => {
  const before = { "grant list": { "Grant.id": "integer" } };
  expect(goneFields(before, { "grant list": { "Grant.id": "integer", "Grant.more": "string" } })).toEqual([]);
});
