// How a rotation is shown: a line for each token, with the new token where it goes to standard output or a file.
import type { Id } from "../../api/resources.ts";
import { parseJson, toJson } from "../../json/exact-json.ts";
import { failureKinds } from "../../errors/errors.ts";
import { column, present } from "../../printing/presentation.ts";
import { pickFields } from "../../printing/fields.ts";
import { objectWith, orNull, text, word, type TypeOf } from "../../schema/json-schema.ts";
import { id } from "../../schema/resources.ts";

export const rotationSchema = objectWith("Rotation", "One authorization and its successor.", {
  status: word<string>(
    "what became of it; delivered is reported with the value, before the old one is gone",
    "delivered",
    "rotated",
    "old-kept",
    "would-rotate",
    "unproven",
    "not-tried",
    ...failureKinds,
  ),
  id_before: id("the old authorization's identifier"),
  id: orNull(id("the new authorization's identifier; null where there is none")),
  token: orNull(text("the new value; empty where it went elsewhere, null where there is none")),
  note: orNull(text("what both are for")),
});

export type RotationRow = TypeOf<typeof rotationSchema>;

const columns = [
  column<RotationRow>("STATUS", "status", { minimum: 12 }),
  column<RotationRow>("ID", "id_before", { isWhole: true }),
];

/** How a row is shown in a report, where new tokens go elsewhere. */
export const rotationPresentation = present(rotationSchema, columns);

/** How a row is shown where its new token is written beside it: without the token it would be lost. */
export const valuePresentation = present(rotationSchema, [
  ...columns,
  column("TOKEN", "token", { minimum: 40, isWhole: true }),
]);

/** The line of one token in a job of several. */
export function plainLine(row: RotationRow): string {
  return `${toJson(pickFields(row, rotationPresentation.fields), 0)}\n`;
}

/** The row of an item for which no new token exists. */
export function emptyRow(idBefore: string, status: string, note: string | null = null): RotationRow {
  return { status, id_before: parseJson(idBefore) as Id, id: null, token: null, note };
}
