// The promise to scripts: a field that was once published stays, with its types. fields.json holds all that were. New
// ones are written down with `UPDATE=1 npx vitest run test/contract`, which takes none away.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { allSchemas } from "../../src/commands/schema/schemas.ts";
import { fieldsOf, type Fields } from "../support/schemas.ts";

const file = fileURLToPath(new URL("fields.json", import.meta.url));
const recorded = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, Fields>>;
const current = Object.fromEntries(
  allSchemas().map(({ command, form, document }) => [
    form === "line" ? `${command} --format ndjson` : command,
    fieldsOf(document),
  ]),
);

/** What is recorded and not there any more, a line each. */
function goneFields(
  before: Readonly<Record<string, Fields>>,
  now: Readonly<Record<string, Fields>>,
): readonly string[] {
  return Object.entries(before).flatMap(([command, fields]) =>
    Object.entries(fields)
      .filter(([path, types]) => !isKept(types, now[command]?.[path]))
      .map(
        ([path, types]) =>
          `a field that scripts may read is gone: ${command}: ${path} was ${types}, and is ${now[command]?.[path] ?? "gone"}`,
      ),
  );
}

/** A value may come to have fewer types, and not more; and one that was always there stays so. */
function isKept(before: string, now: string | undefined): boolean {
  return now !== undefined && now.split(" ").every((type) => before.split(" ").includes(type));
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
  ["a removed field", {}, false],
  ["another type", { id: "string" }, false],
  ["null as well", { id: "integer null" }, false],
  ["one that may be missing now", { id: "? integer" }, false],
  ["one more field", { id: "integer", more: "string" }, true],
])("the comparison sees %s", (_, now: Fields, isFine) => {
  const gone = goneFields({ "grant list": { id: "integer" } }, { "grant list": now });
  expect(gone.length === 0).toBe(isFine);
  if (!isFine) expect(gone[0]).toContain("a field that scripts may read is gone: grant list: id was integer");
});
