// A schema is bound to the type that it describes: a schema for another type does not compile.
import { expect, test } from "vitest";
import {
  object,
  optional,
  orNull,
  text,
  truth,
  wholeNumber,
  word,
  createSchemaDocument,
} from "../../src/schema/json-schema.ts";

interface Row {
  readonly name: string;
  readonly note: string | null;
  readonly kind: "a" | "b";
  readonly size?: number;
}

test("an object schema requires the same properties as its type", () => {
  const row = object<Row>("Row", "A row.", {
    name: text("its name"),
    note: orNull(text("its note")),
    kind: word("its kind", "a", "b"),
    size: optional(wholeNumber("its size")),
  });
  expect(row.required).toEqual(["name", "note", "kind"]);
  expect(row.properties?.["note"]?.type).toEqual(["string", "null"]);
  expect(orNull(word("its kind", "a"))).toMatchObject({ enum: ["a", null] });
});

test("a schema of another type does not compile", () => {
  const name = text("its name");
  const note = orNull(text("its note"));
  const kind = word("its kind", "a", "b");
  const size = optional(wholeNumber("its size"));
  // @ts-expect-error a property is not described
  object<Row>("Row", "", { name, note, size });
  // @ts-expect-error there is no such property
  object<Row>("Row", "", { name, note, kind, size, more: text("") });
  // @ts-expect-error null is left out
  object<Row>("Row", "", { name, note: text(""), kind, size });
  // @ts-expect-error it is never null
  object<Row>("Row", "", { name: note, note, kind, size });
  // @ts-expect-error another type
  object<Row>("Row", "", { name: truth(""), note, kind, size });
  // @ts-expect-error a word is left out
  object<Row>("Row", "", { name, note, kind: word("", "a"), size });
  // @ts-expect-error it may be missing
  object<Row>("Row", "", { name, note, kind, size: wholeNumber("") });
  expect(name.type).toBe("string");
});

test("rejects one title for two schemas", () => {
  const first = object<{ readonly a: string }>("Same", "", { a: text("") });
  const second = object<{ readonly b: string }>("Same", "", { b: text("") });
  const head = { id: "urn:x", title: "x", description: "x" };
  expect(() => createSchemaDocument({ anyOf: [first, second] }, head)).toThrow("two schemas are called Same");
  expect(createSchemaDocument({ anyOf: [first, first] }, head).$defs).toHaveProperty("Same");
});
